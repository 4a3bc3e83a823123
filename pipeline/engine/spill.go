package engine

import (
	"context"
	"fmt"
	"iter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
)

// spilledSteps is what a driver keeps of nodes that are large: their units by the ids of the
// inputs and their outputs by id, on disk where they are many.
type spilledSteps struct {
	rows *extsort.Tables
	of   map[string]*spilledStep
	key  []byte
}

// keptBytes is how much of it is in memory.
const keptBytes = 48 << 20

func newKept(dir string) *spilledSteps {
	return &spilledSteps{rows: extsort.New(dir, keptBytes), of: map[string]*spilledStep{}}
}

// spilledStep is one node of these. Its units are written with the numbers of schemas
// that it has.
type spilledStep struct {
	*spilledSteps
	node    string
	w       unitWriter
	schemas []string
}

func (n *spilledStep) table(what string) string { return what + " of " + n.node }

// spill puts aside what the state holds beyond its bound, unless it is of a node that is
// remembered whole.
func (d *Scheduler) spill(p spilledPart) error {
	if d.nodes[d.index[p.node]].Units != "" {
		return nil
	}
	if err := d.kept.put(p); err != nil {
		return fmt.Errorf("node %s: put aside what it has done: %w", p.node, err)
	}
	return nil
}

// put takes a part of a node.
func (k *spilledSteps) put(p spilledPart) error {
	n := k.of[p.node]
	if n == nil {
		if len(p.units) == 0 && p.outputs.len() == 0 {
			return nil
		}
		n = &spilledStep{spilledSteps: k, node: p.node, w: unitWriter{schemas: map[string]uint64{}}}
		k.of[p.node] = n
	}
	for i := range p.units {
		if err := n.putUnit(&p.units[i]); err != nil {
			return err
		}
	}
	for id, d := range p.outputs.all() {
		if err := k.putRecord(n.table("outputs"), id, d); err != nil {
			return err
		}
	}
	return nil
}

func (n *spilledStep) putUnit(u *pipeline.Unit) error {
	n.learn(u.In.Schema)
	for _, r := range u.Out {
		n.learn(r.Schema)
	}
	n.w.b = n.w.b[:0]
	if err := n.w.unit(u); err != nil {
		return err
	}
	n.key = extsort.AppendKey(n.key[:0], u.In.ID)
	return n.rows.AddBytes(n.table("units"), n.key, n.w.b)
}

// learn gives a schema a number before it is mentioned.
func (n *spilledStep) learn(schema string) {
	if _, known := n.w.schemas[schema]; !known {
		n.w.schemas[schema] = uint64(len(n.schemas))
		n.schemas = append(n.schemas, schema)
	}
}

// units are those that were put, by the ids of their inputs, and how many they are.
func (n *spilledStep) units() (iter.Seq2[pipeline.Unit, error], int) {
	table := n.table("units")
	return func(yield func(pipeline.Unit, error) bool) {
		for row, err := range n.rows.Rows(table) {
			if err != nil {
				yield(pipeline.Unit{}, err)
				return
			}
			p := unitReader{b: row, schemas: n.schemas}
			u := p.unit()
			if p.end("unit"); !yield(u, p.err) || p.err != nil {
				return
			}
		}
	}, int(n.rows.Len(table))
}

// putRecord adds a record to a table of them.
func (k *spilledSteps) putRecord(table, id string, d pipeline.Digest) error {
	raw, err := pipeline.RawDigest(d)
	if err != nil {
		return err
	}
	k.key = extsort.AppendKey(k.key[:0], id)
	at := len(k.key)
	k.key = append(append(k.key, raw[:]...), id...)
	return k.rows.AddBytes(table, k.key[:at], k.key[at:])
}

// records gives the records of a table by id, each once. Of two with one id the second
// is the last that comes, with errDuplicate.
func (k *spilledSteps) records(table string) iter.Seq2[indexedRecord, error] {
	return func(yield func(indexedRecord, error) bool) {
		var last indexedRecord
		first := true
		for row, err := range k.rows.Rows(table) {
			if err != nil {
				yield(indexedRecord{}, err)
				return
			}
			p := unitReader{b: row}
			r := indexedRecord{digest: pipeline.Digest(p.digest()), id: string(row[p.at:])}
			switch {
			case !first && r == last:
				continue
			case !first && r.id == last.id:
				yield(r, errDuplicate)
				return
			}
			if last, first = r, false; !yield(r, nil) {
				return
			}
		}
	}
}

// drop forgets a node.
func (k *spilledSteps) drop(node string) error {
	n := k.of[node]
	if n == nil {
		return nil
	}
	delete(k.of, node)
	for _, what := range []string{"units", "outputs"} {
		if err := k.rows.Drop(n.table(what)); err != nil {
			return err
		}
	}
	return nil
}

// takeFinished takes a node that has ended from the state.
func (d *Scheduler) takeFinished(name string) (StepResult, error) {
	n := d.kept.of[name]
	if n == nil {
		return d.state.Deliver(name), nil
	}
	rest, err := d.state.index[name].handOver()
	if err != nil {
		return StepResult{}, err
	}
	if err := d.kept.put(rest); err != nil {
		return StepResult{}, err
	}
	var outputs recordsHash
	for r, err := range d.kept.records(n.table("outputs")) {
		if err != nil {
			return StepResult{}, outputError(name, r.id, err)
		}
		outputs.add(r.id, r.digest)
	}
	f := d.state.deliver(name, outputs.digest())
	f.kept = n
	return f, nil
}

// listManyInputs names the inputs of nodes that read many at once and can begin: the state does
// not know each of them.
func (d *Scheduler) listManyInputs(ctx context.Context) error {
	for _, step := range d.state.unlistedSteps() {
		if err := d.listInputs(ctx, step); err != nil {
			return fmt.Errorf("node %s: read its inputs: %w", step.Name, err)
		}
	}
	return nil
}

func (d *Scheduler) listInputs(ctx context.Context, step Step) error {
	table, count := "inputs of "+step.Name, 0
	for _, up := range step.From {
		for r, err := range outputsOf(ctx, d.rt.Store, d.nodes[d.index[up]].Units, step.Spec.Accepts) {
			if err != nil {
				return err
			}
			if err := d.kept.putRecord(table, r.ID, r.Digest); err != nil {
				return err
			}
		}
	}
	key, err := step.Identity.InputsKey(func(yield func(pipeline.Digest, error) bool) {
		for r, err := range d.kept.records(table) {
			if err != nil {
				err = fmt.Errorf("record %q: %w", r.id, err)
			}
			if count++; !yield(r.digest, err) {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	d.state.setInputCount(step.Name, count, key)
	return d.kept.rows.Drop(table)
}
