package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/web/rounds"
	"github.com/memforge/memforge/schemas"
)

// TestNothingBlindFollowsFromGold shows a question of every type that plugins declare, with
// its gold and with another.
func TestNothingBlindFollowsFromGold(t *testing.T) {
	reg := plugins.Registry()
	if len(reg.QuestionTypes()) < 15 {
		t.Fatalf("%d types of questions", len(reg.QuestionTypes()))
	}
	film, photo := strings.Repeat("a", 64), strings.Repeat("b", 64)
	blind := func(show string, of pipeline.QuestionType, gold int) string {
		q := schemas.Question{QuestionID: "family/kind-0001/Q1", Family: "family", Question: "What is it?", Media: []string{film, photo}, Labels: map[string]string{}, Setting: "a film of 9 seconds", Type: of.Name}
		options := []schemas.Option{{Text: "one"}, {Text: "two"}, {Text: "three"}}
		for i := range options {
			if options[i].Role = schemas.RoleDistractor; i == gold {
				options[i].Role = schemas.RoleCorrect
			}
		}
		q.SetOptions(options...)
		q.Explanation, q.Labels["secret"] = fmt.Sprint("secret ", gold), fmt.Sprint(gold)
		q.Evidence = []schemas.Evidence{
			{Kind: schemas.EvidenceMedia, Ref: film + "#t=1.00,2.00", Role: schemas.RoleClue, Order: 1, Caption: fmt.Sprint("secret ", gold)},
			{Kind: schemas.EvidenceTurn, Ref: "s/1", Role: schemas.RoleClue, Order: 2, Text: "It was said.", Media: photo, Caption: "secret", MinimalCaption: "secret", TaskAwareCaption: "secret"},
		}
		it, err := rounds.NewItem(q, nil, nil, "")
		if err != nil {
			t.Fatal(err)
		}
		c := rounds.Config{Show: show, People: []rounds.Person{{Name: "ann"}}, ReviewSample: pipeline.ReviewSample{Name: "review", Schema: schemas.NameQuestion, By: []string{"type"}, Share: 1, Annotators: 1}}
		r, err := rounds.Open(filepath.Join(t.TempDir(), "r"), c, []rounds.Item{it}, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		b, err := r.Blind("ann", q.QuestionID, showBlind(reg, show))
		if err != nil {
			t.Fatalf("%s: %v", of.Name, err)
		}
		data, err := json.Marshal(b)
		if err != nil || len(b.Pieces) == 0 {
			t.Fatalf("%s shows %s, %v", of.Name, data, err)
		}
		return string(data)
	}
	for _, show := range []string{rounds.ShowClues, rounds.ShowAll} {
		for _, of := range reg.QuestionTypes() {
			one, other := blind(show, of, 0), blind(show, of, 2)
			if one != other || strings.Contains(one, "secret") || strings.Contains(one, "kind-0001") || strings.Contains(one, schemas.RoleDistractor) {
				t.Errorf("%s: gold shows:\n%s\n%s", of.Name, one, other)
			}
		}
	}
}
