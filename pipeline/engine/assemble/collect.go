package assemble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/schemas"
)

// collector turns the finished nodes of a run into what a release is made of. Of
// records it holds names; what they say lies on disk, or stays in the store.
type collector struct {
	namer
	reg   *pipeline.Registry
	store pipeline.Store
	nodes []engine.StepRun // those the release rests on, in topological order
	// units gives those of a node, as often as one asks.
	units func(node string) iter.Seq2[pipeline.Unit, error]
	// inputs maps, per node, an output's id to its input's; filled at need.
	inputs map[string]map[name]name
	// outputs holds, per node, the schemas and ids of its outputs; filled at need.
	outputs map[string]names
	rows    *extsort.Tables // references and records
	failed  error           // what ended the reading of units
}

// newCollector reads the units of the release's nodes and their ancestors. Rows wait
// in files below dir.
func newCollector(ctx context.Context, reg *pipeline.Registry, st pipeline.Store, from []string, nodes []engine.StepRun, dir string) *collector {
	c := collect(ctx, reg, st, ancestors(from, nodes))
	c.rows = extsort.New(dir, rowMemory)
	return c
}

// rowMemory is how many bytes of rows are in memory beside those on disk.
const rowMemory = 16 << 20

// collect reads the units of nodes.
func collect(ctx context.Context, reg *pipeline.Registry, st pipeline.Store, nodes []engine.StepRun) *collector {
	of := map[string]pipeline.Digest{}
	for _, n := range nodes {
		of[n.Step.Name] = n.Units
	}
	return collectorOf(reg, st, nodes, func(node string) iter.Seq2[pipeline.Unit, error] { return engine.StoredUnits(ctx, st, of[node]) })
}

func collectorOf(reg *pipeline.Registry, st pipeline.Store, nodes []engine.StepRun, units func(string) iter.Seq2[pipeline.Unit, error]) *collector {
	return &collector{namer: newNamer(), reg: reg, store: st, nodes: nodes, units: units, inputs: map[string]map[name]name{}, outputs: map[string]names{}}
}

// each gives the units of a node, as they were written. Who asks looks at c.failed
// behind the last.
func (c *collector) each(node string) iter.Seq[pipeline.Unit] {
	return func(yield func(pipeline.Unit) bool) {
		for u, err := range c.units(node) {
			if err != nil {
				c.failed = errors.Join(c.failed, fmt.Errorf("node %s: %w", node, err))
				return
			}
			if !yield(u) {
				return
			}
		}
	}
}

