package build

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// collector turns the finished nodes of a run into what a release is made of.
type collector struct {
	reg   *pipeline.Registry
	store pipeline.Store
	nodes []engine.NodeRun // those the release rests on, in topological order
	units map[string][]pipeline.Unit
	// inputs maps, per node, an output's id to its input's; filled at need.
	inputs map[string]map[string]string
	// outputs holds, per node, the schemas and ids of its outputs; filled at need.
	outputs map[string]map[[2]string]bool
	probes  []pipeline.Digest // records of probes that are released
	// refs maps, per node, an output's id to it; filled at need.
	refs map[string]map[string]pipeline.Ref
}

// newCollector reads the units of the release's nodes and their ancestors.
func newCollector(ctx context.Context, reg *pipeline.Registry, st pipeline.Store, from []string, nodes []engine.NodeRun) (*collector, error) {
	return collect(ctx, reg, st, ancestors(from, nodes))
}

// collect reads the units of nodes.
func collect(ctx context.Context, reg *pipeline.Registry, st pipeline.Store, nodes []engine.NodeRun) (*collector, error) {
	c := &collector{
		reg: reg, store: st, nodes: nodes, units: map[string][]pipeline.Unit{},
		inputs: map[string]map[string]string{}, outputs: map[string]map[[2]string]bool{}, refs: map[string]map[string]pipeline.Ref{},
	}
	for _, n := range c.nodes {
		units, err := engine.LoadUnits(ctx, st, n.Units)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", n.Step.Name, err)
		}
		c.units[n.Step.Name] = units
	}
	return c, nil
}

// ancestors keeps the nodes that a release reads, directly or not.
func ancestors(from []string, nodes []engine.NodeRun) []engine.NodeRun {
	wanted := map[string]bool{}
	for _, f := range from {
		wanted[f] = true
	}
	var kept []engine.NodeRun
	for _, n := range slices.Backward(nodes) {
		if !wanted[n.Step.Name] {
			continue
		}
		for _, f := range n.Step.From {
			wanted[f] = true
		}
		kept = append(kept, n)
	}
	slices.Reverse(kept)
	return kept
}

// records loads what the tables are made of: questions, and what the tables of
// plugins hold if the release's own nodes give it, only as these give it (what
// passed every gate); tasks, media, statements and verdicts from every node before
// them.
func (c *collector) records(ctx context.Context, from []string) ([]pipeline.Record, error) {
	byID := map[[2]string]pipeline.Ref{}
	last := c.givenBy(from)
	for _, n := range c.nodes {
		final := slices.Contains(from, n.Step.Name)
		for _, u := range c.units[n.Step.Name] {
			for _, ref := range u.Out {
				if !c.reg.Releases(ref.Schema) || !final && (ref.Schema == schemas.NameQuestion || last[ref.Schema]) {
					continue
				}
				key := [2]string{ref.ID, ref.Schema}
				if old, ok := byID[key]; ok && old.Digest != ref.Digest {
					return nil, fmt.Errorf("release: two different records of schema %s have the id %q", ref.Schema, ref.ID)
				}
				byID[key] = ref
			}
		}
	}
	refs := slices.SortedFunc(maps.Values(byID), func(a, b pipeline.Ref) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.Schema, b.Schema))
	})
	var held []pipeline.Digest
	for _, ref := range refs {
		if ref.Schema == schemas.NameProbes {
			c.probes = append(c.probes, ref.Digest)
			continue
		}
		held = append(held, ref.Digest)
	}
	recs, err := c.store.Records(ctx, held)
	if err != nil {
		return nil, fmt.Errorf("release: load its records: %w", err)
	}
	return recs, nil
}

// streamed is how many records of probes are in memory at a time.
const streamed = 512

