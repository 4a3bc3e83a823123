package defects_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline/testkit/defects"
	"github.com/memforge/memforge/schemas"
)

// noisy is a panel of two unequal models and a judge.
var noisy = brain(defects.NoisyPanel())

// right is the chance that a model makes a call right: to name the letter of the
// answer, or to say yes.
func (b brain) right(t *testing.T, model, letter string, shown defects.Shown) float64 {
	t.Helper()
	s := b[model]
	if shown.Proposed != "" {
		yes, err := defects.Supported(shown)
		if err != nil {
			t.Fatal(err)
		}
		return map[bool]float64{true: 1 - s.Judge, false: s.Judge}[yes]
	}
	found, err := defects.Solve(shown)
	if err != nil {
		t.Fatal(err)
	}
	switch found {
	case defects.Unknown:
		return s.Guess / float64(len(shown.Options))
	case letter:
		return 1 - s.Chance(shown)
	}
	return s.Chance(shown) / float64(len(shown.Options)-1)
}

// shown is what a view shows, as a solver is sent it.
func (b bench) shown(t *testing.T, name string, q *schemas.Question, propose bool) defects.Shown {
	t.Helper()
	sight, err := view.Show(q, name, view.Settings{Propose: propose, Frames: 8, Most: 32})
	if err != nil {
		t.Fatal(err)
	}
	s := defects.Shown{Question: sight.Question, Proposed: sight.Proposed}
	for _, o := range sight.Options {
		s.Options = append(s.Options, defects.Choice(o))
	}
	for _, p := range sight.Passages {
		out := defects.Passage{Text: p.Text, Caption: p.Caption}
		if p.Picture != nil {
			s.Pictures = append(s.Pictures, b.pictures[p.Picture.Media])
			out.Pictures = []int{len(s.Pictures)}
		}
		s.Passages = append(s.Passages, out)
	}
	return s
}

// chances are, for each view and each model, the chances of its calls to be
// right. They are the same in every placement of the options and every sample.
func (b bench) chances(t *testing.T, panel brain, gate string, views []string, q *schemas.Question) map[string][][]float64 {
	t.Helper()
	models, calls := defects.Protocol(gate)
	out := map[string][][]float64{}
	for _, name := range views {
		shown := b.shown(t, name, q, models[0] == "gamma")
		for _, m := range models {
			out[name] = append(out[name], slices.Repeat([]float64{panel.right(t, m, q.AnswerKey, shown)}, calls))
		}
	}
	return out
}

// noisy asks models that err: each gate flags about as many of the planted
// items, and of the others, as the slips imply.
func (b bench) noisy(t *testing.T) {
	noisy.sit(t, b.house, "noisy.invalid")
	var lines []string
	for _, gate := range chain {
		want := shouldFlag(b.items, gate)
		if !slices.Contains(want, true) {
			continue
		}
		viewer := b.house.viewer(t, gate, configured(gate, false))
		judged := b.house.judge(t, gate, configured(gate, false))
		got := judged.flags()
		items := make([]defects.Outcome, len(b.items))
		for i, it := range b.items {
			p := chanceOf(got[i]) // by its form: nothing is asked
			if views := viewer.Views(itemOf(&it.Question)); len(views) > 0 {
				p = defects.FlagChance(gate, b.chances(t, noisy, gate, views, &it.Question))
			} else if judged.verdicts[i].CallsFull != 0 {
				t.Errorf("%s has no view of %s and asks %d times", gate, it.Question.QuestionID, judged.verdicts[i].CallsFull)
			}
			items[i] = defects.Outcome{Want: want[i], Got: got[i], Chance: p}
		}
		lines = append(lines, measured(t, gate, items))
	}
	t.Log("gate, recall, precision, what the slips imply\n" + strings.Join(lines, "\n"))
	page, err := os.ReadFile("../../../docs/gates.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if !strings.Contains(string(page), line+"\n") {
			t.Errorf("docs/gates.md does not state %s", line)
		}
	}
}

// chanceOf is the chance of what is settled.
func chanceOf(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// measured is a line of the table; it wants what is flagged to be as the slips imply.
func measured(t *testing.T, gate string, items []defects.Outcome) string {
	t.Helper()
	line, holds, err := defects.MeasureGate(gate, items)
	if err != nil {
		t.Fatal(err)
	}
	if !holds {
		t.Errorf("%s flags not as many as the slips imply: %s", gate, line)
	}
	return line
}
