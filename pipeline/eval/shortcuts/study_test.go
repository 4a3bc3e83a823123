package shortcuts

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// clean makes questions whose options and gold are drawn at random.
func clean(n int, rnd *rand.Rand) []schemas.Question {
	things := strings.Fields("kettle ladder lantern violin saucer hammer basket mirror pillow bucket anchor candle")
	colours := strings.Fields("red blue green amber white black")
	qs := make([]schemas.Question, n)
	for i := range qs {
		q := schemas.Question{
			QuestionID: fmt.Sprintf("q%04d", i), TaskID: fmt.Sprintf("t%04d", i), Split: "test",
			Question: fmt.Sprintf("In the video titled %d, what is picked up after the %s?", rnd.IntN(1e9), things[rnd.IntN(12)]),
			Media:    []string{fmt.Sprint("m", i)},
		}
		perm := rnd.Perm(len(things))
		for o := range 4 {
			q.Options = append(q.Options, schemas.Option{Key: string(rune('A' + o)), Text: colours[rnd.IntN(6)] + " " + things[perm[o]]})
		}
		setGold(&q, rnd.IntN(4))
		qs[i] = q
	}
	return qs
}

func setGold(q *schemas.Question, gold int) {
	q.AnswerKey, q.AnswerText = q.Options[gold].Key, q.Options[gold].Text
}

func study(t *testing.T, qs []schemas.Question) *Study {
	t.Helper()
	all, err := Studies(Subject{Questions: qs, Chance: func(string) *rand.Rand { return rand.New(rand.NewPCG(7, 7)) }})
	if err != nil || len(all) != 1 || all[0].TooFew != nil {
		t.Fatalf("%+v, %v", all, err)
	}
	return all[0]
}

func figure(t *testing.T, s *Study, name string) Figure {
	t.Helper()
	i := slices.IndexFunc(s.Figures, func(f Figure) bool { return f.Name == name })
	if i < 0 {
		t.Fatalf("no figure %q", name)
	}
	return s.Figures[i]
}

func figures(all ...*Study) (out []Figure) {
	for _, s := range all {
		out = append(append(append(out, s.Figures...), s.Company...), s.Baselines...)
	}
	return out
}

func TestCleanQuestionsAreAtChance(t *testing.T) {
	qs := clean(1000, rand.New(rand.NewPCG(1, 1)))
	s := study(t, qs)
	for _, f := range s.Figures {
		if f.BeyondChance(0.05) || f.Facts > 500 && math.Abs(f.Accuracy.Value-0.25) > 0.06 || f.Accuracy.Low > f.Accuracy.Value || f.Accuracy.High < f.Accuracy.Value || f.Chance != 0.25 {
			t.Errorf("%s: %.3f [%.3f, %.3f], chance %.2f", f.Name, f.Accuracy.Value, f.Accuracy.Low, f.Accuracy.High, f.Chance)
		}
	}
	if s.Position < 0.01 || s.RStd > 0.03 {
		t.Errorf("positions p = %.4f, rstd %.3f", s.Position, s.RStd)
	}
}

// Each case spoils half of the questions in one way; the named figure and the
// choice model must notice.
func TestPlantedShortcutsAreFound(t *testing.T) {
	for name, tc := range map[string]struct {
		figure string
		spoil  func(q *schemas.Question)
	}{
		"gold is longest":       {"longest option", func(q *schemas.Question) { suffix(q, " with a broken handle") }},
		"gold is commonest":     {"commonest option", func(q *schemas.Question) { q.Options[gold(q)].Text = "grey kettle"; q.AnswerText = "grey kettle" }},
		"question names gold":   {"latest mentioned in the question", func(q *schemas.Question) { q.Question += " Think of the " + q.AnswerText + " again." }},
		"gold shares its words": {"most words of the question", func(q *schemas.Question) { q.Question += " " + q.AnswerText }},
	} {
		t.Run(name, func(t *testing.T) {
			qs := clean(600, rand.New(rand.NewPCG(2, 2)))
			for i := range qs {
				if i%2 == 0 {
					tc.spoil(&qs[i])
				}
			}
			s := study(t, qs)
			for _, f := range []Figure{figure(t, s, tc.figure), figure(t, s, "choice model on question+options")} {
				if !f.BeyondChance(0.001) || f.Accuracy.Value < 0.5 {
					t.Errorf("%s: %.3f [%.3f, %.3f]", f.Name, f.Accuracy.Value, f.Accuracy.Low, f.Accuracy.High)
				}
			}
			var spoilt, sound float64
			for i, q := range qs {
				if i%2 == 0 {
					spoilt += s.GoldChance[q.Fact()]
				} else {
					sound += s.GoldChance[q.Fact()]
				}
			}
			if spoilt < 1.5*sound {
				t.Errorf("blind scores: %.1f over spoilt, %.1f over sound questions", spoilt, sound)
			}
		})
	}
}

