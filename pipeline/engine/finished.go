package engine

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// StepResult is all that is remembered of a complete node.
type StepResult struct {
	// New are the units that are not those of the last run; sorted by input id.
	New     []pipeline.Unit
	kept    *spilledStep // has them instead, where they are many
	known   *unitList
	again   []int32 // units of known that are its own too
	Blobs   []pipeline.Digest
	Summary Summary
}

// Deliver hands over what a node that Complete reported has done and frees it.
func (s *State) Deliver(node string) StepResult {
	return s.deliver(node, s.index[node].outputs.digest())
}

// deliver is Take for who knows the digest of all outputs.
func (s *State) deliver(node string, outputs pipeline.Digest) StepResult {
	n := s.index[node]
	f := n.done()
	f.Summary.Outputs = outputs
	f.Blobs = n.blobs.sorted()
	n.summary, n.delivered = f.Summary, true
	n.units, n.lastUnits, n.again, n.outputs, n.given, n.blobs = nil, nil, nil, nil, nil, nil
	return f
}

// done is what a node has done so far.
func (n *stepState) done() StepResult {
	if !slices.IsSortedFunc(n.units, byInput) {
		slices.SortFunc(n.units, byInput)
	}
	if !slices.IsSorted(n.again) {
		slices.Sort(n.again)
	}
	return StepResult{New: n.units, known: n.lastUnits, again: n.again, Summary: n.summary}
}

// Encode gives the bytes of the list of all units.
func (f StepResult) Encode() ([]byte, error) {
	const each = 192
	size := len(f.New)*each + len(unitsMark) + binary.MaxVarintLen64
	if f.known != nil {
		size += len(f.known.all.b)
	}
	w := unitWriter{b: make([]byte, 0, size), schemas: map[string]uint64{}}
	w.b = append(w.b, unitsMark...)
	err := w.units(f)
	return w.b, err
}

// reader gives the bytes of Encode as they are asked for. Its caller calls stop.
func (f StepResult) reader() (r io.Reader, stop func()) {
	next, stop := iter.Pull2(func(yield func([]byte, error) bool) {
		w := unitWriter{b: []byte(unitsMark), schemas: map[string]uint64{}, to: func(b []byte) bool { return yield(b, nil) }}
		if err := w.units(f); err != nil {
			yield(nil, err)
			return
		}
		yield(w.b, nil)
	})
	return &pieces{next: next}, stop
}

// pieces reads pieces of bytes one behind the other.
type pieces struct {
	next func() ([]byte, error, bool)
	rest []byte
}

func (p *pieces) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		next, err, ok := p.next()
		if err != nil {
			return 0, err
		}
		if !ok {
			return 0, io.EOF
		}
		p.rest = next
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

// newUnits are the units that are not those of the last run, by input id, and how many
// they are.
func (f StepResult) newUnits() (units iter.Seq2[pipeline.Unit, error], count int) {
	if f.kept != nil {
		return f.kept.units()
	}
	return func(yield func(pipeline.Unit, error) bool) {
		for _, u := range f.New {
			if !yield(u, nil) {
				return
			}
		}
	}, len(f.New)
}

// units writes how many units there are and all of them, in the order of their inputs.
func (w *unitWriter) units(f StepResult) error {
	fresh, count := f.newUnits()
	w.count(count + len(f.again))
	w.agreed = 0
	again, last := f.again, ""
	for u, err := range fresh {
		if err != nil {
			return err
		}
		for ; len(again) > 0 && string(f.known.input(int(again[0]))) < u.In.ID; again = again[1:] {
			if err := w.known(f.known, int(again[0])); err != nil {
				return err
			}
		}
		if f.kept != nil && (u.In.ID == last || len(again) > 0 && string(f.known.input(int(again[0]))) == u.In.ID) {
			return fmt.Errorf("record %s: %w in this node's inputs", u.In.ID, errDuplicate)
		}
		if err := w.unit(&u); err != nil {
			return fmt.Errorf("encode the unit of %q (%s): %w", u.In.ID, u.Key, err)
		}
		last = u.In.ID
	}
	for _, i := range again {
		if err := w.known(f.known, int(i)); err != nil {
			return err
		}
	}
	return nil
}

// known writes a unit of another list.
func (w *unitWriter) known(l *unitList, i int) error {
	if w.alike(l, i) {
		b, err := l.raw(i)
		if err != nil {
			return err
		}
		w.b = append(w.b, b...)
		return w.pass()
	}
	u, err := l.unit(i)
	if err != nil {
		return err
	}
	return w.unit(&u)
}

// alike reports whether a unit of another list would be written as it is there:
// schemas that were mentioned before it have the same numbers here, and it mentions
// none first.
func (w *unitWriter) alike(l *unitList, i int) bool {
	for w.agreed < len(l.first) && l.first[w.agreed] < i {
		if n, known := w.schemas[l.schemas[w.agreed]]; !known || n != uint64(w.agreed) {
			return false
		}
		w.agreed++
	}
	return !slices.Contains(l.first, i)
}
