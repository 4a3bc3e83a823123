package audit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// checkJudged counts again what each gate did in each round. Which source an
// item is of is in no table, so the rows of sources are held against the row
// of all: together they have no more.
func checkJudged(items *Items, c release.Contents) Part {
	f := newRecordCounts(items, c)
	nodes := map[string]release.RecordCounts{}
	for _, row := range c.Manifest.RecordCounts {
		nodes[row.Step] = row
	}
	stated := map[string]release.GateCounts{}
	parts := map[string]map[string]int64{}
	for _, row := range c.Manifest.GateCounts {
		f.checkSums(row)
		if row.Source == "" {
			f.checkPassage(row, nodes[row.Step()])
			stated[row.Step()] = row
			continue
		}
		addTo(parts, row)
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
		if follows, all := f.countVerdicts(g); all {
			f.figures(g.Name, states, follows)
		}
	}
	slices.Sort(f.findings)
	return part("what the gates did, in the manifest", f.findings)
}

// addTo adds the figures of a row to those of its node.
func addTo(parts map[string]map[string]int64, row release.GateCounts) {
	if parts[row.Step()] == nil {
		parts[row.Step()] = map[string]int64{}
	}
	for what, n := range figuresOf(row) {
		parts[row.Step()][what] += n
	}
}

// checkSums holds the counts of a row against each other.
func (f *recordCounts) checkSums(r release.GateCounts) {
	name := r.Step() + ": "
	if r.Source != "" {
		name = r.Step() + ", " + r.Source + ": "
	}
	f.equal(name+"in", r.In, r.Passed+r.NotApplicable+r.Insufficient+r.Errors+r.Flagged)
	f.equal(name+"flagged", r.Flagged, r.Revised+r.Relabelled+r.Kept+r.Dropped)
	f.equal(name+"flagged by reasons", r.Flagged, total(r.Reasons))
	f.equal(name+"not applicable by reasons", r.NotApplicable, total(r.NotApplicableReasons))
	f.equal(name+"insufficient by reasons", r.Insufficient, total(r.InsufficientReasons))
}

func total(reasons []release.ReasonCount) (n int64) {
	for _, r := range reasons {
		n += r.Count
	}
	return n
}

// checkPassage holds what a gate did with all items against what the funnel says went
// through it. An item that is lost without a verdict is judged by the next build.
func (f *recordCounts) checkPassage(r release.GateCounts, n release.RecordCounts) {
	f.equal(r.Step()+": in", r.In, n.In-(n.Lost-r.Errors))
	f.equal(r.Step()+": dropped and revised", r.Dropped+r.Revised, n.Flagged)
	f.equal(r.Step()+": revised", r.Revised, n.Revised)
	f.equal(r.Step()+": out, in the funnel", n.Out, n.In-n.Lost-n.Flagged)
}

func (f *recordCounts) figures(gate string, states, follows map[string]int64) {
	both := maps.Clone(states)
	maps.Copy(both, follows)
	for what := range both {
		f.equal(gate+": "+what, states[what], follows[what])
	}
}

// figuresOf names the counts of a row.
func figuresOf(row release.GateCounts) map[string]int64 {
	out := map[string]int64{
		"in": row.In, "passed": row.Passed, "not applicable": row.NotApplicable, "insufficient": row.Insufficient, "errors": row.Errors, "flagged": row.Flagged,
		"revised": row.Revised, "relabelled": row.Relabelled, "kept": row.Kept, "dropped": row.Dropped,
	}
	for what, reasons := range map[string][]release.ReasonCount{
		"flagged": row.Reasons, "not applicable": row.NotApplicableReasons, "insufficient": row.InsufficientReasons,
	} {
		for _, r := range reasons {
			out[what+" as "+r.Code] += r.Count
		}
	}
	return out
}

// countVerdicts counts the verdicts of a gate; all is false where some are on media or
// tasks, of which a release leaves out those that nothing needs.
func (f *recordCounts) countVerdicts(g release.GateInfo) (out map[string]int64, all bool) {
	out = map[string]int64{}
	for _, v := range f.verdicts[g.Name] {
		if !f.whole[v.Item] {
			return nil, false
		}
		out["in"]++
		switch v.Outcome {
		case schemas.Pass:
			out["passed"]++
		case schemas.NotApplicable:
			out["not applicable"]++
			out["not applicable as "+pipeline.ReasonCode(v.Reason)]++
		case schemas.Insufficient:
			out["insufficient"]++
			out["insufficient as "+pipeline.ReasonCode(v.Reason)]++
		case schemas.Error:
			out["errors"]++
		default:
			code, gone := f.lost[[2]string{g.Name, v.Item}]
			if !gone {
				code = pipeline.ReasonCode(v.Reason)
			}
			out["flagged"]++
			out["flagged as "+code]++
			out[fateOf(g.OnFail, gone)]++
		}
	}
	return out, true
}

// fateOf names what became of a flagged item.
func fateOf(onFail string, gone bool) string {
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
		asked[n.Step] = models
	}
	for _, g := range c.Manifest.Gates {
		if !maps.Equal(g.Models, asked[g.Name]) {
			f.add("%s: asked are %s, and %s", g.Name, fmt.Sprint(g.Models), fmt.Sprint(asked[g.Name]))
		}
	}
	return part("models in the manifest", f)
}
