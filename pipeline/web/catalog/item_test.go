package catalog_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/schemas"
)

// talkRelease has one task with two sessions, a question in each of two splits about the same
// fact, and one that a gate dropped.
func talkRelease(t *testing.T) string {
	t.Helper()
	in := release.Input{
		Spec: pipeline.Release{Name: "talk", Version: "1.0.0"}, Config: pipeline.DigestOf([]byte("plan")), BuildKey: "talk",
		Sources: []schemas.Source{{ID: "talks", Kind: "generated", License: "CC0-1.0"}}, Tables: pipeline.NewRegistry().Tables(),
		Gates: []manifest.GateInfo{
			{Name: "short", Use: "short", Version: "1", Config: pipeline.RawConfig(`{}`), OnFail: "keep"},
			{Name: "blind", Use: "blind", Version: "1", Config: pipeline.RawConfig(`{}`), OnFail: "drop", Models: map[string]string{"panel_a": "m"}},
		},
		Rejections: []schemas.Rejection{{ID: "t/gone", Stage: "blind", Code: "guessed", Reason: "guessed: from the question"}},
	}
	add := func(schema, id string, v any) {
		r, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			t.Fatal(err)
		}
		in.Records = append(in.Records, r)
	}
	add(schemas.NameTask, "t", schemas.Task{TaskID: "t", Family: "talk", Domain: "home", Scenario: "kitchen"})
	for i := range 2 {
		id := schemas.SessionIDOf("t", i)
		s := schemas.Session{SessionID: id, TaskID: "t", SourceID: "talks", Kind: schemas.KindDialogue, Participants: []string{"Ann", "Ben"}, Order: int32(i)}
		for n := range int32(12) {
			s.Turns = append(s.Turns, schemas.Turn{TurnID: schemas.TurnIDOf(id, int(n+1)), SessionID: id, Order: n + 1, Role: schemas.TurnUser, Speaker: "Ann", Text: "The kettle is blue."})
		}
		s.Points = []schemas.MemoryPoint{{MemoryID: schemas.PointIDOf(id, 1), SessionID: id, Content: "Ann has a blue kettle.", Type: "possession", Subject: "kettle" + id, Modality: schemas.ModalityText, EvidenceTurns: []string{s.Turns[3].TurnID}}}
		add(schemas.NameSession, id, s)
	}
	turn := schemas.TurnIDOf(schemas.SessionIDOf("t", 1), 4)
	question := func(id, split string) schemas.Question {
		q := schemas.Question{
			QuestionID: id, Family: "talk", TaskID: "t", Question: "What colour is the kettle?", Type: "colour", Split: split, Labels: map[string]string{schemas.LabelFact: "kettle"},
			Evidence: []schemas.Evidence{{Kind: schemas.EvidenceTurn, Ref: turn, SessionID: schemas.SessionIDOf("t", 1), Role: schemas.RoleClue, Order: 1, Text: "Ann: The kettle is blue."}},
		}
		q.SetOptions(schemas.Option{Text: "red", Role: schemas.RoleDistractor}, schemas.Option{Text: "blue", Role: schemas.RoleCorrect})
		return q
	}
	for id, split := range map[string]string{"t/b": "test", "t/a": "validation"} {
		add(schemas.NameQuestion, id, question(id, split))
		add(schemas.NameVerdict, id+"/short", schemas.Verdict{Item: id, Gate: "short", Outcome: schemas.NotApplicable})
		add(schemas.NameVerdict, id+"/blind", schemas.Verdict{Item: id, Gate: "blind", Outcome: schemas.Pass, CallsMade: 1, CallsFull: 4})
	}
	gone := question("t/gone", "test")
	in.Flagged = []schemas.FlaggedQuestion{{Question: gone, JudgedBy: []string{"blind"}}}
	add(schemas.NameVerdict, "gone", schemas.Verdict{Item: "t/gone", Gate: "blind", Outcome: schemas.Fail, CallsMade: 1, CallsFull: 4})
	var asked schemas.Probes
	for _, id := range []string{"t/a", "t/b", "t/gone"} {
		asked.Probes = append(asked.Probes, schemas.Probe{Item: id, Gate: "blind", View: "none", ViewDigest: "ab", Role: "panel_a", Model: "m", Response: "B it is", Answer: "B", Mark: schemas.MarkRight})
	}
	add(schemas.NameProbes, "probes", asked)
	done, err := release.Write(t.Context(), nil, t.TempDir(), in, release.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return done.Dir
}

