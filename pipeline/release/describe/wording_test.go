package describe

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestWording by hand: two rows ask one fact, so that there are two texts, "what is it"
// and "what was it". Of six words four differ, of four pairs of words all.
func TestWording(t *testing.T) {
	of := func(id, text, fact string) schemas.Question {
		return schemas.Question{QuestionID: id, Question: text, Labels: map[string]string{schemas.LabelFact: fact}}
	}
	got := Release{Questions: slices.Values([]schemas.Question{of("c", "of a copy", "1"), of("a", "What is it?", "1"), of("b", "What was it?", "2")})}.measureWording()
	if len(got) != 1 || got[0].Kind != "questions" || got[0].Of != 3 || got[0].Texts != 2 || got[0].Distinct1 != 4.0/6 || got[0].Distinct2 != 1 {
		t.Fatalf("%+v", got)
	}
	if text := wordingGrid(got).markdown(); !strings.Contains(text, "| questions | 3 | 2 | 0.667 | 1.000 | 0.0 % | 0.0 % |") {
		t.Error(text)
	}
	if (Release{Questions: none[schemas.Question]()}).measureWording() != nil {
		t.Error("figures of no texts")
	}
}
