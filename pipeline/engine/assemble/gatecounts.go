package assemble

import (
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// gateCounter counts what the gates did, verdict by verdict.
type gateCounter struct {
	c  *collector
	of map[string]*gateTally
	// droppedBy has the number of the gate that dropped a record, by its item: under every
	// schema that the record may have, for a gate over all items at once does not say which.
	droppedBy map[textHash]int
}

// gateTally is what one gate did, with all items and by source.
type gateTally struct {
	step     engine.StepRun
	dropped  map[textHash]string // codes of items that did not go on
	bySource map[string]*tally
}

// newGateCounter reads what the gates dropped.
func (c *collector) newGateCounter() *gateCounter {
	k := &gateCounter{c, map[string]*gateTally{}, map[textHash]int{}}
	for i, n := range c.steps {
		if n.Step.Kind != pipeline.KindGate {
			continue
		}
		g := &gateTally{n, map[textHash]string{}, map[string]*tally{}}
		known := map[string]string{}
		for u := range c.each(n.Step.Name) {
			schemasOf := n.Step.Spec.Accepts
			if u.In.Schema != "" {
				schemasOf = []string{u.In.Schema}
			}
			for _, r := range u.Rejections {
				if known[r.Code] == "" {
					known[r.Code] = r.Code
				}
				g.dropped[c.hash(r.ID)] = known[r.Code] // one text for all
				for _, s := range schemasOf {
					k.droppedBy[c.hashItem(s, r.ID)] = i
				}
			}
		}
		g.tally("")
		k.of[n.Step.Name] = g
	}
	return k
}

func (g *gateTally) tally(source string) *tally {
	if g.bySource[source] == nil {
		gate, round := pipeline.SplitRound(g.step.Step.Name)
		g.bySource[source] = &tally{row: manifest.GateCounts{Gate: gate, Round: round, Use: g.step.Step.Use, Source: source}}
	}
	return g.bySource[source]
}

// add counts a record if it is a verdict.
func (k *gateCounter) add(r pipeline.Record) error {
	if r.Schema != schemas.NameVerdict {
		return nil
	}
	v, err := pipeline.Decode[schemas.Verdict](r)
	if err != nil {
		return fmt.Errorf("count what the gates did: %w", err)
	}
	g := k.of[v.Gate]
	if g == nil {
		return nil
	}
	item := k.c.hash(v.Item)
	code, gone := g.dropped[item]
	g.tally("").add(v, g.step.Step.OnFail, code, gone)
	if source := k.c.origin(g.step, item, item); source != "" {
		g.tally(source).add(v, g.step.Step.OnFail, code, gone)
	}
	return nil
}

// rows gives, for each gate in the order of the plan, a row of what it did
// with all items and one for each source that is known of some of them.
func (k *gateCounter) rows() []manifest.GateCounts {
	rows := []manifest.GateCounts{}
	for _, n := range k.c.steps {
		g := k.of[n.Step.Name]
		if g == nil {
			continue
		}
		for _, source := range slices.Sorted(maps.Keys(g.bySource)) {
			rows = append(rows, g.bySource[source].done())
		}
	}
	return rows
}

// tally is a row in the making.
type tally struct {
	row                                  manifest.GateCounts
	reasons, notApplicable, insufficient codes
}

// codes counts reasons by their stable word.
type codes map[string]int64

func (c *codes) add(code string) {
	if *c == nil {
		*c = codes{}
	}
	(*c)[code]++
}

func (c codes) sorted() (out []manifest.ReasonCount) {
	for _, code := range slices.Sorted(maps.Keys(c)) {
		out = append(out, manifest.ReasonCount{Code: code, Count: c[code]})
	}
	return out
}

// add counts a verdict. gone says that the item did not go on, with this code.
func (t *tally) add(v schemas.Verdict, onFail, code string, gone bool) {
	r := &t.row
	r.In++
	if v.CallsMade > 0 {
		r.Asked++
	}
	switch v.Outcome {
	case schemas.Pass:
		r.Passed++
		return
	case schemas.NotApplicable:
		r.NotApplicable++
		t.notApplicable.add(pipeline.ReasonCode(v.Reason))
		return
	case schemas.Insufficient:
		r.Insufficient++
		t.insufficient.add(pipeline.ReasonCode(v.Reason))
		return
	case schemas.Error:
		r.Errors++
		return
	}
	r.Flagged++
	switch {
	case gone && onFail == pipeline.OnFailRevise:
		r.Revised++
	case gone:
		r.Dropped++
	case onFail == pipeline.OnFailRelabel:
		r.Relabelled++
	default:
		r.Kept++
	}
	if !gone {
		code = pipeline.ReasonCode(v.Reason)
	}
	t.reasons.add(code)
}

func (t *tally) done() manifest.GateCounts {
	t.row.Reasons = t.reasons.sorted()
	t.row.NotApplicableReasons = t.notApplicable.sorted()
	t.row.InsufficientReasons = t.insufficient.sorted()
	return t.row
}