// ancestors keeps the nodes that a release reads, directly or not.
func ancestors(from []string, nodes []engine.StepRun) []engine.StepRun {
	wanted := map[string]bool{}
	for _, f := range from {
		wanted[f] = true
	}
	var kept []engine.StepRun
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

// Tables of rows that wait on disk: what records are to be read, and those of probes.
const (
	rowsRefs   = "references"
	rowsProbes = "probes"
)

// collected is a record with its digest.
type collected struct {
	pipeline.Record
	digest pipeline.Digest
}

// records gives what the tables are made of, by id and schema: questions, and what
// the tables of plugins hold if the release's own nodes give it, only as these give it
// (what passed every gate); tasks, media, statements and verdicts from every node
// before them. Probes are by far the most and nothing but their own table needs them:
// stream gives those.
func (c *collector) records(ctx context.Context, from []string) iter.Seq2[collected, error] {
	return func(yield func(collected, error) bool) {
		if err := c.refer(from); err != nil {
			yield(collected{}, err)
			return
		}
		c.read(ctx, rowsRefs, yield)
	}
}

// stream gives the records of probes.
func (c *collector) stream(ctx context.Context) iter.Seq2[pipeline.Record, error] {
	return func(yield func(pipeline.Record, error) bool) {
		c.read(ctx, rowsProbes, func(r collected, err error) bool { return yield(r.Record, err) })
	}
}

// refer notes which records are to be read.
func (c *collector) refer(from []string) error {
	last := c.givenBy(from)
	for _, n := range c.nodes {
		final := slices.Contains(from, n.Step.Name)
		for u := range c.each(n.Step.Name) {
			for _, ref := range u.Out {
				if !c.reg.Releases(ref.Schema) || !final && (ref.Schema == schemas.NameQuestion || last[ref.Schema]) {
					continue
				}
				table := rowsRefs
				if ref.Schema == schemas.NameProbes {
					table = rowsProbes
				}
				if err := c.rows.Add(table, extsort.AppendKey(nil, ref.ID, ref.Schema), []any{ref.ID, ref.Schema, string(ref.Digest)}); err != nil {
					return fmt.Errorf("release: %w", err)
				}
			}
		}
	}
	return c.failed
}

// streamed is how many records are read at a time.
const streamed = 512

// read gives the records of noted references, each once, in their order.
func (c *collector) read(ctx context.Context, table string, yield func(collected, error) bool) {
	var batch []pipeline.Digest
	flush := func() bool {
		recs, err := c.store.Records(ctx, batch)
		if err != nil {
			yield(collected{}, fmt.Errorf("release: load its records: %w", err))
			return false
		}
		for i, r := range recs {
			if !yield(collected{r, batch[i]}, nil) {
				return false
			}
		}
		batch = batch[:0]
		return true
	}
	for ref, err := range c.referred(table) {
		if err != nil {
			yield(collected{}, err)
			return
		}
		if batch = append(batch, ref.Digest); len(batch) == streamed && !flush() {
			return
		}
	}
	flush()
}

// referred gives the noted references, each once. That two differ under one id is for the
// walk to judge; of what has no table of its own it is an error.
func (c *collector) referred(table string) iter.Seq2[pipeline.Ref, error] {
	return func(yield func(pipeline.Ref, error) bool) {
		var last pipeline.Ref
		for b, err := range c.rows.Rows(table) {
			if err != nil {
				yield(last, fmt.Errorf("release: %w", err))
				return
			}
			row := extsort.DecodeRow(b)
			ref := pipeline.Ref{ID: row[0].(string), Schema: row[1].(string), Digest: pipeline.Digest(row[2].(string))}
			same := ref.ID == last.ID && ref.Schema == last.Schema
			other := same && ref.Digest != last.Digest
			if other && !c.tabled(ref.Schema) {
				yield(ref, fmt.Errorf("release: two different records of schema %s have the id %q", ref.Schema, ref.ID))
				return
			}
			if last = ref; (!same || other) && !yield(ref, nil) {
				return
			}
		}
	}
}

// tabled reports whether records of a schema are rows of a table of records.
func (c *collector) tabled(schema string) bool {
	_, ok := c.reg.Table(schema)
	return ok || slices.ContainsFunc(pipeline.CoreTables(), func(t pipeline.Table) bool { return t.Schema == schema })
}

// givenBy are the schemas of plugins' tables whose records the nodes give.
func (c *collector) givenBy(nodes []string) map[string]bool {
	out := map[string]bool{}
	for _, name := range nodes {
		for u := range c.each(name) {
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
func (c *collector) origin(n engine.StepRun, id, in name) string {
	if n.Step.Kind == pipeline.KindSource {
		return n.Step.Name
	}
	in = cmp.Or(in, id)
	for _, from := range n.Step.From {
		input, ok := c.inputOf(from, in)
		if !ok {
			continue
		}
		i := slices.IndexFunc(c.nodes, func(o engine.StepRun) bool { return o.Step.Name == from })
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
func (c *collector) inputOf(node string, id name) (name, bool) {
	inputs, ok := c.inputs[node]
	if !ok {
		inputs = map[name]name{}
		for u := range c.each(node) {
			in := c.of(u.In.ID)
			for _, r := range u.Out {
				inputs[c.of(r.ID)] = in
			}
		}
		c.inputs[node] = inputs
	}
	in, ok := inputs[id]
	return in, ok
}
