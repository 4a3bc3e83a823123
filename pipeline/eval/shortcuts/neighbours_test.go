package shortcuts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// circles makes clusters of four questions each of two forms. The first offer things
// of which nobody else has one as an option; the second ask where the wrong ones are.
// So who reads them all needs no video for the first, and learns nothing of the second.
func circles(clusters int, rnd *rand.Rand) []schemas.Question {
	var qs []schemas.Question
	for c := range clusters {
		ask := func(i int, form, question string, options []string, gold int) {
			q := schemas.Question{QuestionID: fmt.Sprintf("q%02d-%s%d", c, form, i), TaskID: fmt.Sprint("t", c), Type: form, Question: question, Split: "test"}
			for o, text := range options {
				q.Options = append(q.Options, schemas.Option{Key: string(rune('A' + o)), Text: text})
			}
			setGold(&q, gold)
			qs = append(qs, q)
		}
		for i := range 4 {
			gold := rnd.IntN(4)
			var things, wrong []string
			for o := range 4 {
				things = append(things, fmt.Sprintf("thing w%dx%dx%d", c, i, o))
				if o != gold {
					wrong = append(wrong, things[o])
				}
			}
			ask(i, "what", fmt.Sprintf("What is picked up, number %d?", i), things, gold)
			ask(i, "where", "Where are "+strings.Join(wrong, " and ")+"?", []string{"left", "right", "above", "below"}, rnd.IntN(4))
		}
	}
	return qs
}

func studies(t *testing.T, qs []schemas.Question) []*Study {
	t.Helper()
	all, err := Studies(Subject{Questions: qs, Chance: func(string) *rand.Rand { return rand.New(rand.NewPCG(7, 7)) }})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestQuestionsOfAClusterAnswerEachOther: no fold that keeps clusters whole sees it,
// the other questions in view tell it, be they of another form.
func TestQuestionsOfAClusterAnswerEachOther(t *testing.T) {
	qs := circles(40, rand.New(rand.NewPCG(1, 2)))
	for _, s := range studies(t, qs) {
		for _, f := range s.Figures {
			if f.BeyondChance(0.01) {
				t.Errorf("%s: %s is beyond chance alone: %+v", s.Form, f.Name, f.Accuracy)
			}
		}
		beside := map[string]Figure{}
		for _, f := range s.Company {
			beside[f.Name] = f
		}
		for _, name := range []string{"least often named", "odd one out in how often named", "choice model on what they name"} {
			got := beside[name].Accuracy.Value
			if s.Form == "what" && got < 0.95 || s.Form == "where" && beside[name].Facts > 0 && math.Abs(got-0.25) > 0.1 {
				t.Errorf("%s: %s is right about %.2f", s.Form, name, got)
			}
		}
		if f := Furthest(s.Company); s.Form == "what" && math.Abs(f.Excess()) < 0.2 {
			t.Errorf("the furthest is %s, %+v", f.Name, f.Accuracy)
		}
	}
	reversed := slices.Clone(qs)
	slices.Reverse(reversed)
	if !reflect.DeepEqual(figures(studies(t, qs)...), figures(studies(t, reversed)...)) {
		t.Error("another order of the questions gave other studies")
	}
}

// TestCopiesOfAFactAreNoCompany: a question that is put again names its own options,
// which tells nothing.
func TestCopiesOfAFactAreNoCompany(t *testing.T) {
	q := clean(1, rand.New(rand.NewPCG(3, 3)))[0]
	q.Labels = map[string]string{schemas.LabelFact: "f"}
	again, other := q, q
	again.QuestionID, again.Question = "again", "Once more: "+q.Question
	other.QuestionID, other.Labels = "other", map[string]string{schemas.LabelFact: "g"}
	other.Options = []schemas.Option{{Key: "A", Text: "not the " + q.Options[2].Text}, {Key: "B", Text: q.Options[2].Text}}
	all := []schemas.Question{q, again, other}
	obs := observations(all)
	i := slices.IndexFunc(obs, func(o observation) bool { return o.q.QuestionID == q.QuestionID })
	c := indexNeighbours(all, nil).clusters[q.QuestionID]
	if got := c.countNaming(obs[i]); !slices.Equal(got, []float64{0, 0, 1, 0}) {
		t.Errorf("named %v", got)
	}
}

// TestThingsAreNamedInWholeWords and within longer ones, but a question is about the
// longest.
func TestThingsAreNamedInWholeWords(t *testing.T) {
	option := func(id, question, text string) schemas.Question {
		return schemas.Question{QuestionID: id, TaskID: "t", Question: question, AnswerKey: "A", Labels: map[string]string{schemas.LabelFact: id},
			Options: []schemas.Option{{Key: "A", Text: text}, {Key: "B", Text: "none of them"}}}
	}
	all := []schemas.Question{
		option("1", "Where is the red kettle?", "left"), option("2", "What?", "red kettle"), option("3", "Which?", "red"), option("4", "Who?", "kettles"),
	}
	c := indexNeighbours(all, nil).clusters["1"]
	var names []string
	for _, n := range c.mentionsIn("The red kettle, red as ever, and kettles") {
		names = append(names, n.text)
	}
	if want := []string{"red kettle", "red", "red", "kettles"}; !slices.Equal(names, want) {
		t.Errorf("names %q, want %q", names, want)
	}
	if got := c.factsAbout(observations(all)[0]); !slices.Equal(got, []int{1}) {
		t.Errorf("about %v, want the fact that offers a red kettle", got)
	}
}
