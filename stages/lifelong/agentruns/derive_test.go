package agentruns_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/agentruns"
)

// premisesOf is what a release would have of a task.
func premisesOf(t *testing.T, task string, out []pipeline.Record) pipeline.Premises {
	t.Helper()
	p := pipeline.Premises{Records: map[string][]pipeline.Record{}}
	for _, r := range out {
		if strings.HasPrefix(r.ID, task+"/") && r.Schema != schemas.NameQuestion {
			p.Records[r.Schema] = append(p.Records[r.Schema], r)
		}
	}
	return p
}

// alfredRuns are those of records, as ALFRED's.
func alfredRuns(t *testing.T) []pipeline.Record {
	t.Helper()
	var in []pipeline.Record
	for _, s := range testkit.DecodeAll[schemas.Session](t, schemas.NameSession, records(t)) {
		s.TaskID = strings.Replace(s.TaskID, "a/", "alfred/", 1)
		s.SessionID = schemas.SessionIDOf(s.TaskID, 0)
		for i := range s.Turns {
			s.Turns[i].SessionID, s.Turns[i].TurnID = s.SessionID, schemas.TurnIDOf(s.SessionID, i+1)
		}
		r, err := pipeline.NewRecord(schemas.NameSession, s.SessionID, s)
		if err != nil {
			t.Fatal(err)
		}
		in = append(in, r)
	}
	out, _, err := testkit.Subject{Register: agentruns.Register, Use: "lifelong.runs", Inputs: in}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func derivations(t *testing.T) pipeline.Derivation {
	t.Helper()
	reg := pipeline.NewRegistry()
	agentruns.Register(reg)
	d, ok := reg.Derivation("alfred")
	if !ok || reg.Err() != nil {
		t.Fatalf("no derivation of runs: %v", reg.Err())
	}
	return d
}

// TestForgedRuns changes questions and points of runs one column at a time: what is
// derived from the steps then differs, or says what is wrong.
func TestForgedRuns(t *testing.T) {
	out, d := alfredRuns(t), derivations(t)
	clean := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)
	for _, q := range clean {
		got, err := d.Question(q, premisesOf(t, q.TaskID, out))
		if err != nil || !same(got.Item, q) {
			t.Fatalf("clean %s: %v, derived\n%+v\nstated\n%+v", q.QuestionID, err, got.Item, q)
		}
	}
	for name, forge := range map[string]func(*schemas.Question){
		"answer": func(q *schemas.Question) { q.AnswerText = "at the desk" }, "key": func(q *schemas.Question) { q.AnswerKey += "A" },
		"role": func(q *schemas.Question) {
			q.Options[slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Role == schemas.RoleCorrect })].Role = schemas.RoleDistractor
		},
		"option of where": func(q *schemas.Question) { swap(q, "at the desk", "at the moon") },
		"right option":    func(q *schemas.Question) { swap(q, "at the shelf", "at the moon") },
		"option twice":    func(q *schemas.Question) { swap(q, "at the bed", "at the side table") },
		"evidence gone":   func(q *schemas.Question) { q.Evidence = q.Evidence[1:] }, "evidence text": func(q *schemas.Question) { q.Evidence[0].Text += "." },
		"evidence role": func(q *schemas.Question) { q.Evidence[0].Role = schemas.RoleClue }, "evidence turn": func(q *schemas.Question) { q.Evidence[0].Ref = q.Evidence[1].Ref },
		"axis": func(q *schemas.Question) { q.Labels["axis"] = "MB" }, "label": func(q *schemas.Question) { q.Labels["x"] = "y" },
		"fact": func(q *schemas.Question) { q.Labels[schemas.LabelFact] = "x" }, "type": func(q *schemas.Question) { q.Type = "lifelong_fr" },
		"question": func(q *schemas.Question) { q.Question = "Where was the pen when the run was over?" }, "words": func(q *schemas.Question) { q.Question = "Where is the mug?" },
		"checkpoint": func(q *schemas.Question) { q.CheckpointID += "0" }, "family": func(q *schemas.Question) { q.Family = "webvoyager" },
		"choice form": func(q *schemas.Question) { q.QuestionMCQ += "." },
	} {
		q := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)[0]
		forge(&q)
		if got, err := d.Question(q, premisesOf(t, q.TaskID, out)); err == nil && same(got.Item, q) {
			t.Errorf("forged %s: nothing differs", name)
		}
	}
}

