package release

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// GateCounts says what a gate did in one round: with all items, or with those of
// one source (SMMBench, table 4).
type GateCounts struct {
	// Gate as pipeline.yaml calls it. Round is 0 for items as they came and
	// counts how often those of the row were rewritten.
	Gate  string `json:"gate"`
	Round int    `json:"round"`
	Use   string `json:"use"`
	// Source is empty for all items. Items whose source is not known are only
	// there: those made of several.
	Source string `json:"source,omitempty"`
	// In is the items with a verdict: Passed, NotApplicable, Insufficient, Errors
	// and Flagged together. Flagged, those that failed, is Revised, Relabelled, Kept
	// and Dropped together.
	In            int64 `json:"in"`
	Passed        int64 `json:"passed"`
	NotApplicable int64 `json:"not_applicable"`
	Insufficient  int64 `json:"insufficient"`
	Errors        int64 `json:"errors"`
	Flagged       int64 `json:"flagged"`
	Revised       int64 `json:"revised"`
	Relabelled    int64 `json:"relabelled"`
	Kept          int64 `json:"kept"`
	Dropped       int64 `json:"dropped"`
	// Reasons are the codes of those that failed, the others those of the items
	// without a judgement.
	Reasons              []ReasonCount `json:"reasons,omitempty"`
	NotApplicableReasons []ReasonCount `json:"not_applicable_reasons,omitempty"`
	InsufficientReasons  []ReasonCount `json:"insufficient_reasons,omitempty"`
}

// MainReason is the most frequent code with its count, or empty.
func (g GateCounts) MainReason() string { return mainReason(g.Reasons) }

// Step names the gate of the plan whose work the row counts.
func (g GateCounts) Step() string {
	if g.Round == 0 {
		return g.Gate
	}
	return pipeline.RoundName(g.Gate, g.Round)
}

// Label names the row's gate with its round.
func (g GateCounts) Label() string {
	if g.Round == 0 {
		return g.Gate
	}
	return fmt.Sprintf("%s, round %d", g.Gate, g.Round)
}

// mainReason is the most frequent code with its count, or empty.
func mainReason(reasons []ReasonCount) string {
	if len(reasons) == 0 {
		return ""
	}
	r := mostFrequent(reasons)
	return fmt.Sprintf("%s (%d)", r.Code, r.Count)
}

// mostFrequent is the most frequent code, the first in the alphabet among equals.
func mostFrequent(reasons []ReasonCount) ReasonCount {
	if len(reasons) == 0 {
		return ReasonCount{}
	}
	return slices.MaxFunc(reasons, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(a.Count, b.Count), cmp.Compare(b.Code, a.Code))
	})
}
