package describe

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestCardsTellTheirQuestions: the medium, the options with the right one marked, when
// the evidence is to be seen in which medium, or what it says.
func TestCardsTellTheirQuestions(t *testing.T) {
	long := strings.Repeat("ü", 300)
	rel := Release{
		Media: slices.Values([]schemas.Media{{MediaID: "m1", Kind: "image"}, {MediaID: "m2", Kind: "video", Duration: 4, Frames: 100, Recipe: schemas.Recipe{Layout: "split", SwapFrames: []int64{1, 2}}}}),
		Questions: slices.Values([]schemas.Question{
			{
				QuestionID: "q/1", Family: "f", Type: "a", Question: "What?", Media: []string{"m1", "m2"}, AnswerKey: "B",
				Options:  []schemas.Option{{Key: "A", Text: "no"}, {Key: "B", Text: "yes"}},
				Evidence: []schemas.Evidence{{Ref: "m2#t=1.50,2.25", Role: "clue"}, {Ref: "m1", Role: "context"}, {Ref: "m1", Role: "context"}},
			},
			{
				QuestionID: "q2", Family: "f", Type: "b", Question: "Who?", AnswerText: "she",
				Evidence: []schemas.Evidence{{Ref: "t", Role: "clue", Text: long}, {Ref: "t", Role: "update", Caption: "A red cup."}, {Ref: "t", Role: "clue"}},
			},
		}),
		Cards: []Card{{question: figureID("q2")}, {question: figureID("q/1")}},
	}
	got, err := rel.pictures()
	if err != nil {
		t.Fatal(err)
	}
	if p := got[0]; p.Question != "Who?" || p.Answer != "she" || p.Caption != "f, b" ||
		!slices.Equal(p.Evidence, []string{"clue: " + long[:2*mostText] + "…", "update: A red cup.", "clue: t"}) {
		t.Errorf("%+v", p)
	}
	if p := got[1]; p.Question != "What?" || p.Caption != "f, a, image, 0.0 s, 0 frames, split, 4.0 s, 100 frames, 2 exchanges of sides" ||
		p.Options[0].Gold || !p.Options[1].Gold || p.Options[1].Text != "B. yes" ||
		!slices.Equal(p.Evidence, []string{"clue, medium 2: 1.50 to 2.25 s", "context, medium 1: the whole"}) {
		t.Errorf("%+v", p)
	}
	rel.Cards = []Card{{question: figureID("q3")}}
	if _, err := rel.pictures(); err == nil {
		t.Error("a card of a question that is not there")
	}
}
