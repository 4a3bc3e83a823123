package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// A Majority is what follows from the decisions about one item.
type Majority struct {
	// Decision is that of more than half of the annotators; empty while it is open.
	Decision string
	// Label is the key and value of a relabel, Notes what those wrote who decided so.
	Label [2]string
	Notes []string
	// For of Of annotators decided so.
	For, Of int
}

// FindMajority follows the decision, and for a relabel the label, that more than half of
// the annotators gave, if as many as asked for decided at all.
func FindMajority(decisions []schemas.Review, annotators int) Majority {
	out := Majority{Of: len(decisions)}
	if len(decisions) < annotators {
		return out
	}
	counts := map[string]int{}
	for _, r := range decisions {
		counts[Verdict(r)]++
	}
	for v, n := range counts {
		if 2*n <= len(decisions) {
			continue
		}
		decision, label, _ := strings.Cut(v, " ")
		key, value, _ := strings.Cut(label, "=")
		out.Decision, out.For, out.Label = decision, n, [2]string{key, value}
		for _, r := range decisions {
			if Verdict(r) == v && r.Note != "" && !slices.Contains(out.Notes, r.Note) {
				out.Notes = append(out.Notes, r.Note)
			}
		}
	}
	return out
}

// Verdict is what annotators may agree on: a decision and, of a relabel, its label.
func Verdict(r schemas.Review) string {
	if r.Decision != schemas.DecisionRelabel {
		return r.Decision
	}
	return r.Decision + " " + r.Label
}

// Reason states a settlement.
func (s Majority) Reason() string {
	why := fmt.Sprintf("%d of %d annotators decided so", s.For, s.Of)
	if len(s.Notes) > 0 {
		why += ": " + strings.Join(s.Notes, "; ")
	}
	return why
}
