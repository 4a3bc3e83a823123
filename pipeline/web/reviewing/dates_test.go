package reviewing

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/web/catalog"
	"github.com/memforge/memforge/pipeline/web/rounds"
	"github.com/memforge/memforge/schemas"
)

// TestTurnsHaveDatesBeforeTheAnswer: of each turn that is quoted.
func TestTurnsHaveDatesBeforeTheAnswer(t *testing.T) {
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
	id := schemas.SessionIDOf("t", 0)
	s := schemas.Session{SessionID: id, TaskID: "t", SourceID: "talks", Kind: schemas.KindDialogue, Participants: []string{"Ann", "Ben"}}
	q := schemas.Question{QuestionID: "t/q", Family: "talk", TaskID: "t", Question: "What colour is the kettle?", Type: "colour", Labels: map[string]string{schemas.LabelFact: "kettle"}}
	for n, text := range []string{"The kettle is blue.", "Well.", "It is red now."} {
		turn := schemas.Turn{TurnID: schemas.TurnIDOf(id, n+1), SessionID: id, Order: int32(n + 1), Role: schemas.TurnUser, Speaker: "Ann", Text: text, Timestamp: fmt.Sprintf("2024-03-0%dT07:57:00Z", n+1)}
		s.Turns = append(s.Turns, turn)
		q.Evidence = append(q.Evidence, schemas.Evidence{Kind: schemas.EvidenceTurn, Ref: turn.TurnID, SessionID: id, Role: schemas.RoleClue, Order: int32(n + 1), Text: "Ann: " + text})
	}
	q.SetOptions(schemas.Option{Text: "red", Role: schemas.RoleCorrect}, schemas.Option{Text: "blue", Role: schemas.RoleDistractor})
	add(schemas.NameSession, id, s)
	add(schemas.NameQuestion, q.QuestionID, q)
	done, err := release.Write(t.Context(), nil, t.TempDir(), in, release.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalog.Open(t.Context(), done.Dir, catalog.Options{NoIndex: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p := begin(t, c, filepath.Join(t.TempDir(), "r"), []schemas.Question{q}, "ann")
	p.show = func(q *schemas.Question) (string, []rounds.Piece, error) {
		var out []rounds.Piece
		for _, e := range q.Evidence {
			out = append(out, rounds.Piece{Text: e.Text})
		}
		return "", out, nil
	}
	code, page := serve(t, p)("ann").send(http.MethodGet, "/review", nil)
	if code != http.StatusOK || strings.Count(page, "07:57") != 3 || !strings.Contains(page, "1 March 2024, 07:57") || !strings.Contains(page, "3 March 2024, 07:57") {
		t.Errorf("%d, the dates of three turns are missing: %s", code, page)
	}
}