func gold(q *schemas.Question) int { return goldIndex(*q) }

func suffix(q *schemas.Question, s string) {
	q.Options[gold(q)].Text += s
	q.AnswerText += s
}

func TestPositionBias(t *testing.T) {
	qs := clean(400, rand.New(rand.NewPCG(3, 3)))
	for i := range qs {
		if i%3 == 0 {
			setGold(&qs[i], 2)
		}
	}
	s := study(t, qs)
	if s.Position > 1e-6 || s.RStd < 0.1 {
		t.Errorf("p = %g, rstd %.3f", s.Position, s.RStd)
	}
}

// Four counts 30, 20, 25, 25 have chi-square 50/25 = 2.0 with 3 degrees of
// freedom, whose upper tail is 0.5724.
func TestPositionsByHand(t *testing.T) {
	var qs []schemas.Question
	for position, n := range []int{30, 20, 25, 25} {
		for range n {
			q := clean(1, rand.New(rand.NewPCG(4, uint64(len(qs)))))[0]
			q.TaskID, q.QuestionID = fmt.Sprint(len(qs)), fmt.Sprint(len(qs))
			setGold(&q, position)
			qs = append(qs, q)
		}
	}
	rstd, p := newStudy("", qs, indexNeighbours(qs, nil), nil).positionSpread()
	if math.Abs(p-0.5724) > 1e-4 || math.Abs(rstd-math.Sqrt(0.005/4)) > 1e-9 {
		t.Errorf("p = %.4f, rstd %.4f", p, rstd)
	}
}

func TestStudyIsAFunctionOfTheSet(t *testing.T) {
	qs := clean(200, rand.New(rand.NewPCG(6, 6)))
	want := study(t, qs)
	slices.Reverse(qs)
	if got := study(t, qs); !reflect.DeepEqual(figures(got), figures(want)) || !reflect.DeepEqual(got.GoldChance, want.GoldChance) {
		t.Error("another order of the questions gave another study")
	}
}

func TestTooFewFacts(t *testing.T) {
	for name, tc := range map[string]struct {
		edit func(q *schemas.Question, i int)
		few  bool
	}{
		"20 facts": {func(*schemas.Question, int) {}, false},
		"19 facts and a copy": {func(q *schemas.Question, i int) {
			q.Labels = map[string]string{schemas.LabelFact: fmt.Sprint(max(1, i))}
		}, true},
		"all of one task":            {func(q *schemas.Question, _ int) { q.TaskID = "t" }, true},
		"one without options":        {func(q *schemas.Question, i int) { q.Options = q.Options[:min(4, 4*i)] }, true},
		"one of which none is right": {func(q *schemas.Question, i int) { q.AnswerKey += strings.Repeat("?", max(0, 1-i)) }, true},
	} {
		qs := clean(20, rand.New(rand.NewPCG(8, 8)))
		for i := range qs {
			tc.edit(&qs[i], i)
		}
		got, err := Studies(Subject{Questions: qs, Chance: func(string) *rand.Rand { return rand.New(rand.NewPCG(1, 1)) }})
		if err != nil || errors.Is(got[0].TooFew, ErrTooFew) != tc.few || (len(got[0].Figures) == 0) != tc.few {
			t.Errorf("%s: %+v, %v", name, got[0], err)
		}
	}
}

// TestControlsAreStudiedApart: what gives the answers of controls away says nothing of the items
// of their type, nor do items dilute it.
func TestControlsAreStudiedApart(t *testing.T) {
	qs := clean(200, rand.New(rand.NewPCG(3, 4)))
	for i := range qs {
		qs[i].Type = "spatial"
		if i%2 == 0 {
			qs[i].Split = schemas.ControlSplit
			qs[i].Options[goldIndex(qs[i])].Text += " with a long handle"
		}
	}
	all, err := Studies(Subject{Questions: qs, Forms: Forms{"spatial": "place"}, Chance: func(string) *rand.Rand { return rand.New(rand.NewPCG(7, 7)) }})
	if err != nil || len(all) != 2 || all[0].Form != "place" || all[1].Form != "place (control)" || all[0].Facts != 100 || all[1].Facts != 100 {
		t.Fatalf("%+v, %v", all, err)
	}
	for i, s := range all {
		if f := figure(t, s, "longest option"); f.BeyondChance(0.01) != (i == 1) {
			t.Errorf("%s: %+v", s.Form, f.Accuracy)
		}
	}
}
