package planted_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline/agreement"
	"github.com/memforge/memforge/pipeline/pipelinetest/planted"
	"github.com/memforge/memforge/schemas"
)

// noisy is a panel of two unequal models and a judge.
var noisy = brain{
	"alpha": {nothing: 0.01, text: 0.02, picture: 0.04, guess: 0.2},
	"beta":  {nothing: 0.03, text: 0.05, picture: 0.10, guess: 0.5},
	"gamma": {judge: 0.08},
}

// right is the chance that a model makes a call right: to name the letter of the
// answer, or to say yes.
func (b brain) right(t *testing.T, model, letter string, shown planted.Shown) float64 {
	t.Helper()
	s := b[model]
	if shown.Proposed != "" {
		yes, err := planted.Supported(shown)
		if err != nil {
			t.Fatal(err)
		}
		return map[bool]float64{true: 1 - s.judge, false: s.judge}[yes]
	}
	found, err := planted.Solve(shown)
	if err != nil {
		t.Fatal(err)
	}
	switch found {
	case planted.Unknown:
		return s.guess / float64(len(shown.Options))
	case letter:
		return 1 - s.chance(shown)
	}
	return s.chance(shown) / float64(len(shown.Options)-1)
}

// protocolOf is whom a gate asks and how often, as the papers have it.
func protocolOf(gate string) (models []string, calls int) {
	switch gate {
	case "correctness", "source-necessity", "evidence-necessity":
		return []string{"gamma"}, 3
	case "modality-necessity", "answerable-alone":
		return []string{"alpha"}, 4
	}
	return []string{"alpha", "beta"}, 4
}

// shown is what a view shows, as a solver is sent it.
func (b bench) shown(t *testing.T, name string, q *schemas.Question, propose bool) planted.Shown {
	t.Helper()
	sight, err := view.See(q, name, view.Terms{Propose: propose, Frames: 8, Most: 32})
	if err != nil {
		t.Fatal(err)
	}
	s := planted.Shown{Question: sight.Question, Proposed: sight.Proposed}
	for _, o := range sight.Options {
		s.Options = append(s.Options, planted.Choice(o))
	}
	for _, p := range sight.Passages {
		out := planted.Passage{Text: p.Text, Caption: p.Caption}
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
	models, calls := protocolOf(gate)
	out := map[string][][]float64{}
	for _, name := range views {
		shown := b.shown(t, name, q, models[0] == "gamma")
		for _, m := range models {
			out[name] = append(out[name], slices.Repeat([]float64{panel.right(t, m, q.AnswerKey, shown)}, calls))
		}
	}
	return out
}

// flagged is the chance that a gate flags an item, from the rule as the papers
// have it and the chances of its calls, which are independent.
func flagged(gate string, views map[string][][]float64) float64 {
	none := 1.0 // of the views has what the rule looks for
	for name, models := range views {
		if name == view.LatestOnly {
			continue // asked for the record, no part of the rule
		}
		one := 1.0
		for _, calls := range models {
			switch {
			case gate == "oracle":
				one *= 1 - atLeast(2, calls)
			case gate == "correctness", gate == "source-necessity", gate == "evidence-necessity":
				one *= atLeast(2, calls)
			default:
				one *= atLeast(len(calls), calls)
			}
		}
		none *= 1 - one
	}
	if gate == "correctness" || gate == "taxonomy-y1" {
		return none
	}
	return 1 - none
}

// atLeast is the chance of k successes or more among independent tries.
func atLeast(k int, tries []float64) float64 {
	dist := []float64{1}
	for _, p := range tries {
		next := make([]float64, len(dist)+1)
		for n, c := range dist {
			next[n] += c * (1 - p)
			next[n+1] += c * p
		}
		dist = next
	}
	sum := 0.0
	for n := k; n < len(dist); n++ {
		sum += dist[n]
	}
	return sum
}

// expectation is how many items of a kind should be flagged.
type expectation struct {
	mean, variance float64
	seen, of       int
}

func (e *expectation) add(p float64, seen bool) {
	e.mean += p
	e.variance += p * (1 - p)
	e.of++
	if seen {
		e.seen++
	}
}

// holds allows four standard deviations, and one item for what is rare.
func (e expectation) holds() bool {
	return math.Abs(float64(e.seen)-e.mean) <= 4*math.Sqrt(e.variance)+1
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
		var planted, others expectation
		for i, it := range b.items {
			p := score(got[i]) // by its form: nothing is asked
			if views := viewer.Views(itemOf(&it.Question)); len(views) > 0 {
				p = flagged(gate, b.chances(t, noisy, gate, views, &it.Question))
			} else if judged.verdicts[i].CallsFull != 0 {
				t.Errorf("%s has no view of %s and asks %d times", gate, it.Question.QuestionID, judged.verdicts[i].CallsFull)
			}
			if want[i] {
				planted.add(p, got[i])
			} else {
				others.add(p, got[i])
			}
		}
		if !planted.holds() || !others.holds() {
			t.Errorf("%s: of planted items %+v, of others %+v", gate, planted, others)
		}
		lines = append(lines, row(t, gate, want, got, planted, others))
	}
	t.Log("gate, recall, precision, what the slips imply\n" + strings.Join(lines, "\n"))
}

// row is a line of the table: recall and precision with intervals.
func row(t *testing.T, gate string, want, got []bool, planted, others expectation) string {
	t.Helper()
	var recall, precision []agreement.Sample
	for i := range want {
		if want[i] {
			recall = append(recall, agreement.Sample{Score: score(got[i])})
		}
		if got[i] {
			precision = append(precision, agreement.Sample{Score: score(want[i])})
		}
	}
	return fmt.Sprintf("%-20s | %s | %s | %.2f, %.2f", gate, interval(t, recall), interval(t, precision),
		planted.mean/float64(planted.of), planted.mean/(planted.mean+others.mean))
}

func interval(t *testing.T, samples []agreement.Sample) string {
	t.Helper()
	m, err := agreement.Mean(samples, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%.2f [%.2f, %.2f] of %d", m.Value, m.Low, m.High, len(samples))
}

func score(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
