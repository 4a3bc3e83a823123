package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// checkJudged counts again what each gate did in each round. Which source an
// item is of is in no table, so the rows of sources are held against the row
// of all: together they have no more.
func checkJudged(c release.Contents) Part {
	f := newFunnel(c)
	nodes := map[string]release.FunnelRow{}
	for _, row := range c.Manifest.Funnel {
		nodes[row.Node] = row
	}
	stated := map[string]release.JudgedRow{}
	parts := map[string]map[string]int64{}
	for _, row := range c.Manifest.Judged {
		if row.Source == "" {
			stated[nodeOf(row)] = row
			continue
		}
		if parts[nodeOf(row)] == nil {
			parts[nodeOf(row)] = map[string]int64{}
		}
		for what, n := range figuresOf(row) {
			parts[nodeOf(row)][what] += n
		}
	}
	for _, g := range c.Manifest.Gates {
		row, ok := stated[g.Name]
		if !ok {
			f.add("%s: what it did is not counted", g.Name)
			continue
		}
		states := figuresOf(row)
		for what, n := range parts[g.Name] {
			if n > states[what] {
				f.add("%s: %s: %d of all sources together, %d of all items", g.Name, what, n, states[what])
			}
		}
		if follows, all := f.didOf(g); all {
			f.figures(g.Name, states, follows)
		}
	}
	slices.Sort(f.findings)
	return part("what the gates did, in the manifest", f.findings)
}

func (f *funnel) figures(gate string, states, follows map[string]int64) {
	both := maps.Clone(states)
	maps.Copy(both, follows)
	for what := range both {
		f.equal(gate+": "+what, states[what], follows[what])
	}
}

// nodeOf is the node whose work a row counts.
func nodeOf(row release.JudgedRow) string {
	if row.Round == 0 {
		return row.Gate
	}
	return pipeline.RoundName(row.Gate, row.Round)
}

// figuresOf names the counts of a row.
func figuresOf(row release.JudgedRow) map[string]int64 {
	out := map[string]int64{
		"in": row.In, "passed": row.Passed, "insufficient": row.Insufficient, "errors": row.Errors, "flagged": row.Flagged,
		"revised": row.Revised, "relabelled": row.Relabelled, "kept": row.Kept, "dropped": row.Dropped,
	}
	for _, r := range row.Reasons {
		out["flagged as "+r.Code] += r.Count
	}
	return out
}

// didOf counts the verdicts of a gate; all is false where some are on media or
// tasks, of which a release leaves out those that nothing needs.
func (f *funnel) didOf(g release.GateInfo) (out map[string]int64, all bool) {
	out = map[string]int64{}
	for _, v := range f.verdicts[g.Name] {
		if !f.questions[v.Item] {
			return nil, false
		}
		out["in"]++
		switch v.Outcome {
		case schemas.Pass:
			out["passed"]++
		case schemas.Insufficient:
			out["insufficient"]++
		case schemas.Error:
			out["errors"]++
		default:
			code, gone := f.lost[[2]string{g.Name, v.Item}]
			if !gone {
				code = codeOf(v.Reason)
			}
			out["flagged"]++
			out["flagged as "+code]++
			out[becomes(g.OnFail, gone)]++
		}
	}
	return out, true
}

// becomes names what became of a flagged item.
func becomes(onFail string, gone bool) string {
	switch {
	case gone && onFail == pipeline.OnFailRevise:
		return "revised"
	case gone:
		return "dropped"
	case onFail == pipeline.OnFailRelabel:
		return "relabelled"
	}
	return "kept"
}

// codeOf is the stable word that gates put before a reason.
func codeOf(reason string) string {
	code, _, ok := strings.Cut(reason, ": ")
	if !ok || code == "" || strings.ContainsAny(code, " \n") {
		return "other"
	}
	return code
}

// checkAsked holds the models that the manifest names for each gate in two
// places against each other.
func checkAsked(c release.Contents) Part {
	var f findings
	asked := map[string]map[string]string{}
	for _, n := range c.Manifest.Models {
		models := map[string]string{}
		for _, m := range n.Models {
			models[m.Role] = m.Model
		}
		asked[n.Node] = models
	}
	for _, g := range c.Manifest.Gates {
		if !maps.Equal(g.Models, asked[g.Name]) {
			f.add("%s: asked are %s, and %s", g.Name, fmt.Sprint(g.Models), fmt.Sprint(asked[g.Name]))
		}
	}
	return part("models in the manifest", f)
}
