package engine

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// unitsMark begins the list of a step's units; see EncodeUnits.
const unitsMark = "memforge units 2\n"

// EncodeUnits returns the bytes of a BuildStep.UnitList blob: unitsMark, the number of
// units and the units. Equal units give equal bytes. The caller sorts the units by
// In.ID.
//
// A unit is its input, its key, and the lists of outputs and rejections. Numbers
// are uvarints, texts have their length before them, digests are raw. A reference
// is id, schema, digest: an empty id is that of the unit's input, or of no input; a
// schema is the number of its first mention, and there follows its name. A
// rejection is a text of JSON.
func EncodeUnits(units []pipeline.Unit) ([]byte, error) {
	var b bytes.Buffer
	w := newUnitWriter(&b, len(units))
	for i := range units {
		if err := w.unit(&units[i]); err != nil {
			return nil, err
		}
	}
	err := w.flush()
	return b.Bytes(), err
}

// unitWriter writes a list of units.
type unitWriter struct {
	to      io.Writer // nil where the caller takes b
	b       []byte
	schemas map[string]uint64
}

func newUnitWriter(to io.Writer, count int) *unitWriter {
	return &unitWriter{to: to, b: binary.AppendUvarint([]byte(unitsMark), uint64(count)), schemas: map[string]uint64{}}
}

func (w *unitWriter) flush() error {
	_, err := w.to.Write(w.b)
	w.b = w.b[:0]
	return err
}

func (w *unitWriter) unit(u *pipeline.Unit) error {
	if err := w.parts(u); err != nil {
		return fmt.Errorf("encode the unit of %q (%s): %w", u.In.ID, u.Key, err)
	}
	return nil
}

