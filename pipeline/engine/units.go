package engine

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
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
func EncodeUnits(units []pipeline.Unit) ([]byte, error) {
	const each = 192
	w := unitWriter{b: make([]byte, 0, len(units)*each+64), schemas: map[string]uint64{}}
	w.b = binary.AppendUvarint(append(w.b, unitsMark...), uint64(len(units)))
	for i := range units {
		if err := w.unit(&units[i]); err != nil {
			return nil, fmt.Errorf("encode unit %d (%s): %w", i, units[i].Key, err)
		}
	}
	return w.b, nil
}

type unitWriter struct {
	b       []byte
	schemas map[string]uint64
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
	}
	w.b = binary.AppendUvarint(w.b, uint64(len(u.Rejections)))
	for _, r := range u.Rejections {
		b, err := pipeline.Canonical(r)
		if err != nil {
			return err
		}
		w.text(string(b))
	}
	return nil
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
func DecodeUnits(b []byte) ([]pipeline.Unit, error) { return collectUnits(bytes.NewReader(b)) }

func collectUnits(r io.Reader) (units []pipeline.Unit, err error) {
	for u, err := range ReadUnits(r) {
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
	src := bufio.NewReaderSize(r, 1<<16)
	if mark, err := src.Peek(len(unitsMark)); err != nil || string(mark) != unitsMark {
		return readUnits1(src)
	}
	return func(yield func(pipeline.Unit, error) bool) {
		p := unitReader{src: src}
		p.raw(uint64(len(unitsMark)))
		count := p.number()
		for i := range count {
			u := p.unit()
			if p.err != nil {
				yield(pipeline.Unit{}, fmt.Errorf("read unit %d: %w", i, whole(src, p.err)))
				return
			}
			if !yield(u, nil) {
				return
			}
		}
		if _, err := src.ReadByte(); p.err == nil && !errors.Is(err, io.EOF) {
			if p.err = err; err == nil {
				p.err = errors.New("data after the last unit")
			}
		}
		if p.err != nil {
			yield(pipeline.Unit{}, fmt.Errorf("read units: %w", whole(src, p.err)))
		}
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

// unitReader reads the parts of units; after an error it gives zero values.
type unitReader struct {
	src     *bufio.Reader
	schemas []string
	buf     []byte
	err     error
}

func (p *unitReader) number() uint64 {
	if p.err != nil {
		return 0
	}
	if b, err := p.src.Peek(1); err == nil && b[0] < 0x80 {
		_, err = p.src.Discard(1)
		p.err = err
		return uint64(b[0])
	}
	n, err := binary.ReadUvarint(p.src)
	if p.err = err; errors.Is(err, io.EOF) {
		p.err = io.ErrUnexpectedEOF
	}
	return n
}

// raw is the next n bytes, valid until the next call.
func (p *unitReader) raw(n uint64) []byte {
	if p.err == nil && n > pipeline.MaxRecordBytes {
		p.err = fmt.Errorf("a part of %d bytes", n)
	}
	if p.err != nil {
		return nil
	}
	if n <= uint64(p.src.Size()) {
		b, err := p.src.Peek(int(n))
		if err != nil {
			p.err = io.ErrUnexpectedEOF
			return nil
		}
		_, p.err = p.src.Discard(int(n))
		return b
	}
	if uint64(cap(p.buf)) < n {
		p.buf = make([]byte, n)
	}
	p.buf = p.buf[:n]
	if _, err := io.ReadFull(p.src, p.buf); err != nil {
		p.err = io.ErrUnexpectedEOF
	}
	return p.buf
}

func (p *unitReader) digest() string {
	b := p.raw(32)
	if p.err != nil {
		return ""
	}
	return string(pipeline.DigestFrom([32]byte(b)))
}

func (p *unitReader) unit() (u pipeline.Unit) {
	if id := string(p.raw(p.number())); id != "" {
		u.In = p.rest(id)
	}
	u.Key = pipeline.Key(p.digest())
	outputs := p.number()
	if p.err == nil && outputs > 0 {
		u.Out = make([]pipeline.Ref, 0, min(outputs, 64))
	}
	for range outputs {
		id := string(p.raw(p.number()))
		if id == "" {
			id = u.In.ID
		}
		out := p.rest(id)
		if p.err != nil {
			return u
		}
		if out == u.In {
			out = u.In // the same strings
		}
		u.Out = append(u.Out, out)
	}
	for range p.number() {
		lost := p.raw(p.number())
		if p.err != nil {
			return u
		}
		var r pipeline.Rejection
		dec := json.NewDecoder(bytes.NewReader(lost))
		dec.DisallowUnknownFields()
		p.err = dec.Decode(&r)
		u.Rejections = append(u.Rejections, r)
	}
	return u
}

// rest reads what follows the id of a reference.
func (p *unitReader) rest(id string) pipeline.Ref {
	n := p.number()
	switch known := uint64(len(p.schemas)); {
	case n == known && p.err == nil:
		p.schemas = append(p.schemas, string(p.raw(p.number())))
	case n > known:
		p.err = fmt.Errorf("schema %d of %d", n, known)
	}
	if p.err != nil {
		return pipeline.Ref{}
	}
	return pipeline.Ref{ID: id, Schema: p.schemas[n], Digest: pipeline.Digest(p.digest())}
}
