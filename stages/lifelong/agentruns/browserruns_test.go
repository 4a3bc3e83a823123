package agentruns_test

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/agentruns"
)

// browsed is the stage over a run in a browser: two texts are typed, a mark is chosen
// that the screen names and one that it does not, and the run ends with an answer.
func browsed(t *testing.T) testkit.Subject {
	t.Helper()
	s := testkit.Subject{
		Register: agentruns.Register, Use: "lifelong.browsing", Types: map[string]func(pipeline.Record) error{schemas.NameCheckpoint: testkit.DecodesTo[schemas.Checkpoint]}, Golden: "1 57de7d1543704a9ac6e7ca4949fe21da3e0cffc30a9ff69e2ccbf9c0eacac4a5",
	}
	screen := "[2]: <input> \"Search\";\t[3]: \"Boats\", \"All boats\";\t[4]: \"Cars\";"
	for n, actions := range [][]string{{"Click [9]", "Type [2]; red boat"}, {"Click [3]", "Type [2]; blue boat", "ANSWER; A blue boat."}} {
		id := schemas.SessionIDOf("webvoyager/boats", n)
		one := schemas.Session{SessionID: id, TaskID: "webvoyager/boats", Kind: schemas.KindTrajectory, Order: int32(n), Participants: []string{"user", "agent"}}
		for i, a := range actions {
			one.Turns = append(one.Turns, schemas.Turn{TurnID: schemas.TurnIDOf(id, i+1), SessionID: id, Order: int32(i + 1), Role: schemas.TurnAgent, Observation: screen, Action: a})
		}
		r, err := pipeline.NewRecord(schemas.NameSession, id, one)
		if err != nil {
			t.Fatal(err)
		}
		s.Inputs = append(s.Inputs, r)
	}
	return s
}

func TestBrowsingConforms(t *testing.T) { testkit.ConformStage(t, browsed(t)) }

// TestBrowsingIsAsked wants points of all that a run states, and questions with options of
// the run itself.
func TestBrowsingIsAsked(t *testing.T) {
	out, lost, err := browsed(t).Run(t)
	if err != nil || len(lost) > 0 {
		t.Fatalf("lost %v, %v", lost, err)
	}
	var said, asked []string
	for _, s := range testkit.DecodeAll[schemas.Session](t, schemas.NameSession, out) {
		for _, p := range s.Points {
			said = append(said, p.Content)
		}
	}
	if want := []string{`At step 2 the agent typed "red boat".`, `At step 3 the agent chose "Boats".`, `At step 4 the agent typed "blue boat".`, `At step 5 the agent answered "A blue boat.".`}; !slices.Equal(said, want) {
		t.Errorf("points say %q, want %q", said, want)
	}
	for _, q := range testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out) {
		asked = append(asked, q.Labels["axis"]+" "+q.Question+" "+q.AnswerText)
		if len(q.Options) != 4 {
			t.Errorf("%s has options %+v", q.Question, q.Options)
		}
	}
	if want := []string{"DU Which text did the agent type last? blue boat", `TR At which step did the agent type "red boat"? step 2`, `TR At which step did the agent choose "Boats"? step 3`, `TR At which step did the agent type "blue boat"? step 4`}; !slices.Equal(asked, want) {
		t.Errorf("asked is %q, want %q", asked, want)
	}
}

// TestForgedBrowsing changes questions and points of a run one column at a time: what is
// derived from the steps then differs, or says what is wrong.
func TestForgedBrowsing(t *testing.T) {
	out, _, err := browsed(t).Run(t)
	if err != nil {
		t.Fatal(err)
	}
	reg := pipeline.NewRegistry()
	agentruns.Register(reg)
	d, _ := reg.Derivation("webvoyager")
	p := premisesOf(t, "webvoyager/boats", out)
	for _, q := range testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out) {
		if got, err := d.Question(q, p); err != nil || !same(got.Item, q) {
			t.Errorf("clean %s: %v, derived\n%+v\nstated\n%+v", q.QuestionID, err, got.Item, q)
		}
		for name, forge := range map[string]func(*schemas.Question){
			"answer": func(q *schemas.Question) { q.AnswerText += "s" }, "key": func(q *schemas.Question) { q.AnswerKey += "A" }, "axis": func(q *schemas.Question) { q.Labels["axis"] = "MB" },
			"evidence": func(q *schemas.Question) { q.Evidence = q.Evidence[1:] }, "text": func(q *schemas.Question) { q.Evidence[0].Text += "." }, "role": func(q *schemas.Question) { q.Evidence[0].Role = schemas.RoleContext },
			"question": func(q *schemas.Question) { q.Question += "?" }, "type": func(q *schemas.Question) { q.Type = agentruns.TypePlace }, "checkpoint": func(q *schemas.Question) { q.CheckpointID += "0" },
			"option": func(q *schemas.Question) { swap(q, q.AnswerText, "step 9") }, "twice": func(q *schemas.Question) { swap(q, q.Options[0].Text, q.Options[1].Text) },
		} {
			forged := testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out)[slices.IndexFunc(testkit.DecodeAll[schemas.Question](t, schemas.NameQuestion, out), func(o schemas.Question) bool { return o.QuestionID == q.QuestionID })]
			forge(&forged)
			if got, err := d.Question(forged, p); err == nil && same(got.Item, forged) {
				t.Errorf("%s, forged %s: nothing differs", q.Question, name)
			}
		}
	}
	task := schemas.Task{TaskID: "webvoyager/boats", Family: "webvoyager", Media: []string{}}
	if got, err := d.Task(task, p); err != nil || !same(got.Item, task) {
		t.Fatalf("clean: %v, %+v", err, got.Item)
	}
	for name, forge := range map[string]func(*schemas.Session){
		"content": func(s *schemas.Session) { s.Points[0].Content = "x" }, "step": func(s *schemas.Session) { s.Points[0].Attributes["step"] = "9" }, "gone": func(s *schemas.Session) { s.Points = s.Points[1:] },
		"one more": func(s *schemas.Session) { s.Points = append(s.Points, s.Points[0]) }, "superseded": func(s *schemas.Session) { s.Points[1].Supersedes = nil }, "action": func(s *schemas.Session) { s.Turns[0].Action = "Click [4]" },
	} {
		p := premisesOf(t, task.TaskID, out)
		all := testkit.DecodeAll[schemas.Session](t, schemas.NameSession, p.Records[schemas.NameSession])
		forge(&all[1])
		r, err := pipeline.NewRecord(schemas.NameSession, all[1].SessionID, all[1])
		if err != nil {
			t.Fatal(err)
		}
		p.Records[schemas.NameSession][1] = r
		if _, err := d.Task(task, p); err == nil {
			t.Errorf("forged %s: nothing is wrong", name)
		}
	}
}