func (w *unitWriter) parts(u *pipeline.Unit) error {
	const large = 64 << 10
	w.text(u.In.ID)
	if u.In.ID != "" {
		if err := w.afterID(u.In); err != nil {
			return err
		}
	}
	if err := w.digest(string(u.Key)); err != nil {
		return err
	}
	w.b = binary.AppendUvarint(w.b, uint64(len(u.Out)))
	for _, r := range u.Out {
		id := r.ID
		if id == u.In.ID {
			id = ""
		}
		w.text(id)
		if err := w.afterID(r); err != nil {
			return err
		}
		if w.to != nil && len(w.b) >= large {
			if err := w.flush(); err != nil {
				return err
			}
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
	if w.to != nil && len(w.b) >= large {
		return w.flush()
	}
	return nil
}

func (w *unitWriter) text(s string) {
	w.b = append(binary.AppendUvarint(w.b, uint64(len(s))), s...)
}

func (w *unitWriter) afterID(r pipeline.Ref) error {
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

// unitReader reads the parts of units; after an error it gives zero values.
type unitReader struct {
	b       []byte    // what was read from src, or all there is
	at      int       // where the next part begins
	base    int64     // where b begins in all that was read
	src     io.Reader // what follows b, or nil
	schemas []string
	err     error
}

// fill reads until there are n bytes to parse. It reports whether there are.
func (p *unitReader) fill(n int) bool {
	rest := p.b[p.at:]
	if len(rest) >= n || p.src == nil {
		return len(rest) >= n
	}
	buffer := p.b[:0]
	if cap(buffer) < n {
		buffer = make([]byte, 0, max(n, 1<<16))
	}
	have := copy(buffer[:cap(buffer)], rest)
	got, err := io.ReadAtLeast(p.src, buffer[have:cap(buffer)], n-have)
	p.b, p.at, p.base = buffer[:have+got], 0, p.base+int64(p.at)
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

// raw returns the next n bytes, valid until the next call.
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

// text returns the next text, valid until the next call.
func (p *unitReader) text() []byte { return p.raw(p.number()) }

func (p *unitReader) expectEnd(last string) {
	if p.err == nil && p.fill(1) {
		p.err = errors.New("data after the last " + last)
	}
}

func (p *unitReader) digest() string {
	var text [64]byte
	b := p.raw(32)
	if p.err != nil {
		return ""
	}
	hex.Encode(text[:], b)
	return string(text[:])
}

func (p *unitReader) unit() (u pipeline.Unit) {
	if id := string(p.text()); id != "" {
		u.In = p.ref(id)
	}
	u.Key = pipeline.Key(p.digest())
	outputs := p.number()
	if p.err == nil && outputs > 0 {
		u.Out = make([]pipeline.Ref, 0, min(outputs, 64))
	}
	for ; outputs > 0 && p.err == nil; outputs-- {
		id := u.In.ID
		if own := p.text(); len(own) > 0 {
			id = string(own)
		}
		u.Out = append(u.Out, p.ref(id))
	}
	for n := p.number(); n > 0 && p.err == nil; n-- {
		text := p.text()
		if p.err != nil {
			break
		}
		var r pipeline.Rejection
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		p.err = dec.Decode(&r)
		u.Rejections = append(u.Rejections, r)
	}
	return u
}

// skip passes over a unit.
func (p *unitReader) skip() {
	if id := p.text(); len(id) > 0 {
		p.schema()
		p.raw(32)
	}
	p.raw(32)
	for n := p.number(); n > 0 && p.err == nil; n-- {
		p.text()
		p.schema()
		p.raw(32)
	}
	for n := p.number(); n > 0 && p.err == nil; n-- {
		p.text()
	}
}

// ref reads what follows the id of a reference.
func (p *unitReader) ref(id string) pipeline.Ref {
	schema := p.schema()
	return pipeline.Ref{ID: id, Schema: schema, Digest: pipeline.Digest(p.digest())}
}

func (p *unitReader) schema() string {
	n := p.number()
	switch known := uint64(len(p.schemas)); {
	case n == known && p.err == nil:
		p.schemas = append(p.schemas, string(p.text()))
	case n > known:
		p.err = fmt.Errorf("schema %d of %d", n, known)
	}
	if p.err != nil {
		return ""
	}
	return p.schemas[n]
}

// DecodeUnits is the inverse of EncodeUnits.
func DecodeUnits(b []byte) ([]pipeline.Unit, error) {
	return collectUnits(ReadUnits(bytes.NewReader(b)))
}

func collectUnits(all iter.Seq2[pipeline.Unit, error]) (units []pipeline.Unit, err error) {
	for u, err := range all {
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	return units, nil
}

// ReadUnits streams what EncodeUnits wrote, now or before there was unitsMark, so
// that a large step need not fit in memory. It ends after the first error, also
// when r fails its digest.
func ReadUnits(r io.Reader) iter.Seq2[pipeline.Unit, error] {
	src := bufio.NewReaderSize(r, 1<<16)
	if mark, err := src.Peek(len(unitsMark)); err != nil || string(mark) != unitsMark {
		return readUnitsV1(src)
	}
	return func(yield func(pipeline.Unit, error) bool) {
		p := unitReader{src: src}
		p.raw(uint64(len(unitsMark)))
		count := p.number()
		for i := range count {
			u := p.unit()
			if p.err != nil {
				yield(pipeline.Unit{}, fmt.Errorf("read unit %d: %w", i, digestError(src, p.err)))
				return
			}
			if !yield(u, nil) {
				return
			}
		}
		if p.expectEnd("unit"); p.err != nil {
			yield(pipeline.Unit{}, fmt.Errorf("read units: %w", digestError(src, p.err)))
		}
	}
}

// digestError reads on after an error to where a reader can tell that the bytes are not
// those of their digest: that is then the cause.
func digestError(src io.Reader, err error) error {
	if _, damaged := io.Copy(io.Discard, src); damaged != nil {
		return damaged
	}
	return err
}

// LoadUnits reads the units of a finished step.
func LoadUnits(ctx context.Context, st pipeline.Store, d pipeline.Digest) (units []pipeline.Unit, err error) {
	for u, err := range StoredUnits(ctx, st, d) {
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	return units, nil
}

// StoredUnits yields the units of a finished step, and again each time it is ranged
// over. An error comes last.
func StoredUnits(ctx context.Context, st pipeline.Store, d pipeline.Digest) iter.Seq2[pipeline.Unit, error] {
	return func(yield func(pipeline.Unit, error) bool) {
		f, err := st.OpenBlob(ctx, d)
		if err != nil {
			yield(pipeline.Unit{}, fmt.Errorf("units %s: %w", d, err))
			return
		}
		defer f.Close()
		ReadUnits(f)(yield)
	}
}

// outputsOf yields the outputs of some schemas that a list of units names, in its order.
func outputsOf(ctx context.Context, st pipeline.Store, list pipeline.Digest, schemas []string) iter.Seq2[pipeline.Ref, error] {
	return func(yield func(pipeline.Ref, error) bool) {
		for u, err := range StoredUnits(ctx, st, list) {
			if err != nil {
				yield(pipeline.Ref{}, err)
				return
			}
			for _, r := range u.Out {
				if slices.Contains(schemas, r.Schema) && !yield(r, nil) {
					return
				}
			}
		}
	}
}

// A unitList finds single units of a stored list. It knows where each eighth of them
// begins and decodes a unit when it is asked for: most units of an earlier run are
// only handed on.
type unitList struct {
	reader  unitReader
	file    io.ReaderAt
	size    int64
	count   int
	starts  []int64
	schemas []string
	first   []int // by schema, the unit that mentions it first
	at      int   // a unit whose place is known besides: the last one read, or the next
	place   int64
}

const (
	perStart   = 8
	leastUnit  = 35      // bytes: an empty id, a key and two numbers
	aheadBytes = 8 << 10 // that are read of the file at once
)

// openUnitList opens a stored list. It returns nil for one of the first format, whose
// units cannot be found one by one.
func openUnitList(ctx context.Context, st pipeline.Store, d pipeline.Digest) (*unitList, error) {
	path, err := st.BlobPath(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("units %s: %w", d, err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("units %s: %w", d, err)
	}
	info, err := f.Stat()
	if err == nil {
		var l *unitList
		if l, err = newUnitList(f, info.Size()); l != nil && err == nil {
			return l, nil
		}
	}
	return nil, errors.Join(err, f.Close())
}

func newUnitList(file io.ReaderAt, size int64) (*unitList, error) {
	l := &unitList{file: file, size: size}
	p := &l.reader
	l.seek(0)
	switch mark := p.raw(uint64(len(unitsMark))); {
	case bytes.HasPrefix(mark, []byte{0x1f, 0x8b}):
		return nil, nil
	case p.err == nil && string(mark) != unitsMark:
		p.err = errors.New("they do not begin as a list of units")
	}
	count := p.number()
	if p.err == nil && count > uint64(size/leastUnit) {
		p.err = fmt.Errorf("%d of them, which cannot be", count)
	}
	for i := 0; i < int(count) && p.err == nil; i++ {
		if i%perStart == 0 {
			l.starts = append(l.starts, p.base+int64(p.at))
		}
		p.skip()
		for len(l.first) < len(p.schemas) {
			l.first = append(l.first, i)
		}
	}
	if p.expectEnd("unit"); p.err != nil {
		return nil, fmt.Errorf("read units: %w", p.err)
	}
	l.count, l.schemas = int(count), p.schemas
	p.b, p.at = make([]byte, 0, aheadBytes), 0
	return l, nil
}

// close closes the file. A nil list has none.
func (l *unitList) close() error {
	if l == nil {
		return nil
	}
	if f, ok := l.file.(io.Closer); ok {
		return f.Close()
	}
	return nil
}

func (l *unitList) seek(place int64) {
	p := &l.reader
	if at := place - p.base; 0 <= at && at < int64(len(p.b)) {
		p.at = int(at)
		return
	}
	p.b, p.at, p.base = p.b[:0], 0, place
	p.src = io.NewSectionReader(l.file, place, l.size-place)
}

// readerAt returns a reader at the beginning of a unit. Those that are read one after the
// other are not sought again.
func (l *unitList) readerAt(i int) *unitReader {
	at, place := i-i%perStart, l.starts[i/perStart]
	if at < l.at && l.at <= i {
		at, place = l.at, l.place
	}
	l.seek(place)
	for l.mention(at); at < i; at++ {
		l.reader.skip()
	}
	l.mention(i)
	l.at, l.place = i, l.reader.base+int64(l.reader.at)
	return &l.reader
}

// mention has the reader know the schemas that units before one mention.
func (l *unitList) mention(i int) {
	n := sort.SearchInts(l.first, i)
	l.reader.schemas = l.schemas[:n:n]
}

func (l *unitList) unit(i int) (pipeline.Unit, error) {
	p := l.readerAt(i)
	u := p.unit()
	l.at, l.place = i+1, p.base+int64(p.at)
	return u, p.err
}

func (l *unitList) input(i int) string { return string(l.readerAt(i).text()) }

// find returns the first unit from which on inputs have no smaller id: units are in
// that order.
func (l *unitList) find(id string) int {
	return sort.Search(l.count, func(i int) bool { return strings.Compare(l.input(i), id) >= 0 })
}

func (l *unitList) except(places []int32) iter.Seq2[pipeline.Unit, error] {
	return func(yield func(pipeline.Unit, error) bool) {
		for i := range l.count {
			if len(places) > 0 && int(places[0]) == i {
				places = places[1:]
				continue
			}
			if !yield(l.unit(i)) {
				return
			}
		}
	}
}

// readUnitsV1 reads units as they were written first: one a line as JSON, gzipped.
func readUnitsV1(src *bufio.Reader) iter.Seq2[pipeline.Unit, error] {
	return func(yield func(pipeline.Unit, error) bool) {
		n := 0
		fail := func(err error) { yield(pipeline.Unit{}, fmt.Errorf("read unit %d: %w", n, digestError(src, err))) }
		zr, err := gzip.NewReader(src)
		if err != nil {
			fail(err)
			return
		}
		zr.Multistream(false)
		dec := json.NewDecoder(zr)
		dec.DisallowUnknownFields()
		for ; ; n++ {
			var u pipeline.Unit
			err := dec.Decode(&u)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				fail(err)
				return
			}
			if !yield(u, nil) {
				return
			}
		}
		if _, err := src.ReadByte(); !errors.Is(err, io.EOF) {
			if err == nil {
				err = errors.New("data after the last unit")
			}
			fail(err)
		}
	}
}
