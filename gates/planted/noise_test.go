package planted_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/agreement"
	"github.com/memforge/memforge/gates/planted"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/schemas"
)

// noisy is a panel of two unequal models and a judge.
var noisy = brain{
	"alpha": {nothing: 0.01, text: 0.02, picture: 0.04, guess: 0.2},
	"beta":  {nothing: 0.03, text: 0.05, picture: 0.10, guess: 0.5},
	"gamma": {judge: 0.08},
}

// right is the chance that a noisy model makes a call right of which the
// competent panel's answer is known.
func (b brain) right(p schemas.Probe, q *schemas.Question) float64 {
	s := b[p.Model]
	if p.Answer == "yes" || p.Answer == "no" {
		return map[string]float64{"yes": 1 - s.judge, "no": s.judge}[p.Answer]
	}
	if p.Answer == planted.Unknown {
		return s.guess / float64(len(q.Options))
	}
	slip := s.chance(shownUnder(p.View, q))
	if p.Mark == schemas.MarkRight {
		return 1 - slip
	}
	return slip / float64(len(q.Options)-1)
}

// shownUnder says what a view shows, as far as slips depend on it.
func shownUnder(name string, q *schemas.Question) (s planted.Shown) {
	sight, err := view.See(q, name, view.Terms{Frames: 8, Most: 32})
	if err != nil {
		panic(err)
	}
	s.Passages = make([]planted.Passage, len(sight.Passages))
	s.Pictures = make([][]byte, sight.Pictures())
	return s
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

// once lets one model answer one placement under every view: a competent panel
// answers the same in all.
func once(gate string) func(map[string]any) {
	models, _ := protocolOf(gate)
	return func(c map[string]any) {
		configured(gate, true)(c)
		c["rotations"], c["runs"] = 1, 1
		c["roles"] = []string{map[string]string{"alpha": "panel_a", "gamma": "judge"}[models[0]]}
	}
}

// chances are, for each view of an item and each model, the chances of its
// calls to be right, from what a competent model answers.
func (b brain) chances(gate string, able []schemas.Probe, q *schemas.Question) map[string][][]float64 {
	models, calls := protocolOf(gate)
	out := map[string][][]float64{}
	for _, p := range able {
		for _, p.Model = range models {
			out[p.View] = append(out[p.View], slices.Repeat([]float64{b.right(p, q)}, calls))
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

// TestNoisyPanel puts the set before models that err: each gate flags about as
// many of the planted items, and of the others, as the slips imply.
func TestNoisyPanel(t *testing.T) {
	b := newBench(t, false)
	var lines []string
	for _, gate := range chain {
		if !slices.ContainsFunc(b.items, func(it planted.Item) bool { return slices.Contains(violates(it), gate) }) {
			continue
		}
		brain{}.sit(t, b.house)
		able := b.house.judge(t, gate, once(gate))
		noisy.sit(t, b.house)
		got := b.house.judge(t, gate, configured(gate, false)).flags()
		want := shouldFlag(b.items, gate)
		var planted, others expectation
		for i, it := range b.items {
			p := 0.0
			switch {
			case len(able.probes[i]) > 0:
				p = flagged(gate, noisy.chances(gate, able.probes[i], &it.Question))
			case able.verdicts[i].Outcome == schemas.Fail:
				p = 1 // by its form: nothing is asked
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
