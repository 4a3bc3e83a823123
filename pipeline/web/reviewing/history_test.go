package reviewing

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/pipeline/web/rounds"
	"github.com/memforge/memforge/schemas"
)

// TestHistoryStandsForEvidence shows the sessions before a question whose answer is that
// something was never said, and none after it.
func TestHistoryStandsForEvidence(t *testing.T) {
	in := release.Input{
		Spec: pipeline.Release{Name: "talk", Version: "1.0.0"}, Config: pipeline.DigestOf([]byte("plan")), BuildKey: "talk",
		Sources: []schemas.Source{{ID: "talks", Kind: "generated", License: "CC0-1.0"}}, Tables: pipeline.NewRegistry().Tables(),
	}
	add := func(schema, id string, v any) {
		r, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			t.Fatal(err)
		}
		in.Records = append(in.Records, r)
	}
	add(schemas.NameTask, "t", schemas.Task{TaskID: "t", Family: "talk", Domain: "home", Scenario: "kitchen"})
	for i, said := range []string{"The kettle is blue.", "The cup is red.", "The pan is old."} {
		id := schemas.SessionIDOf("t", i)
		turn := schemas.Turn{TurnID: schemas.TurnIDOf(id, 1), SessionID: id, Order: 1, Role: schemas.TurnUser, Speaker: "Ann", Text: said}
		add(schemas.NameSession, id, schemas.Session{SessionID: id, TaskID: "t", SourceID: "talks", Kind: schemas.KindDialogue, Participants: []string{"Ann"}, Order: int32(i), Turns: []schemas.Turn{turn}})
	}
	add(schemas.NameCheckpoint, "t/C1", schemas.Checkpoint{CheckpointID: "t/C1", TaskID: "t", Order: 0, Sessions: []string{schemas.SessionIDOf("t", 0), schemas.SessionIDOf("t", 1)}})
	q := schemas.Question{QuestionID: "t/a", Family: "talk", TaskID: "t", CheckpointID: "t/C1", Question: "What colour is the lid?", Type: "colour", Labels: map[string]string{}}
	q.SetOptions(schemas.Option{Text: "red", Role: schemas.RoleDistractor}, schemas.Option{Text: "not mentioned", Role: schemas.RoleCorrect})
	add(schemas.NameQuestion, q.QuestionID, q)
	done, err := release.Write(t.Context(), nil, t.TempDir(), in, release.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(t.Context(), done.Dir, catalog.Options{NoIndex: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	p := begin(t, c, filepath.Join(t.TempDir(), "r"), []schemas.Question{q}, "ann")
	p.show = func(*schemas.Question) (string, []rounds.Piece, error) { return "", nil, nil }
	_, body := serve(t, p)("ann").send("GET", "/review", nil)
	first, second := strings.Index(body, "Ann: The kettle is blue."), strings.Index(body, "Ann: The cup is red.")
	if first < 0 || second < first || strings.Contains(body, "The pan is old.") || !strings.Contains(body, "the whole history up to it is shown") {
		t.Errorf("the history: %s", body)
	}
}
