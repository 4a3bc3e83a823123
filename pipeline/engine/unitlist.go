package engine

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"sort"

	"github.com/memforge/memforge/pipeline"
)

// unitList is a list of units as it is written, and where each of them begins. Units
// are decoded when they are asked for: most of those of a last run are only handed
// on, and the next list is written from their bytes.
type unitList struct {
	all     unitReader
	starts  []int // of each unit, and the end of the last
	schemas []string
	first   []int // the unit that mentions a schema first
}

func loadList(ctx context.Context, st pipeline.Store, d pipeline.Digest) (_ *unitList, err error) {
	f, err := st.OpenBlob(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("units %s: %w", d, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b, err := readAll(f)
	if err != nil {
		return nil, fmt.Errorf("read units: %w", err)
	}
	return newList(b)
}

// readAll is io.ReadAll without copies where the size is known.
func readAll(r io.Reader) ([]byte, error) {
	var b bytes.Buffer
	if sized, ok := r.(interface{ Size() int64 }); ok {
		b.Grow(int(sized.Size()) + bytes.MinRead)
	}
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

// newList takes what EncodeUnits gave, now or before there was unitsMark. It keeps b.
func newList(b []byte) (*unitList, error) {
	if !bytes.HasPrefix(b, []byte(unitsMark)) {
		units, err := DecodeUnits(b)
		if err != nil {
			return nil, err
		}
		if b, err = EncodeUnits(units); err != nil {
			return nil, err
		}
	}
	l := &unitList{all: unitReader{b: b, at: len(unitsMark)}}
	count := l.all.number()
	if most := uint64(len(b) / leastUnit); count > most {
		return nil, fmt.Errorf("read units: %d of them in %d bytes", count, len(b))
	}
	l.starts = make([]int, 0, count+1)
	for i := range int(count) {
		l.starts = append(l.starts, l.all.at)
		l.all.skip()
		for len(l.first) < len(l.all.schemas) {
			l.first = append(l.first, i)
		}
	}
	l.starts = append(l.starts, l.all.at)
	l.schemas = l.all.schemas
	l.all.together()
	if l.all.end("unit"); l.all.err != nil {
		return nil, fmt.Errorf("read units: %w", l.all.err)
	}
	return l, nil
}

// leastUnit is what a unit takes at least: an empty id, a key and two numbers.
const leastUnit = 35

func (l *unitList) len() int {
	if l == nil {
		return 0
	}
	return len(l.starts) - 1
}

// raw are the bytes of a unit.
func (l *unitList) raw(i int) []byte { return l.all.b[l.starts[i]:l.starts[i+1]] }

// from is a reader at the beginning of a unit.
func (l *unitList) from(i int) *unitReader {
	mentioned := sort.SearchInts(l.first, i)
	l.all.at, l.all.schemas, l.all.inputText = l.starts[i], l.schemas[:mentioned:mentioned], ""
	return &l.all
}

// unit decodes a unit.
func (l *unitList) unit(i int) (pipeline.Unit, error) {
	p := l.from(i)
	return p.unit(), p.err
}

// input is the id of a unit's input, until the next call of any method.
func (l *unitList) input(i int) []byte {
	p := l.from(i)
	return p.raw(p.number())
}

// unitOf decodes a unit if its input is a certain one, whose texts it then has.
func (l *unitList) unitOf(i int, in pipeline.Ref) (u pipeline.Unit, ok bool, err error) {
	p := l.from(i)
	if string(p.raw(p.number())) != in.ID || p.schema() != in.Schema {
		return u, false, p.err
	}
	b := p.raw(32)
	if p.err != nil {
		return u, false, p.err
	}
	var digest [64]byte
	if hex.Encode(digest[:], b); string(digest[:]) != string(in.Digest) {
		return u, false, nil
	}
	p.sum = [32]byte(b)
	u = p.unitOf(in)
	return u, true, p.err
}

// find is the first unit whose input has no smaller id: units are in that order.
func (l *unitList) find(id string) int {
	return sort.Search(l.len(), func(i int) bool { return string(l.input(i)) >= id })
}

// others are the units that a sorted list of places does not name.
func (l *unitList) others(named []int32) iter.Seq2[pipeline.Unit, error] {
	return func(yield func(pipeline.Unit, error) bool) {
		for i := range l.len() {
			if len(named) > 0 && int(named[0]) == i {
				named = named[1:]
				continue
			}
			if !yield(l.unit(i)) {
				return
			}
		}
	}
}
