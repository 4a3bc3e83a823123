package engine

import (
	"context"
	"fmt"
	"iter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/extsort"
)

// kept is what a driver keeps of nodes that are large: their units by the ids of the
// inputs and their outputs by id, on disk where they are many.
type kept struct {
	rows *extsort.Set
	of   map[string]*keptNode
	key  []byte
}

// keptBytes is how much of it is in memory.
const keptBytes = 48 << 20

func newKept(dir string) *kept {
	return &kept{rows: extsort.New(dir, keptBytes), of: map[string]*keptNode{}}
}

// keptNode is one node of these. Its units are written with the numbers of schemas
// that it has.
type keptNode struct {
	*kept
	node    string
	w       unitWriter
	schemas []string
}

func (n *keptNode) table(what string) string { return what + " of " + n.node }

// keep puts aside what the state holds beyond its bound, unless it is of a node that is
// remembered whole.
func (d *Drive) keep(p part) error {
	if d.nodes[d.index[p.node]].Units != "" {
		return nil
	}
	if err := d.kept.put(p); err != nil {
		return fmt.Errorf("node %s: put aside what it has done: %w", p.node, err)
	}
	return nil
}

// put takes a part of a node.
func (k *kept) put(p part) error {
	n := k.of[p.node]
	if n == nil {
		if len(p.units) == 0 && p.outputs.len() == 0 {
			return nil
		}
		n = &keptNode{kept: k, node: p.node, w: unitWriter{schemas: map[string]uint64{}}}
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

func (n *keptNode) putUnit(u *pipeline.Unit) error {
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
func (n *keptNode) learn(schema string) {
	if _, known := n.w.schemas[schema]; !known {
		n.w.schemas[schema] = uint64(len(n.schemas))
		n.schemas = append(n.schemas, schema)
	}
}

// units are those that were put, by the ids of their inputs, and how many they are.
func (n *keptNode) units() (iter.Seq2[pipeline.Unit, error], int) {
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
func (k *kept) putRecord(table, id string, d pipeline.Digest) error {
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
func (k *kept) records(table string) iter.Seq2[seenRecord, error] {
	return func(yield func(seenRecord, error) bool) {
		var last seenRecord
		first := true
		for row, err := range k.rows.Rows(table) {
			if err != nil {
				yield(seenRecord{}, err)
				return
			}
			p := unitReader{b: row}
			r := seenRecord{digest: pipeline.Digest(p.digest()), id: string(row[p.at:])}
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
func (k *kept) drop(node string) error {
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

// finished takes a node that has ended from the state.
func (d *Drive) finished(name string) (Finished, error) {
	n := d.kept.of[name]
	if n == nil {
		return d.state.Take(name), nil
	}
	rest, err := d.state.index[name].part()
	if err != nil {
		return Finished{}, err
	}
	if err := d.kept.put(rest); err != nil {
		return Finished{}, err
	}
	var outputs recordsHash
	for r, err := range d.kept.records(n.table("outputs")) {
		if err != nil {
			return Finished{}, outputError(name, r.id, err)
		}
		outputs.add(r.id, r.digest)
	}
	f := d.state.take(name, outputs.digest())
	f.kept = n
	return f, nil
}

// list names the inputs of nodes that read many at once and can begin: the state does
// not know each of them.
func (d *Drive) list(ctx context.Context) error {
	for _, step := range d.state.unlisted() {
		if err := d.listInputs(ctx, step); err != nil {
			return fmt.Errorf("node %s: read its inputs: %w", step.Name, err)
		}
	}
	return nil
}

func (d *Drive) listInputs(ctx context.Context, step Step) error {
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
	d.state.list(step.Name, count, key)
	return d.kept.rows.Drop(table)
}
