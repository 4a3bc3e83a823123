package release

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// JudgedRow says what a gate did in one round: with all items, or with those of
// one source (SMMBench, table 4).
type JudgedRow struct {
	// Gate as pipeline.yaml calls it. Round is 0 for items as they came and
	// counts how often those of the row were rewritten.
	Gate  string `json:"gate"`
	Round int    `json:"round"`
	Use   string `json:"use"`
	// Source is empty for all items. Items whose source is not known are only
	// there: those made of several.
	Source string `json:"source,omitempty"`
	// In is the items judged: Passed, Insufficient, Errors and Flagged together.
	// Flagged is Revised, Relabelled, Kept and Dropped together.
	In           int64 `json:"in"`
	Passed       int64 `json:"passed"`
	Insufficient int64 `json:"insufficient"`
	Errors       int64 `json:"errors"`
	Flagged      int64 `json:"flagged"`
	Revised      int64 `json:"revised"`
	Relabelled   int64 `json:"relabelled"`
	Kept         int64 `json:"kept"`
	Dropped      int64 `json:"dropped"`
	// Reasons are the codes of the flagged.
	Reasons []ReasonCount `json:"reasons,omitempty"`
}

// MainReason is the most frequent code with its count, or empty.
func (g JudgedRow) MainReason() string { return mainOf(g.Reasons) }

// Label names the row's gate with its round.
func (g JudgedRow) Label() string {
	if g.Round == 0 {
		return g.Gate
	}
	return fmt.Sprintf("%s, round %d", g.Gate, g.Round)
}

// mainOf is the most frequent code, the first in the alphabet among equals.
func mainOf(reasons []ReasonCount) string {
	if len(reasons) == 0 {
		return ""
	}
	r := slices.MaxFunc(reasons, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(a.Count, b.Count), cmp.Compare(b.Code, a.Code))
	})
	return fmt.Sprintf("%s (%d)", r.Code, r.Count)
}

// cardGates tells what the gates did, by source where sources are known.
func cardGates(b *strings.Builder, rows []JudgedRow) {
	if len(rows) == 0 {
		return
	}
	b.WriteString("## What the gates did\n\n| gate | source | in | passed | flagged | main reason | revised | relabelled | kept | dropped | insufficient | error |\n" +
		"| --- | --- | ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, g := range rows {
		fmt.Fprintf(b, "| %s | %s | %d | %d | %d | %s | %d | %d | %d | %d | %d | %d |\n", markdown(g.Label()), markdown(cmp.Or(g.Source, "all")),
			g.In, g.Passed, g.Flagged, markdown(g.MainReason()), g.Revised, g.Relabelled, g.Kept, g.Dropped, g.Insufficient, g.Errors)
	}
	b.WriteString("\n")
}