// same compares what is printed of two items: empty lists are alike.
func same(a, b any) bool { return fmt.Sprintf("%+v", a) == fmt.Sprintf("%+v", b) }

func swap(q *schemas.Question, from, to string) {
	for i := range q.Options {
		if q.Options[i].Text == from {
			q.Options[i].Text = to
		}
	}
	q.SetOptions(q.Options...)
}

// TestForgedPointsOfRuns does the same with what a run should leave in a memory.
func TestForgedPointsOfRuns(t *testing.T) {
	out, d := alfredRuns(t), derivations(t)
	task := schemas.Task{TaskID: "alfred/run-0", Family: "alfred", Media: []string{}}
	if got, err := d.Task(task, premisesOf(t, task.TaskID, out)); err != nil || !same(got.Item, task) {
		t.Fatalf("clean: %v, %+v", err, got.Item)
	}
	for name, forge := range map[string]func(*schemas.Session){
		"place": func(s *schemas.Session) { s.Points[1].Attributes["place"] = "bed" }, "content": func(s *schemas.Session) { s.Points[1].Content = "The mug is at the bed." },
		"gone": func(s *schemas.Session) { s.Points = s.Points[:3] }, "one more": func(s *schemas.Session) { s.Points = append(s.Points, s.Points[0]) },
		"evidence": func(s *schemas.Session) { s.Points[1].EvidenceTurns = s.Points[0].EvidenceTurns }, "update": func(s *schemas.Session) { s.Points[1].IsUpdate = false },
		"superseded": func(s *schemas.Session) { s.Points[3].Supersedes = s.Points[1].Supersedes }, "subject": func(s *schemas.Session) { s.Points[1].Subject = "pen/place" },
		"interference": func(s *schemas.Session) { s.Points[0].IsInterference = true }, "step": func(s *schemas.Session) { s.Turns[2].Action = "PutObject Mug|1 Bed|1" },
	} {
		p := premisesOf(t, task.TaskID, out)
		s := testkit.DecodeAll[schemas.Session](t, schemas.NameSession, p.Records[schemas.NameSession])[0]
		forge(&s)
		r, err := pipeline.NewRecord(schemas.NameSession, s.SessionID, s)
		if err != nil {
			t.Fatal(err)
		}
		p.Records[schemas.NameSession] = []pipeline.Record{r}
		if _, err := d.Task(task, p); err == nil {
			t.Errorf("forged %s: nothing is wrong", name)
		}
	}
}

// TestGoldenDerived pins what is derived for a question with one value wrong, and for the
// task with one value of its session wrong.
func TestGoldenDerived(t *testing.T) {
	out, d := alfredRuns(t), derivations(t)
	first := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)[0]
	p := premisesOf(t, first.TaskID, out)
	golden.CheckSpoiled(t, "derived-question", first, func(doc []byte) string {
		var q schemas.Question
		if json.Unmarshal(doc, &q) != nil {
			return ""
		}
		got, err := d.Question(q, p)
		if err != nil {
			return err.Error()
		}
		b, err := json.MarshalIndent(got.Item, "", " ")
		return fmt.Sprintf("%s\n%q %v", b, got.Underivable, err)
	})
	golden.CheckSpoiled(t, "derived-task", testkit.DecodeAll[schemas.Session](t, schemas.NameSession, p.Records[schemas.NameSession])[0], func(doc []byte) string {
		var s schemas.Session
		if json.Unmarshal(doc, &s) != nil {
			return ""
		}
		p.Records[schemas.NameSession] = []pipeline.Record{{Schema: schemas.NameSession, ID: s.SessionID, Data: doc}}
		got, err := d.Task(schemas.Task{TaskID: first.TaskID, Family: "alfred", Media: []string{}}, p)
		return fmt.Sprintf("%+v %v", got, err)
	})
}
