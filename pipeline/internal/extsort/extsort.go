// Package extsort puts any number of rows in order within bounded memory: what does
// not fit lies on disk in sorted runs, which are merged as they are read. The bytes
// of a row are what AppendRow writes, so that equal rows have equal bytes.
package extsort

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
)

// Tables holds the rows of several tables. Each is filled first and read afterwards, as
// often as one likes, also while others are filled, by one goroutine at a time. The
// zero Set is not usable.
type Tables struct {
	dir    string
	memory int
	used   int
	tables map[string]*table
	row    []byte // the last one added
}

// New makes a set that keeps about as many bytes of rows in memory as said, and
// those beyond in files below dir, which must exist when there are any.
func New(dir string, memory int) *Tables {
	return &Tables{dir: dir, memory: memory, tables: map[string]*table{}}
}

// entryBytes is what a row in memory takes beside its bytes.
const entryBytes = 16

// Rows in memory lie in chunks, for one list of all would be copied as it grows and be
// larger than its rows. The first chunk of a table is the least.
const (
	leastChunk = 4 << 10
	mostChunk  = 256 << 10
)

// entry is where a row lies in the memory of its table: its key, then its bytes.
type entry struct{ chunk, at, key, end int32 }

// table is the rows of one table that are in memory, and the runs of those that
// are not.
type table struct {
	chunks  [][]byte
	size    int // bytes of the rows in memory
	entries []entry
	rows    int64
	file    *os.File
	written int64
	runs    []run
}

// put takes a row into memory. Chunks do not move: who reads the table goes on with
// them while others take their place.
func (t *table) put(row []byte, key int) {
	last := len(t.chunks) - 1
	if last < 0 || cap(t.chunks[last])-len(t.chunks[last]) < len(row) {
		last++
		t.chunks = append(t.chunks, make([]byte, 0, max(len(row), min(max(t.size, leastChunk), mostChunk))))
	}
	at := len(t.chunks[last])
	t.chunks[last] = append(t.chunks[last], row...)
	t.entries = append(t.entries, entry{int32(last), int32(at), int32(at + key), int32(at + len(row))})
	t.size += len(row)
	t.rows++
}

func (t *table) heldBytes() int { return t.size + len(t.entries)*entryBytes }

// run is a sorted part of the file.
type run struct{ from, to int64 }

// Add takes a row. Rows of equal keys come back in the order in which they were
// added.
func (s *Tables) Add(name string, key []byte, cells []any) error {
	s.row = AppendRow(append(s.row[:0], key...), cells)
	return s.add(name, len(key))
}

// AddBytes is Add with the caller's bytes of a row, which Rows gives back.
func (s *Tables) AddBytes(name string, key, row []byte) error {
	s.row = append(append(s.row[:0], key...), row...)
	return s.add(name, len(key))
}

func (s *Tables) add(name string, key int) error {
	t := s.tables[name]
	if t == nil {
		t = &table{}
		s.tables[name] = t
	}
	t.put(s.row, key)
	if s.used += len(s.row) + entryBytes; s.used <= s.memory {
		return nil
	}
	return s.spill()
}

// Drop forgets a table and gives back what it took.
func (s *Tables) Drop(name string) error {
	t := s.tables[name]
	if t == nil {
		return nil
	}
	delete(s.tables, name)
	s.used -= t.heldBytes()
	return t.close()
}

// spill writes the rows of the table that has most in memory to its file.
func (s *Tables) spill() error {
	byBytes := func(a, b string) int {
		return cmp.Or(cmp.Compare(s.tables[a].size, s.tables[b].size), cmp.Compare(a, b))
	}
	name := slices.MaxFunc(slices.Collect(maps.Keys(s.tables)), byBytes)
	t := s.tables[name]
	if err := t.spill(s.dir); err != nil {
		return fmt.Errorf("put the rows of table %s in order on disk below %s: %w", name, s.dir, err)
	}
	s.used = 0
	for _, o := range s.tables {
		s.used += o.heldBytes()
	}
	return nil
}

func (t *table) spill(dir string) (err error) {
	if t.file == nil {
		if t.file, err = os.CreateTemp(dir, "rows-"); err != nil {
			return err
		}
		// Without a name nothing is left of it however the program ends.
		if err = os.Remove(t.file.Name()); err != nil {
			return err
		}
	}
	t.order()
	out := runWriter{file: t.file}
	for _, e := range t.entries {
		out.add(t.chunks[e.chunk][e.at:e.key], t.chunks[e.chunk][e.key:e.end])
	}
	out.flush()
	if out.err != nil {
		return out.err
	}
	t.runs = append(t.runs, run{t.written, t.written + out.n})
	t.written += out.n
	t.chunks, t.entries, t.size = nil, nil, 0
	return nil
}

func (t *table) order() {
	slices.SortStableFunc(t.entries, func(a, b entry) int {
		return bytes.Compare(t.chunks[a.chunk][a.at:a.key], t.chunks[b.chunk][b.at:b.key])
	})
}

