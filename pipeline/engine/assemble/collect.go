package assemble

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/internal/extsort"
	"github.com/memforge/memforge/schemas"
)

// collector turns the finished steps of a run into what a release is made of. Of
// records it holds hashes; what they say stays in the store.
type collector struct {
	hasher
	reg   *pipeline.Registry
	store pipeline.Store
	steps []engine.StepRun // those the release rests on, in topological order
	// units yields those of a step, each time it is called.
	units func(step string) iter.Seq2[pipeline.Unit, error]
	// inputs maps, per step, an output's id to its input's; filled at need.
	inputs map[string]map[textHash]textHash
	// outputs holds, per step, the schemas and ids of its outputs; filled at need.
	outputs map[string]hashSet
	rows    *extsort.Tables // references
	failed  error           // what ended the reading of units
	// licensed says that the release references media that it may not ship.
	licensed bool
}

// textHash stands for a text, or two: a hash with a random seed in place of the ids
// themselves, which would take most of the memory where records are many. 0 is that of
// no text.
type textHash uint64

type hasher struct{ seed maphash.Seed }

func (h hasher) hash(text string) textHash {
	if text == "" {
		return 0
	}
	return textHash(maphash.String(h.seed, text))
}

func (h hasher) hashItem(schema, id string) textHash {
	return textHash(maphash.Comparable(h.seed, [2]string{schema, id}))
}

type hashSet map[textHash]struct{}

func (s hashSet) add(h textHash) { s[h] = struct{}{} }

func (s hashSet) has(h textHash) bool {
	_, ok := s[h]
	return ok
}

// rowMemory is how many bytes of references are in memory beside those on disk.
const rowMemory = 16 << 20

// newCollector returns a collector of steps. References wait in files below dir.
func newCollector(ctx context.Context, reg *pipeline.Registry, st pipeline.Store, steps []engine.StepRun, dir string) *collector {
	lists := map[string]pipeline.Digest{}
	for _, n := range steps {
		lists[n.Step.Name] = n.Units
	}
	return &collector{
		hasher: hasher{maphash.MakeSeed()}, reg: reg, store: st, steps: steps, rows: extsort.New(dir, rowMemory),
		units:  func(step string) iter.Seq2[pipeline.Unit, error] { return engine.StoredUnits(ctx, st, lists[step]) },
		inputs: map[string]map[textHash]textHash{}, outputs: map[string]hashSet{},
	}
}

// each yields the units of a step, as they were written. The caller looks at c.failed
// behind the last.
func (c *collector) each(step string) iter.Seq[pipeline.Unit] {
	return func(yield func(pipeline.Unit) bool) {
		for u, err := range c.units(step) {
			if err != nil {
				c.failed = errors.Join(c.failed, fmt.Errorf("step %s: %w", step, err))
				return
			}
			if !yield(u) {
				return
			}
		}
	}
}

// Tables of references that wait on disk: those of probes, which are by far the most and
// which nothing but their own table needs, and all others.
const (
	refRows   = "references"
	probeRows = "probes"
)

// collectReferences notes which records the tables of a release are made of: questions,
// and what the tables of plugins hold if the release's own steps give it, only as these
// give it (what passed every gate); tasks, media, statements and verdicts from every step
// before them.
func (c *collector) collectReferences(from []string) error {
	ownOnly := map[string]bool{schemas.NameQuestion: true}
	for _, name := range from {
		for u := range c.each(name) {
			for _, ref := range u.Out {
				if _, ok := c.reg.Table(ref.Schema); ok {
					ownOnly[ref.Schema] = true
				}
			}
		}
	}
	for _, n := range c.steps {
		own := slices.Contains(from, n.Step.Name)
		for u := range c.each(n.Step.Name) {
			for _, ref := range u.Out {
				if !c.reg.Releases(ref.Schema) || !own && ownOnly[ref.Schema] {
					continue
				}
				table := refRows
				if ref.Schema == schemas.NameProbes {
					table = probeRows
				}
				if err := c.rows.Add(table, extsort.AppendKey(nil, ref.ID, ref.Schema), []any{ref.ID, ref.Schema, string(ref.Digest)}); err != nil {
					return fmt.Errorf("release: %w", err)
				}
			}
		}
	}
	return c.failed
}

// references yields the collected references by id and schema, each once. That two
// differ under one id is for the closure to judge; of what has no table of its own it is
// an error.
func (c *collector) references(table string) iter.Seq2[pipeline.Ref, error] {
	return func(yield func(pipeline.Ref, error) bool) {
		var last pipeline.Ref
		for b, err := range c.rows.Rows(table) {
			if err != nil {
				yield(last, fmt.Errorf("release: %w", err))
				return
			}
			row := extsort.DecodeRow(b)
			ref := pipeline.Ref{ID: row[0].(string), Schema: row[1].(string), Digest: pipeline.Digest(row[2].(string))}
			if ref == last {
				continue
			}
			if ref.ID == last.ID && ref.Schema == last.Schema && !c.hasTable(ref.Schema) {
				yield(ref, fmt.Errorf("release: two different records of schema %s have the id %q", ref.Schema, ref.ID))
				return
			}
			if last = ref; !yield(ref, nil) {
				return
			}
		}
	}
}

func (c *collector) hasTable(schema string) bool {
	_, ok := c.reg.Table(schema)
	return ok || slices.ContainsFunc(pipeline.CoreTables(), func(t pipeline.Table) bool { return t.Schema == schema })
}

// readBatch is how many records are read at a time.
const readBatch = 512

// errStopped ends a walk that its caller does not want to go on with.
var errStopped = errors.New("no more records are asked for")

// load reads the records of references from the store and has each visited, in their order.
func (c *collector) load(ctx context.Context, refs iter.Seq2[pipeline.Ref, error], visit func(pipeline.Ref, pipeline.Record) error) error {
	var batch []pipeline.Ref
	flush := func() error {
		digests := make([]pipeline.Digest, len(batch))
		for i, ref := range batch {
			digests[i] = ref.Digest
		}
		recs, err := c.store.Records(ctx, digests)
		if err != nil {
			return fmt.Errorf("load its records: %w", err)
		}
		for i, r := range recs {
			if err := visit(batch[i], r); err != nil {
				return err
			}
		}
		batch = batch[:0]
		return nil
	}
	for ref, err := range refs {
		if err != nil {
			return err
		}
		if batch = append(batch, ref); len(batch) == readBatch {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// refsOf yields a reference for each of a list, for load.
func refsOf[T any](list []T, ref func(T) pipeline.Ref) iter.Seq2[pipeline.Ref, error] {
	return func(yield func(pipeline.Ref, error) bool) {
		for _, v := range list {
			if !yield(ref(v), nil) {
				return
			}
		}
	}
}

// outputsOf returns what the records of a step are called, and their digests.
func (c *collector) outputsOf(step string) hashSet {
	given, ok := c.outputs[step]
	if !ok {
		given = hashSet{}
		for u := range c.each(step) {
			for _, ref := range u.Out {
				given.add(c.hashItem(ref.Schema, ref.ID))
				given.add(c.hash(string(ref.Digest)))
			}
		}
		c.outputs[step] = given
	}
	return given
}
