package describe

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// askedCost is what one check asked of language models about all its items. Recorded counts
// calls that an answer recorded for an earlier call served.
type askedCost struct {
	check                                string
	calls, recorded, tokensIn, tokensOut int64
}

// askedCosts adds up calls by check. What a step before asked of the same model under an equal
// view was asked once.
type askedCosts struct {
	live   map[[2]string]bool // language models by gate and role
	order  []string           // checks as the plan has them
	checks map[string]*askedCost
}

func (a *askedCosts) add(probes []schemas.Probe) {
	type request struct {
		view, model, response string
		sample                int32
		in, out               int64
	}
	seen := map[request]bool{}
	place := func(p schemas.Probe) int { return slices.Index(a.order, p.Gate) }
	for _, p := range slices.SortedStableFunc(slices.Values(probes), func(x, y schemas.Probe) int { return cmp.Compare(place(x), place(y)) }) {
		if !a.live[[2]string{p.Gate, p.Role}] {
			continue
		}
		check, _ := pipeline.SplitRound(p.Gate)
		if a.checks[check] == nil {
			a.checks[check] = &askedCost{check: check}
		}
		of, r := a.checks[check], request{p.ViewDigest, p.Model, p.Response, p.Sample, p.InputTokens, p.OutputTokens}
		if seen[r] {
			of.recorded++
			continue
		}
		seen[r] = true
		of.calls, of.tokensIn, of.tokensOut = of.calls+1, of.tokensIn+p.InputTokens, of.tokensOut+p.OutputTokens
	}
}

// rows returns the checks in the order of the plan, and what all of them took.
func (a *askedCosts) rows() (out []askedCost, all askedCost) {
	all.check = "all"
	for _, gate := range a.order {
		check, round := pipeline.SplitRound(gate)
		of := a.checks[check]
		if of == nil || round > 0 {
			continue
		}
		out = append(out, *of)
		all.calls, all.recorded, all.tokensIn, all.tokensOut = all.calls+of.calls, all.recorded+of.recorded, all.tokensIn+of.tokensIn, all.tokensOut+of.tokensOut
	}
	return out, all
}

// costGrid states what checks took of language models, for each question that is released.
func (k checkSummary) costGrid() grid {
	rows, all := k.asked.rows()
	if len(rows) == 0 || k.questions.all == 0 {
		return grid{}
	}
	each := func(n int64) string { return fmt.Sprintf("%.1f", float64(n)/float64(k.questions.all)) }
	return newGrid(append(rows, all),
		textColumn("check", func(c askedCost) string { return c.check }),
		countColumn("model calls", func(c askedCost) int64 { return c.calls }),
		countColumn("served by a recorded answer", func(c askedCost) int64 { return c.recorded }),
		countColumn("tokens in", func(c askedCost) int64 { return c.tokensIn }),
		countColumn("tokens out", func(c askedCost) int64 { return c.tokensOut }),
		numberColumn("calls per released question", func(c askedCost) string { return each(c.calls) }),
		numberColumn("tokens per released question", func(c askedCost) string { return each(c.tokensIn + c.tokensOut) }))
}
