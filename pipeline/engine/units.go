package engine

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/memforge/memforge/pipeline"
)

// unitsMark begins the list of a node's units; see EncodeUnits.
const unitsMark = "memforge units 2\n"

// EncodeUnits returns the bytes of a BuildNode.Units blob: unitsMark, the number of
// units and the units. Equal units give equal bytes. The caller sorts the units by
// In.ID.
//
// A unit is its input, its key, and the lists of outputs and rejections. Numbers
// are uvarints, texts have their length before them, digests are raw. A reference
// is id, schema, digest: an empty id is that of the unit's input, or of no input; a
// schema is the number of its first mention, and there follows its name. A
// rejection is a text of JSON.
func EncodeUnits(units []pipeline.Unit) ([]byte, error) { return StepResult{New: units}.Encode() }

type unitWriter struct {
	b       []byte
	schemas map[string]uint64
	agreed  int               // see alike
	to      func([]byte) bool // takes what is written, piece by piece, unless it is nil
}

const leastPassed = 64 << 10

var errNotWanted = errors.New("nobody reads on")

// pass passes on what is written once it is worth it.
func (w *unitWriter) pass() error {
	if w.to == nil || len(w.b) < leastPassed {
		return nil
	}
	if !w.to(w.b) {
		return errNotWanted
	}
	w.b = w.b[:0]
	return nil
}

func (w *unitWriter) unit(u *pipeline.Unit) error {
	w.text(u.In.ID)
	if u.In.ID != "" {
		if err := w.rest(u.In); err != nil {
			return err
		}
	}
	if err := w.digest(string(u.Key)); err != nil {
		return err
	}
	w.b = binary.AppendUvarint(w.b, uint64(len(u.Out)))
	for _, r := range u.Out {
		if r.ID == u.In.ID {
			w.text("")
		} else {
			w.text(r.ID)
		}
		if err := w.rest(r); err != nil {
			return err
		}
		if err := w.pass(); err != nil {
			return err
		}
	}
	w.b = binary.AppendUvarint(w.b, uint64(len(u.Rejections)))
	for _, r := range u.Rejections {
		b, err := pipeline.Canonical(r)
		if err != nil {
			return err
		}
		w.text(string(b))
	}
	return w.pass()
}

func (w *unitWriter) text(s string) {
	w.b = append(binary.AppendUvarint(w.b, uint64(len(s))), s...)
}

func (w *unitWriter) rest(r pipeline.Ref) error {
	n, known := w.schemas[r.Schema]
	if !known {
		n = uint64(len(w.schemas))
		w.schemas[r.Schema] = n
	}
	w.b = binary.AppendUvarint(w.b, n)
	if !known {
		w.text(r.Schema)
	}
	return w.digest(string(r.Digest))
}

func (w *unitWriter) digest(s string) error {
	raw, err := pipeline.RawDigest(s)
	w.b = append(w.b, raw[:]...)
	return err
}

// DecodeUnits is the inverse of EncodeUnits.
func DecodeUnits(b []byte) (units []pipeline.Unit, err error) {
	for u, err := range ReadUnits(bytes.NewReader(b)) {
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	return units, nil
}

// ReadUnits streams what EncodeUnits wrote, now or before there was unitsMark, so
// that a large node need not fit in memory. It ends after the first error, also
// when r fails its digest.
func ReadUnits(r io.Reader) iter.Seq2[pipeline.Unit, error] {
	return readUnits(r, &unitReader{})
}

func readUnits(r io.Reader, p *unitReader) iter.Seq2[pipeline.Unit, error] {
	src := bufio.NewReaderSize(r, 1<<16)
	if mark, err := src.Peek(len(unitsMark)); err != nil || string(mark) != unitsMark {
		return readUnitsV1(src)
	}
	p.src = src
	return p.list
}

// list reads a whole list.
func (p *unitReader) list(yield func(pipeline.Unit, error) bool) {
	p.raw(uint64(len(unitsMark)))
	count := p.number()
	for i := range count {
		u := p.unit()
		if p.err != nil {
			yield(pipeline.Unit{}, fmt.Errorf("read unit %d: %w", i, whole(p.src, p.err)))
			return
		}
		if !yield(u, nil) {
			return
		}
	}
	if p.end("unit"); p.err != nil {
		yield(pipeline.Unit{}, fmt.Errorf("read units: %w", whole(p.src, p.err)))
	}
}

// whole reads on after an error to where a reader can tell that the bytes are not
// those of their digest: that is then the cause.
func whole(src io.Reader, err error) error {
	if _, damaged := io.Copy(io.Discard, src); damaged != nil {
		return damaged
	}
	return err
}
