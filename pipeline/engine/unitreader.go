package engine

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/memforge/memforge/pipeline"
)

// unitReader reads the parts of units; after an error it gives zero values.
type unitReader struct {
	b       []byte    // what was read from src, or all there is
	at      int       // where the next part begins
	base    int       // where b begins in all that was read
	src     io.Reader // what follows b, or nil
	schemas []string
	err     error

	// What lives as long may be made together: a fold keeps the outputs alone.
	in, key, out texts
	outputs      refLists
	sum          [32]byte // the digest read last
	input        [32]byte // that of the unit's input, whose text is inputText
	inputText    string
}

// together is for who keeps all of a kind or nothing.
func (p *unitReader) together() *unitReader {
	p.in.together, p.key.together, p.out.together, p.outputs.together = true, true, true, true
	return p
}

// fill reads until there are n bytes to parse. It reports whether there are.
func (p *unitReader) fill(n int) bool {
	rest := p.b[p.at:]
	if len(rest) >= n || p.src == nil {
		return len(rest) >= n
	}
	room := p.b[:0]
	if cap(room) < n {
		room = make([]byte, 0, max(n, 1<<16))
	}
	have := copy(room[:cap(room)], rest)
	got, err := io.ReadAtLeast(p.src, room[have:cap(room)], n-have)
	p.b, p.at, p.base = room[:have+got], 0, p.base+p.at
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		p.err = err
	}
	return err == nil
}

func (p *unitReader) number() uint64 {
	if p.err != nil {
		return 0
	}
	if p.at < len(p.b) && p.b[p.at] < 0x80 {
		p.at++
		return uint64(p.b[p.at-1])
	}
	p.fill(binary.MaxVarintLen64) // or as many as there are
	if p.err != nil {
		return 0
	}
	n, used := binary.Uvarint(p.b[p.at:])
	switch {
	case used == 0:
		p.err = io.ErrUnexpectedEOF
	case used < 0:
		p.err = errors.New("a number of more than 64 bits")
	}
	if p.err != nil {
		return 0
	}
	p.at += used
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
	if !p.fill(int(n)) {
		if p.err == nil {
			p.err = io.ErrUnexpectedEOF
		}
		return nil
	}
	p.at += int(n)
	return p.b[p.at-int(n) : p.at]
}

// end makes sure that nothing follows.
func (p *unitReader) end(last string) {
	if p.err == nil && p.fill(1) {
		p.err = errors.New("data after the last " + last)
	}
}

func (p *unitReader) digest() string { return p.hex(&p.out) }

// hex is the text of a digest, which is often that of the unit's input.
func (p *unitReader) hex(among *texts) string {
	b := p.raw(32)
	if p.err != nil {
		return ""
	}
	if p.sum = [32]byte(b); p.inputText != "" && p.sum == p.input {
		return p.inputText
	}
	var text [64]byte
	hex.Encode(text[:], b)
	return among.of(text[:])
}

func (p *unitReader) unit() pipeline.Unit {
	p.inputText = ""
	var in pipeline.Ref
	if id := p.in.of(p.raw(p.number())); id != "" {
		in = p.ref(id, &p.in)
	}
	return p.unitOf(in)
}

// unitOf reads what follows the input of a unit, whose digest was read last.
func (p *unitReader) unitOf(in pipeline.Ref) (u pipeline.Unit) {
	if u.In = in; in.ID != "" {
		p.input, p.inputText = p.sum, string(in.Digest)
	}
	u.Key = pipeline.Key(p.hex(&p.key))
	outputs := p.number()
	if p.err == nil && outputs > 0 {
		u.Out = p.outputs.of(int(min(outputs, 64)))
	}
	for range outputs {
		id := u.In.ID
		if own := p.raw(p.number()); len(own) > 0 {
			id = p.out.of(own)
		}
		out := p.ref(id, &p.out)
		if p.err != nil {
			return u
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

// skip passes over a unit.
func (p *unitReader) skip() {
	if id := p.raw(p.number()); len(id) > 0 {
		p.schema()
		p.raw(32)
	}
	p.raw(32)
	for n := p.number(); n > 0 && p.err == nil; n-- {
		p.raw(p.number())
		p.schema()
		p.raw(32)
	}
	for n := p.number(); n > 0 && p.err == nil; n-- {
		p.raw(p.number())
	}
}

// rest reads what follows the id of a reference.
func (p *unitReader) rest(id string) pipeline.Ref { return p.ref(id, &p.out) }

func (p *unitReader) ref(id string, among *texts) pipeline.Ref {
	schema := p.schema()
	r := pipeline.Ref{ID: id, Schema: schema, Digest: pipeline.Digest(p.hex(among))}
	if p.err != nil {
		return pipeline.Ref{}
	}
	return r
}

func (p *unitReader) schema() string {
	n := p.number()
	switch known := uint64(len(p.schemas)); {
	case n == known && p.err == nil:
		p.schemas = append(p.schemas, string(p.raw(p.number())))
	case n > known:
		p.err = fmt.Errorf("schema %d of %d", n, known)
	}
	if p.err != nil {
		return ""
	}
	return p.schemas[n]
}
