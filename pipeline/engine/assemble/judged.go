package assemble

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// counts are what the gates did, counted while their verdicts go by.
type counts struct {
	c  *collector
	of map[string]*gateCounts
}

// gateCounts are those of one gate, with all items and by source.
type gateCounts struct {
	node     engine.StepRun
	dropped  map[name]string // codes of items that did not go on
	bySource map[string]*tally
}

// counting counts the verdicts among records that go by.
func (c *collector) counting(recs iter.Seq2[collected, error]) (iter.Seq2[collected, error], *counts) {
	k := &counts{c, map[string]*gateCounts{}}
	for _, n := range c.nodes {
		if n.Step.Kind == pipeline.KindGate {
			k.of[n.Step.Name] = k.gate(n)
		}
	}
	return func(yield func(collected, error) bool) {
		for r, err := range recs {
			if err == nil && r.Schema == schemas.NameVerdict {
				err = k.add(r.Record)
			}
			if !yield(r, err) {
				return
			}
		}
	}, k
}

func (k *counts) gate(n engine.StepRun) *gateCounts {
	g := &gateCounts{n, map[name]string{}, map[string]*tally{}}
	known := map[string]string{}
	for u := range k.c.each(n.Step.Name) {
		for _, r := range u.Rejections {
			if known[r.Code] == "" {
				known[r.Code] = r.Code
			}
			g.dropped[k.c.of(r.ID)] = known[r.Code] // one text for all
		}
	}
	g.tally("")
	return g
}

// tally is that of one source, or of all items.
func (g *gateCounts) tally(source string) *tally {
	if g.bySource[source] == nil {
		gate, round := pipeline.SplitRound(g.node.Step.Name)
		g.bySource[source] = &tally{row: release.GateCounts{Gate: gate, Round: round, Use: g.node.Step.Use, Source: source}}
	}
	return g.bySource[source]
}

func (k *counts) add(r pipeline.Record) error {
	v, err := pipeline.Decode[schemas.Verdict](r)
	if err != nil {
		return fmt.Errorf("count what the gates did: %w", err)
	}
	g := k.of[v.Gate]
	if g == nil {
		return nil
	}
	item := k.c.of(v.Item)
	code, gone := g.dropped[item]
	g.tally("").add(v, g.node.Step.OnFail, code, gone)
	if source := k.c.origin(g.node, item, item); source != "" {
		g.tally(source).add(v, g.node.Step.OnFail, code, gone)
	}
	return nil
}

// rows gives, for each gate in the order of the plan, a row of what it did
// with all items and one for each source that is known of some of them.
func (k *counts) rows() []release.GateCounts {
	rows := []release.GateCounts{}
	for _, n := range k.c.nodes {
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
	row                                  release.GateCounts
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

func (c codes) sorted() (out []release.ReasonCount) {
	for _, code := range slices.Sorted(maps.Keys(c)) {
		out = append(out, release.ReasonCount{Code: code, Count: c[code]})
	}
	return out
}

// add counts a verdict. gone says that the item did not go on, with this code.
func (t *tally) add(v schemas.Verdict, onFail, code string, gone bool) {
	r := &t.row
	r.In++
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

func (t *tally) done() release.GateCounts {
	t.row.Reasons = t.reasons.sorted()
	t.row.NotApplicableReasons = t.notApplicable.sorted()
	t.row.InsufficientReasons = t.insufficient.sorted()
	return t.row
}

// asked says who answered what the nodes asked.
func (c *collector) asked() []release.StepModels {
	out := []release.StepModels{}
	for _, n := range c.nodes {
		if len(n.Step.Spec.Asks) == 0 {
			continue
		}
		id := n.Step.Identity
		row := release.StepModels{Step: n.Step.Name, Kind: string(n.Step.Kind), Use: n.Step.Use}
		for _, role := range slices.Sorted(maps.Keys(id.Models)) {
			m := id.Models[role]
			row.Models = append(row.Models, release.ModelUse{Role: role, Model: m.Model, Host: m.Host, Sampling: m.Sampling})
		}
		versions := map[string]string{}
		for _, a := range n.Step.Spec.Asks {
			versions[a.Task] = cmp.Or(a.Version, versions[a.Task])
		}
		for _, task := range slices.Sorted(maps.Keys(id.Prompts)) {
			row.Prompts = append(row.Prompts, release.PromptUse{Task: task, Version: versions[task], Digest: id.Prompts[task]})
		}
		for _, task := range slices.Sorted(maps.Keys(id.Rules)) {
			row.Rules = append(row.Rules, release.RuleUse{Task: task, Version: id.Rules[task]})
		}
		out = append(out, row)
	}
	return out
}
