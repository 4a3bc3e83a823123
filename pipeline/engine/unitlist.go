package engine

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"sort"

	"github.com/memforge/memforge/pipeline"
)

// unitList is a list of units as it is written, and where they begin. Units are
// decoded when they are asked for: most of those of a last run are only handed on, and
// the next list is written from their bytes.
type unitList struct {
	all     unitReader
	count   int
	each    int   // it is known of each so many units where they begin
	starts  []int // of these, and the end of the last where each is 1
	schemas []string
	first   []int // the unit that mentions a schema first
	file    *os.File
	size    int64
}

// A list of more than largeList bytes lies in a file, and of each sparse units only the
// first place is known.
const (
	largeList  = 24 << 20
	sparse     = 8
	aheadBytes = 8 << 10 // that are read of the file at once
)

// loadList reads a list of the store. One that is large lies in a scratch file below dir.
func loadList(ctx context.Context, st pipeline.Store, d pipeline.Digest, dir string, large int) (_ *unitList, err error) {
	f, err := st.OpenBlob(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("units %s: %w", d, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	large = max(large, len(unitsMark))
	b, err := readMost(f, large)
	if err != nil {
		return nil, fmt.Errorf("read units: %w", err)
	}
	if len(b) > large && bytes.HasPrefix(b, []byte(unitsMark)) {
		return newFileList(io.MultiReader(bytes.NewReader(b), f), dir)
	}
	rest, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("read units: %w", err)
	}
	return newList(append(b, rest...))
}

// readMost reads most bytes and one more, or as many as there are, without copies where
// the size is known.
func readMost(r io.Reader, most int) ([]byte, error) {
	var b bytes.Buffer
	if sized, ok := r.(interface{ Size() int64 }); ok {
		b.Grow(int(min(sized.Size(), int64(most)+1)) + bytes.MinRead)
	}
	_, err := b.ReadFrom(io.LimitReader(r, int64(most)+1))
	return b.Bytes(), err
}

// newFileList puts a list aside in a file that has no name any more.
func newFileList(r io.Reader, dir string) (*unitList, error) {
	f, err := os.CreateTemp(dir, "units-")
	if err != nil {
		return nil, fmt.Errorf("put the last units aside: %w", err)
	}
	l := &unitList{each: sparse, file: f, all: unitReader{src: io.TeeReader(r, f)}}
	l.all.raw(uint64(len(unitsMark)))
	if err := errors.Join(os.Remove(f.Name()), l.scan(math.MaxInt64)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	l.size = int64(l.all.base + l.all.at)
	l.all.b, l.all.at = make([]byte, 0, aheadBytes), 0
	return l, nil
}

// close gives the file back.
func (l *unitList) close() error {
	if l == nil || l.file == nil {
		return nil
	}
	return l.file.Close()
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
	l := &unitList{each: 1, all: unitReader{b: b, at: len(unitsMark)}}
	return l, l.scan(uint64(len(b) / leastUnit))
}

// scan finds out where units begin, of which there are at most so many.
func (l *unitList) scan(most uint64) error {
	count := l.all.number()
	if count > most {
		return fmt.Errorf("read units: %d of them, which cannot be", count)
	}
	for i := 0; i < int(count) && l.all.err == nil; i++ {
		if i%l.each == 0 {
			l.starts = append(l.starts, l.all.base+l.all.at)
		}
		l.all.skip()
		for len(l.first) < len(l.all.schemas) {
			l.first = append(l.first, i)
		}
	}
	l.starts = append(l.starts, l.all.base+l.all.at)
	l.count, l.schemas = int(count), l.all.schemas
	l.all.together()
	if l.all.end("unit"); l.all.err != nil {
		return fmt.Errorf("read units: %w", l.all.err)
	}
	return nil
}

// leastUnit is what a unit takes at least: an empty id, a key and two numbers.
const leastUnit = 35

func (l *unitList) len() int {
	if l == nil {
		return 0
	}
	return l.count
}

// raw are the bytes of a unit, until the next call of any method.
func (l *unitList) raw(i int) ([]byte, error) {
	if l.each == 1 {
		return l.all.b[l.starts[i]:l.starts[i+1]], nil
	}
	p := l.from(i)
	start := p.base + p.at
	p.skip()
	n := p.base + p.at - start
	if l.seek(start); p.err != nil || !p.fill(n) {
		return nil, errors.Join(io.ErrUnexpectedEOF, p.err)
	}
	return p.b[p.at : p.at+n], nil
}

// seek goes to a place in the list.
func (l *unitList) seek(place int) {
	p := &l.all
	if at := place - p.base; l.file == nil || 0 <= at && at < len(p.b) {
		p.at = at
		return
	}
	p.b, p.at, p.base = p.b[:0], 0, place
	p.src = io.NewSectionReader(l.file, int64(place), l.size-int64(place))
}

// from is a reader at the beginning of a unit.
func (l *unitList) from(i int) *unitReader {
	at := i - i%l.each
	l.seek(l.starts[at/l.each])
	for l.mentioned(at); at < i; at++ {
		l.all.skip()
	}
	l.mentioned(i)
	l.all.inputText = ""
	return &l.all
}

// mentioned has the reader know the schemas that units before one mention.
func (l *unitList) mentioned(i int) {
	n := sort.SearchInts(l.first, i)
	l.all.schemas = l.schemas[:n:n]
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