func TestItemHasAllThatBelongsToIt(t *testing.T) {
	c := indexed(t, talkRelease(t))
	item, err := c.Item(t.Context(), "t/a")
	if err != nil || len(item.Unread) > 0 {
		t.Fatal(err, item.Unread)
	}
	if item.Task == nil || item.Task.Scenario != "kitchen" || !item.Released() || item.SameFactTotal != 2 || len(item.Forms)+len(item.Rejections) != 0 {
		t.Errorf("%+v", item)
	}
	if len(item.Verdicts) != 2 || item.Verdicts[0].Verdict.Gate != "short" || item.Verdicts[1].Of.OnFail != "drop" || len(item.Verdicts[1].Probes) != 1 || item.Verdicts[1].Probes[0].Response != "B it is" {
		t.Errorf("verdicts: %+v", item.Verdicts)
	}
	if len(item.Pieces) != 1 || item.Pieces[0].TurnID != "t/S01/T004" {
		t.Errorf("evidence: %+v", item.Pieces)
	}
	gone, err := c.Item(t.Context(), "t/gone")
	if err != nil || gone.Released() || len(gone.Forms) != 1 || len(gone.Rejections) != 1 || gone.Verdicts[0].Outcome != schemas.Fail || gone.Question.AnswerText != "blue" {
		t.Errorf("the rejected one: %+v, %v", gone, err)
	}
	lost, err := c.Rejected(t.Context(), "", 0)
	if err != nil || lost.Total != 1 || lost.Rows[0].ID != "t/gone" || lost.Next != "" || !lost.Questions["t/gone"] {
		t.Errorf("rejected: %+v, %v", lost, err)
	}
}

func TestSessionIsWhole(t *testing.T) {
	c := indexed(t, talkRelease(t))
	s, err := c.Session(t.Context(), "t/S01")
	if err != nil || len(s.Unread) > 0 {
		t.Fatal(err, s.Unread)
	}
	if len(s.Turns) != 12 || s.Turns[11].Order != 12 || len(s.Points) != 1 || s.Task == nil || s.QuestionTotal != 2 || len(s.Questions) != 2 {
		t.Errorf("%+v", s)
	}
	if s, err := c.Session(t.Context(), "t/S00"); err != nil || s.QuestionTotal != 0 {
		t.Errorf("%d questions rest on the first session, %v", s.QuestionTotal, err)
	}
	if _, err := c.Session(t.Context(), "t"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("a task as a session: %v", err)
	}
	source, err := c.Source(t.Context(), "talks")
	if err != nil || len(source.Files) != 1 || source.QuestionTotal != 2 {
		t.Errorf("%+v, %v", source, err)
	}
	if _, err := c.Source(t.Context(), "other"); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("another source: %v", err)
	}
}

// TestSplitsFollowEachOther lists questions of two splits, whose ids are in another order.
func TestSplitsFollowEachOther(t *testing.T) {
	c := indexed(t, talkRelease(t))
	if got := ids(t, c, catalog.Query{}); !slices.Equal(got, []string{"t/b", "t/a"}) {
		t.Errorf("%q", got)
	}
	page, err := c.Search(t.Context(), where("gate.blind", schemas.Pass, catalog.FieldOutcome, schemas.NotApplicable))
	if err != nil || page.Total != 2 || page.Facts != 1 || page.Rows[1].Split != "validation" || page.Rows[0].Outcomes[schemas.Pass] != 1 || page.Rows[0].Roles != "1 clue" {
		t.Errorf("%+v, %v", page, err)
	}
}
