package engine

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// Finished is all that is remembered of a complete node.
type Finished struct {
	// New are the units that are not those of the last run; sorted by input id.
	New     []pipeline.Unit
	known   *unitList
	again   []int32 // units of known that are its own too
	Blobs   []pipeline.Digest
	Summary Summary
}

// Take hands over what a node that Complete reported has done and frees it.
func (s *State) Take(node string) Finished {
	n := s.index[node]
	f := n.done()
	f.Summary.Outputs = n.outputs.digest()
	for d := range n.blobs {
		f.Blobs = append(f.Blobs, d)
	}
	slices.Sort(f.Blobs)
	n.summary, n.told = f.Summary, true
	n.units, n.known, n.again, n.outputs, n.blobs = nil, nil, nil, nil, nil
	return f
}

// done is what a node has done so far.
func (n *nodeState) done() Finished {
	if !slices.IsSortedFunc(n.units, byInput) {
		slices.SortFunc(n.units, byInput)
	}
	if !slices.IsSorted(n.again) {
		slices.Sort(n.again)
	}
	return Finished{New: n.units, known: n.known, again: n.again, Summary: n.summary}
}

// Encode gives the bytes of the list of all units.
func (f Finished) Encode() ([]byte, error) {
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

// units writes how many units there are and all of them, in the order of their inputs.
func (w *unitWriter) units(f Finished) error {
	w.count(len(f.New) + len(f.again))
	w.agreed = 0
	for i, again := 0, f.again; i < len(f.New) || len(again) > 0; {
		if len(again) > 0 && (i == len(f.New) || string(f.known.input(int(again[0]))) < f.New[i].In.ID) {
			if err := w.known(f.known, int(again[0])); err != nil {
				return err
			}
			again = again[1:]
			continue
		}
		if err := w.unit(&f.New[i]); err != nil {
			return fmt.Errorf("encode unit %d (%s): %w", i, f.New[i].Key, err)
		}
		i++
	}
	return nil
}

// known writes a unit of another list.
func (w *unitWriter) known(l *unitList, i int) error {
	if w.alike(l, i) {
		w.b = append(w.b, l.raw(i)...)
		return nil
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