// Len returns how many rows a table has.
func (s *Tables) Len(name string) int64 {
	if t := s.tables[name]; t != nil {
		return t.rows
	}
	return 0
}

// Spilled returns how many tables have rows on disk.
func (s *Tables) Spilled() (n int) {
	for _, t := range s.tables {
		if t.file != nil {
			n++
		}
	}
	return n
}

// Rows yields the rows of a table in the order of their keys, each as the bytes that
// AppendRow wrote. They are good until the next one is asked for. An error is the
// last thing that comes.
func (s *Tables) Rows(name string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		t := s.tables[name]
		if t == nil {
			return
		}
		t.order()
		m, err := t.merge()
		for err == nil && len(m) > 0 {
			if !yield(m[0].body, nil) {
				return
			}
			err = m.next()
		}
		if err != nil {
			yield(nil, fmt.Errorf("read the rows of table %s back from disk: %w", name, err))
		}
	}
}

func (t *table) close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}

// Close gives the files back.
func (s *Tables) Close() error {
	var errs []error
	for _, t := range s.tables {
		errs = append(errs, t.close())
	}
	s.tables = map[string]*table{}
	return errors.Join(errs...)
}

// Buffers of runs, of all together at the most and of one at the least.
const (
	mergeBuffers = 8 << 20
	leastBuffer  = 4 << 10
	writeBuffer  = 1 << 20
)

// runWriter writes rows one behind the other, each with the lengths of its key and
// of its bytes.
type runWriter struct {
	file *os.File
	buf  []byte
	n    int64
	err  error
}

func (w *runWriter) add(key, body []byte) {
	w.buf = binary.AppendUvarint(w.buf, uint64(len(key)))
	w.buf = binary.AppendUvarint(w.buf, uint64(len(body)))
	w.buf = append(append(w.buf, key...), body...)
	if len(w.buf) >= writeBuffer {
		w.flush()
	}
}

func (w *runWriter) flush() {
	if w.err == nil {
		_, w.err = w.file.Write(w.buf)
	}
	w.n += int64(len(w.buf))
	w.buf = w.buf[:0]
}

// cursor stands at a row of one run, or of those in memory, which come last.
type cursor struct {
	key, body []byte
	rank      int
	advance   func(*cursor) error // io.EOF behind the last row
}

// merged is a heap of cursors, the least row on top.
type merged []*cursor

func (m merged) Len() int { return len(m) }
func (m merged) Less(i, j int) bool {
	c := bytes.Compare(m[i].key, m[j].key)
	return c < 0 || c == 0 && m[i].rank < m[j].rank
}
func (m merged) Swap(i, j int) { m[i], m[j] = m[j], m[i] }
func (m *merged) Push(c any)   { *m = append(*m, c.(*cursor)) }
func (m *merged) Pop() any {
	last := (*m)[len(*m)-1]
	*m = (*m)[:len(*m)-1]
	return last
}

func (m *merged) next() error {
	err := (*m)[0].advance((*m)[0])
	switch {
	case err == nil:
		heap.Fix(m, 0)
	case errors.Is(err, io.EOF):
		heap.Pop(m)
		return nil
	}
	return err
}

// merge opens all runs at their first rows.
func (t *table) merge() (merged, error) {
	var m merged
	add := func(advance func(*cursor) error) error {
		c := &cursor{rank: len(m), advance: advance}
		err := advance(c)
		if err == nil {
			m = append(m, c)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
	for _, r := range t.runs {
		size := max(mergeBuffers/len(t.runs), leastBuffer)
		from := bufio.NewReaderSize(io.NewSectionReader(t.file, r.from, r.to-r.from), size)
		if err := add(func(c *cursor) error { return c.read(from) }); err != nil {
			return nil, err
		}
	}
	left, chunks := t.entries, t.chunks
	err := add(func(c *cursor) error {
		if len(left) == 0 {
			return io.EOF
		}
		e := left[0]
		left = left[1:]
		c.key, c.body = chunks[e.chunk][e.at:e.key], chunks[e.chunk][e.key:e.end]
		return nil
	})
	heap.Init(&m)
	return m, err
}

// read takes the next row of a run into the memory of the last.
func (c *cursor) read(from *bufio.Reader) error {
	key, err := binary.ReadUvarint(from)
	if err != nil {
		return err
	}
	body, err := binary.ReadUvarint(from)
	if err != nil {
		return errors.Join(errCut, err)
	}
	n := int(key + body)
	if cap(c.key) < n {
		c.key = make([]byte, n)
	}
	whole := c.key[:n]
	if _, err := io.ReadFull(from, whole); err != nil {
		return errors.Join(errCut, err)
	}
	c.key, c.body = whole[:key], whole[key:]
	return nil
}

var errCut = errors.New("a row is cut off")
