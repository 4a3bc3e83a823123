package defects

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline/kit/agreement"
)

// ErrorRates are the chances of one model to do wrong what it could do right.
type ErrorRates struct {
	// Nothing, Text and Picture are the chances to take another option, or to make
	// another call, than the one that follows, by what is shown.
	Nothing, Text, Picture float64
	// Guess is the chance to draw an option by lot where nothing follows.
	Guess float64
	// Judge is the chance to say no for yes and yes for no, with and without pictures
	// alike.
	Judge float64
}

// Chance to take another option.
func (s ErrorRates) Chance(shown Shown) float64 {
	switch {
	case len(shown.Pictures) > 0:
		return s.Picture
	case len(shown.Passages) > 0:
		return s.Text
	}
	return s.Nothing
}

// NoisyPanel is a panel of two unequal models and a judge.
func NoisyPanel() map[string]ErrorRates {
	return map[string]ErrorRates{
		"alpha": {Nothing: 0.01, Text: 0.02, Picture: 0.04, Guess: 0.2},
		"beta":  {Nothing: 0.03, Text: 0.05, Picture: 0.10, Guess: 0.5},
		"gamma": {Judge: 0.08},
	}
}

// Protocol is whom a gate asks and how often, as the papers have it.
func Protocol(gate string) (models []string, calls int) {
	switch gate {
	case "correctness", "source-necessity", "evidence-necessity":
		return []string{"gamma"}, 3
	case "modality-necessity", "answerable-alone":
		return []string{"alpha"}, 4
	case "oracle-call", "option-only-call": // there are no options to move
		return []string{"alpha", "beta"}, 1
	}
	return []string{"alpha", "beta"}, 4
}

// FlagChance is the chance that a gate flags an item, from the rule as the papers have it
// and, for each view and model, the chances of its calls to be right, which are
// independent.
func FlagChance(gate string, views map[string][][]float64) float64 {
	none := 1.0 // of the views has what the rule looks for
	for name, models := range views {
		if name == view.LatestOnly {
			continue // asked for the record, no part of the rule
		}
		one := 1.0
		for _, calls := range models {
			switch gate {
			case "oracle", "oracle-call": // right on more than a quarter
				one *= 1 - atLeast(len(calls)/4+1, calls)
			case "correctness", "source-necessity", "evidence-necessity":
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

// Expectation is how many items of a kind a gate should flag, and does.
type Expectation struct {
	mean, variance float64
	seen, of       int
}

// Add counts an item that is flagged with a chance of p.
func (e *Expectation) Add(p float64, seen bool) {
	e.mean += p
	e.variance += p * (1 - p)
	e.of++
	e.seen += int(indicator(seen))
}

// Holds allows four standard deviations, and one item for what is rare.
func (e Expectation) Holds() bool {
	return math.Abs(float64(e.seen)-e.mean) <= 4*math.Sqrt(e.variance)+1
}

// Outcome is an item before a gate: whether it should be flagged, whether it is, with
// which chance it is, and which others state the same fact.
type Outcome struct {
	Want, Got bool
	Chance    float64
	Fact      string
}

// MeasureGate is a line of a table: recall and precision of a gate with intervals over
// distinct facts, and what the slips of a panel imply. It holds where as many of the
// planted items, and of the others, are flagged as these imply.
func MeasureGate(gate string, items []Outcome) (line string, holds bool, err error) {
	var planted, others Expectation
	var recall, precision []agreement.Score
	for _, o := range items {
		if o.Want {
			planted.Add(o.Chance, o.Got)
			recall = append(recall, agreement.Score{Cluster: o.Fact, Value: indicator(o.Got)})
		} else {
			others.Add(o.Chance, o.Got)
		}
		if o.Got {
			precision = append(precision, agreement.Score{Cluster: o.Fact, Value: indicator(o.Want)})
		}
	}
	found, err := interval(recall)
	if err != nil {
		return "", false, err
	}
	sure, err := interval(precision)
	line = fmt.Sprintf("| `%s` | %s | %s | %.2f, %.2f |", gate, found, sure, planted.mean/float64(planted.of), planted.mean/(planted.mean+others.mean))
	return line, planted.Holds() && others.Holds(), err
}

func interval(samples []agreement.Score) (string, error) {
	m, err := agreement.MeanInterval(samples, rand.New(rand.NewPCG(1, 2)))
	return fmt.Sprintf("%.2f [%.2f, %.2f] of %d", m.Value, m.Low, m.High, len(samples)), err
}

func indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
