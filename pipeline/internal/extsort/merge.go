package extsort

import (
	"bufio"
	"bytes"
	"container/heap"
	"encoding/binary"
	"errors"
	"io"
	"os"
)

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

// next moves to the next row.
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