// stream gives the records of probes: they are by far the most, and nothing but their
// own table needs them.
func (c *collector) stream(ctx context.Context) iter.Seq2[pipeline.Record, error] {
	return func(yield func(pipeline.Record, error) bool) {
		for part := range slices.Chunk(c.probes, streamed) {
			recs, err := c.store.Records(ctx, part)
			if err != nil {
				yield(pipeline.Record{}, fmt.Errorf("release: load its records: %w", err))
				return
			}
			for _, r := range recs {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

// givenBy are the schemas of plugins' tables whose records the nodes give.
func (c *collector) givenBy(nodes []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range nodes {
		for _, u := range c.units[name] {
			for _, ref := range u.Out {
				if _, ok := c.reg.Table(ref.Schema); ok {
					out[ref.Schema] = true
				}
			}
		}
	}
	return out
}

// tables are those declared ones whose records the nodes may give, and those that
// these refer to.
func (c *collector) tables() []pipeline.Table {
	all, wanted := c.reg.Tables(), map[string]bool{}
	var want func(schema string)
	want = func(schema string) {
		if wanted[schema] {
			return
		}
		wanted[schema] = true
		for _, t := range all {
			for _, ref := range t.References {
				for _, o := range all {
					if t.Schema == schema && slices.Contains(ref.Tables, o.Name) {
						want(o.Schema)
					}
				}
			}
		}
	}
	for _, n := range c.nodes {
		for _, schema := range n.Step.Spec.Emits {
			want(schema)
		}
	}
	return slices.DeleteFunc(all, func(t pipeline.Table) bool { return !wanted[t.Schema] })
}

// origin names the source a record descends from, where only maps, gates and the
// nodes of a loop lie between them; a fold mixes its inputs, so there it is empty. id is the record
// as node n had it, in the input of n that it came of, if that is known.
func (c *collector) origin(n engine.NodeRun, id, in string) string {
	if n.Step.Kind == pipeline.KindSource {
		return n.Step.Name
	}
	if in == "" {
		in = id
	}
	for _, from := range n.Step.From {
		input, ok := c.inputOf(from, in)
		if !ok {
			continue
		}
		i := slices.IndexFunc(c.nodes, func(o engine.NodeRun) bool { return o.Step.Name == from })
		_, round := pipeline.SplitRound(from)
		switch up := c.nodes[i].Step; {
		case up.Each || up.Kind == pipeline.KindSource:
		case up.Kind == pipeline.KindGate || round > 0:
			input = in // it read everything at once and gives what it read
		default:
			return ""
		}
		return c.origin(c.nodes[i], in, input)
	}
	return ""
}

// inputOf finds the input of the unit of a node that gave the record id.
func (c *collector) inputOf(node, id string) (string, bool) {
	inputs, ok := c.inputs[node]
	if !ok {
		inputs = map[string]string{}
		for _, u := range c.units[node] {
			for _, r := range u.Out {
				inputs[r.ID] = u.In.ID
			}
		}
		c.inputs[node] = inputs
	}
	in, ok := inputs[id]
	return in, ok
}

// sources gives one row per fetched file, or one for a generated source.
func (c *collector) sources() []schemas.Source {
	var out []schemas.Source
	for _, n := range c.nodes {
		if n.Step.Kind != pipeline.KindSource {
			continue
		}
		row := schemas.Source{
			ID: n.Step.Name, Kind: n.Step.Use, License: n.Step.Spec.License,
			Records: int64(n.Summary.Out), Losses: int64(n.Summary.Lost),
		}
		if len(n.Assets) == 0 {
			out = append(out, row)
			continue
		}
		for _, a := range n.Assets {
			file := row
			file.URL, file.Path, file.Revision, file.SHA256, file.Bytes = a.URL, a.Path, a.Revision, string(a.Blob), a.Size
			file.License = assetLicense(n.Step, a)
			out = append(out, file)
		}
	}
	return out
}

func assetLicense(s engine.Step, a pipeline.Asset) string {
	if a.Need >= 0 && a.Need < len(s.Needs) && s.Needs[a.Need].License != "" {
		return s.Needs[a.Need].License
	}
	if a.License != "" {
		return a.License
	}
	return s.Spec.License
}

// funnel gives one row per node.
func (c *collector) funnel(notes noted) []release.FunnelRow {
	var rows []release.FunnelRow
	for _, n := range c.nodes {
		s := n.Summary
		row := release.FunnelRow{
			Node: n.Step.Name, From: n.Step.From, Kind: string(n.Step.Kind), Use: n.Step.Use,
			In: int64(s.In), Out: int64(s.Out), Lost: int64(s.Lost), Flagged: int64(s.Flagged), Revised: int64(s.Revised),
		}
		for _, code := range s.ReasonCodes() {
			row.Reasons = append(row.Reasons, release.ReasonCount{Code: code, Count: int64(s.Reasons[code])})
		}
		found := notes.found[n.Step.Name]
		for _, code := range slices.Sorted(maps.Keys(found)) {
			row.Notes = append(row.Notes, release.ReasonCount{Code: code, Count: found[code]})
		}
		rows = append(rows, row)
	}
	return rows
}

// tools unites the tool versions of all nodes.
func (c *collector) tools() map[string]string {
	all := map[string]string{}
	for _, n := range c.nodes {
		maps.Copy(all, n.Step.Identity.Tools)
	}
	return all
}
