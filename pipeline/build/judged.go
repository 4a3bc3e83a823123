package build

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// judged gives, for each gate in the order of the plan, a row of what it did
// with all items and one for each source that is known of some of them.
func (c *collector) judged(recs []pipeline.Record) ([]release.JudgedRow, error) {
	verdicts := map[string][]schemas.Verdict{}
	for _, r := range recs {
		if r.Schema != schemas.NameVerdict {
			continue
		}
		v, err := pipeline.Decode[schemas.Verdict](r)
		if err != nil {
			return nil, fmt.Errorf("count what the gates did: %w", err)
		}
		verdicts[v.Gate] = append(verdicts[v.Gate], v)
	}
	rows := []release.JudgedRow{}
	for _, n := range c.nodes {
		if n.Step.Kind == pipeline.KindGate {
			rows = append(rows, c.judgedBy(n, verdicts[n.Step.Name])...)
		}
	}
	return rows, nil
}

func (c *collector) judgedBy(n engine.NodeRun, verdicts []schemas.Verdict) []release.JudgedRow {
	gate, round := pipeline.SplitRound(n.Step.Name)
	empty := release.JudgedRow{Gate: gate, Round: round, Use: n.Step.Use}
	dropped := map[string]string{} // codes of items that did not go on
	for _, u := range c.units[n.Step.Name] {
		for _, r := range u.Rejections {
			dropped[r.ID] = r.Code
		}
	}
	bySource := map[string]*tally{"": {row: empty}}
	for _, v := range verdicts {
		bySource[""].add(v, n.Step.OnFail, dropped)
		source := c.origin(n, v.Item, v.Item)
		if source == "" {
			continue
		}
		if bySource[source] == nil {
			of := empty
			of.Source = source
			bySource[source] = &tally{row: of}
		}
		bySource[source].add(v, n.Step.OnFail, dropped)
	}
	var rows []release.JudgedRow
	for _, source := range slices.Sorted(maps.Keys(bySource)) {
		rows = append(rows, bySource[source].done())
	}
	return rows
}

// tally is a row in the making.
type tally struct {
	row                                  release.JudgedRow
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

// add counts a verdict. dropped are the codes of the items that did not go on.
func (t *tally) add(v schemas.Verdict, onFail string, dropped map[string]string) {
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
	code, gone := dropped[v.Item]
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

func (t *tally) done() release.JudgedRow {
	t.row.Reasons = t.reasons.sorted()
	t.row.NotApplicableReasons = t.notApplicable.sorted()
	t.row.InsufficientReasons = t.insufficient.sorted()
	return t.row
}

// asked says who answered what the nodes asked.
func (c *collector) asked() []release.NodeModels {
	out := []release.NodeModels{}
	for _, n := range c.nodes {
		if len(n.Step.Spec.Asks) == 0 {
			continue
		}
		id := n.Step.Identity
		row := release.NodeModels{Node: n.Step.Name, Kind: string(n.Step.Kind), Use: n.Step.Use}
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
