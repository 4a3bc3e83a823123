// Package parquetread reads Parquet files that strangers wrote. The decoder
// trusts every length and count in a file, so each page that will be decoded
// is walked first, and what would take memory or time out of proportion is an
// error. Callers compare a file's digest before that: most damage to values
// leaves no trace.
package parquetread

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/apache/thrift/lib/go/thrift"
	"github.com/xitongsys/parquet-go/common"
	"github.com/xitongsys/parquet-go/parquet"
)

// Rules say what a file may use and how much it may hold.
type Rules struct {
	// Codecs are the compressions that are read: zstd, snappy or none.
	Codecs []parquet.CompressionCodec
	// Dictionaries allows values to be stored as numbers of a dictionary. One text
	// of it may then stand in every row: a caller that copies values counts them again.
	Dictionaries bool
	// Rows and Values bound the file; Values counts those of all guarded
	// columns.
	Rows, Values int64
	// Exact asks besides that every byte belongs to a column or says what is read,
	// and that statistics are those of the values. Keys are the texts that a footer
	// may hold beside. What is otherwise is an *InexactError, which comes after all
	// that makes a file unreadable: the rows may be decoded in spite of it.
	Exact bool
	Keys  []string
}

// Leaf is one stored column: its place, its type and its highest levels.
type Leaf struct {
	Path     []string
	Type     parquet.Type
	Def, Rep int
}

// CheckFooter holds what the footer says of a file against itself and the rules. leaves
// are all stored columns in order; skip, if not nil, names those that are left alone.
// What the footer says is not believed: Group counts again. It returns how much of
// the budget the footer takes.
func (f *File) CheckFooter(r Rules, leaves []Leaf, skip func(Leaf) bool, budget int64) (inflated int64, err error) {
	f.rules, f.leaves, f.skip = r, leaves, skip
	if r.Exact {
		f.exact = &exactness{}
	}
	m := newMeter(budget)
	if err := m.spend(int64(len(f.raw)) * footerInflation); err != nil {
		return 0, err
	}
	var rows, values int64
	for i, g := range f.Footer.GetRowGroups() {
		n, err := f.claimedValues(g)
		if err != nil {
			return 0, fmt.Errorf("row group %d: %w", i, err)
		}
		if rows, values = rows+g.GetNumRows(), values+n; rows > r.Rows || values > r.Values {
			return 0, fmt.Errorf("%d rows and %d values; at most %d and %d are read", rows, values, r.Rows, r.Values)
		}
	}
	if rows != f.Footer.GetNumRows() {
		return 0, fmt.Errorf("row groups hold %d rows, the footer says %d", rows, f.Footer.GetNumRows())
	}
	return budget - m.left, nil
}

func (f *File) claimedValues(g *parquet.RowGroup) (values int64, err error) {
	if len(g.GetColumns()) != len(f.leaves) || g.GetNumRows() <= 0 || g.GetNumRows() > f.rules.Rows {
		return 0, fmt.Errorf("%d columns and %d rows", len(g.GetColumns()), g.GetNumRows())
	}
	for j, c := range g.GetColumns() {
		if f.skips(j) {
			continue
		}
		n := c.GetMetaData().GetNumValues()
		if n < 0 || n > f.rules.Values || values+n > f.rules.Values {
			return 0, fmt.Errorf("column %s: %d values", strings.Join(f.leaves[j].Path, "."), n)
		}
		values += n
	}
	return values, nil
}

func (f *File) skips(leaf int) bool { return f.skip != nil && f.skip(f.leaves[leaf]) }

// Groups is how many row groups there are.
func (f *File) Groups() int { return len(f.Footer.GetRowGroups()) }

// LoadGroup reads a row group and walks the columns of it that will be decoded, within
// a budget of memory: twice that is the most that it takes.
func (f *File) LoadGroup(i int, budget int64) (*Group, error) {
	group := f.Footer.GetRowGroups()[i]
	w := groupCheck{Rules: f.rules, budget: newMeter(budget), exact: f.exact}
	if err := f.checkBudget(group, budget); err != nil {
		return nil, err
	}
	var chunks chunkFile
	for j, c := range group.GetColumns() {
		l := f.leaves[j]
		m := c.GetMetaData()
		if m == nil || c.FilePath != nil || !slices.Equal(m.GetPathInSchema(), l.Path) {
			return nil, fmt.Errorf("row group %d, column %s: its metadata is that of another place", i, strings.Join(l.Path, "."))
		}
		if f.skips(j) {
			continue
		}
		chunk, err := f.load(m)
		if err == nil {
			err = w.checkChunk(c, l, group.GetNumRows(), chunk)
		}
		if err != nil {
			return nil, fmt.Errorf("row group %d, column %s: %w", i, strings.Join(l.Path, "."), err)
		}
		chunks.chunks = append(chunks.chunks, chunk)
	}
	return &Group{Rows: group.GetNumRows(), Inflated: budget - w.budget.left, reader: f.open(group, chunks)}, nil
}

// checkBudget adds up what the footer says of the columns of a group, so that most
// bombs are refused before a page of them is looked at.
func (f *File) checkBudget(group *parquet.RowGroup, budget int64) error {
	inflated, packed := newMeter(budget), newMeter(budget)
	for j, c := range group.GetColumns() {
		m := c.GetMetaData()
		if m == nil || f.skips(j) {
			continue
		}
		for _, err := range []error{
			inflated.spend(m.GetNumValues() * ValueBytes), inflated.spend(m.GetTotalUncompressedSize()), packed.spend(m.GetTotalCompressedSize()),
		} {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// load reads a column chunk from where the decoder begins.
func (f *File) load(m *parquet.ColumnMetaData) (loaded, error) {
	start, size := m.GetDataPageOffset(), m.GetTotalCompressedSize()
	if m.DictionaryPageOffset != nil {
		start = *m.DictionaryPageOffset
	}
	if start < 4 || size <= 0 || start > f.size || size > f.size-start {
		return loaded{}, fmt.Errorf("%d bytes at %d do not lie in the file", size, start)
	}
	chunk := loaded{start, make([]byte, size)}
	return chunk, readAt(f.at, chunk.data, start)
}

// Exact says what of the file is otherwise than its rows call for, once all groups
// have been read: an *InexactError.
func (f *File) Exact() error {
	if f.exact != nil {
		f.exact.footer(f, f.rules.Keys)
	}
	return f.exact.err()
}

// groupCheck checks the columns of one row group.
type groupCheck struct {
	Rules
	budget *meter
	exact  *exactness // nil unless asked for
}

func (w groupCheck) checkChunk(c *parquet.ColumnChunk, l Leaf, rows int64, chunk loaded) error {
	m := c.GetMetaData()
	if m.GetType() != l.Type {
		return fmt.Errorf("values of type %s, want %s", m.GetType(), l.Type)
	}
	if !slices.Contains(w.Codecs, m.GetCodec()) {
		return fmt.Errorf("compression %s; read are %v", m.GetCodec(), w.Codecs)
	}
	if m.DictionaryPageOffset != nil {
		if !w.Dictionaries || l.Type != parquet.Type_BYTE_ARRAY && widthOf(l.Type) == 0 {
			return errors.New("it has a dictionary, which is not read")
		}
		if w.exact != nil {
			w.exact.note("column %s is stored through a dictionary, so that its statistics are not checked", strings.Join(l.Path, "."))
		}
	}
	if values := m.GetNumValues(); values < rows {
		return fmt.Errorf("%d values in %d rows", values, rows)
	}
	p := pageCheck{codec: m.GetCodec(), leaf: l, left: m.GetNumValues(), budget: w.budget, dictionary: m.DictionaryPageOffset != nil, exact: w.exact, seen: valueStats{kind: l.Type}}
	for pages := chunk.data; len(pages) > 0; {
		taken, err := p.checkPage(pages)
		if err != nil {
			return err
		}
		pages = pages[taken:]
	}
	if p.left != 0 {
		return fmt.Errorf("its pages hold %d values less than it says", p.left)
	}
	w.exact.column(c, l, rows, span{chunk.from, chunk.from + int64(len(chunk.data))}, &p.seen)
	return nil
}

// What a file costs beside the bytes of its pages. A null takes no byte of a
// file and about as much memory as a number once it is decoded; an entry of a
// footer takes a few bytes of the file and many times that as a value.
const (
	ValueBytes      = 64
	footerInflation = 64
)

// BudgetError says that a file takes more once inflated than it may.
type BudgetError struct{ Budget int64 }

func (e *BudgetError) Error() string {
	return fmt.Sprintf("it takes more than the %d bytes that it may once inflated, each value counted with %d bytes beside its own", e.Budget, ValueBytes)
}

// meter counts down a budget.
type meter struct{ budget, left int64 }

func newMeter(budget int64) *meter { return &meter{budget, budget} }

// spend is called before memory is taken.
func (m *meter) spend(n int64) error {
	if n < 0 || n > m.left {
		return &BudgetError{m.budget}
	}
	m.left -= n
	return nil
}

// maxPageBytes bounds one page, compressed or not, and maxFooter a footer, of
// which each byte takes many once it is decoded.
const (
	maxPageBytes = 64 << 20
	maxFooter    = 16 << 20
)

// File is a Parquet file of which the footer has been read. Its row groups are
// read one by one.
type File struct {
	Footer *parquet.FileMetaData
	at     io.ReaderAt
	size   int64
	raw    []byte // the footer as it stands in the file
	// Set by CheckFooter.
	rules  Rules
	leaves []Leaf
	skip   func(Leaf) bool
	exact  *exactness
}

// Open decodes the footer under the limit that no list or string in it is longer
// than the footer.
func Open(at io.ReaderAt, size int64) (*File, error) {
	var head [4]byte
	var tail [8]byte
	if size < 12 {
		return nil, errors.New("not a Parquet file")
	}
	if err := errors.Join(readAt(at, head[:], 0), readAt(at, tail[:], size-8)); err != nil {
		return nil, err
	}
	if string(head[:]) != "PAR1" || string(tail[4:]) != "PAR1" {
		return nil, errors.New("not a Parquet file")
	}
	n := int64(uint32At(tail[:]))
	if n == 0 || n > size-12 || n > maxFooter {
		return nil, fmt.Errorf("a footer of %d bytes does not fit", n)
	}
	f := &File{Footer: parquet.NewFileMetaData(), at: at, size: size, raw: make([]byte, n)}
	if err := readAt(at, f.raw, size-8-n); err != nil {
		return nil, err
	}
	if _, err := readThrift(f.Footer, f.raw); err != nil {
		return nil, fmt.Errorf("footer: %w", err)
	}
	return f, nil
}

func readAt(at io.ReaderAt, b []byte, from int64) error {
	if n, err := at.ReadAt(b, from); n < len(b) {
		return fmt.Errorf("read %d bytes at %d: %w", len(b), from, err)
	}
	return nil
}

// readThrift decodes one value and returns how many bytes it took.
func readThrift(v interface {
	Read(context.Context, thrift.TProtocol) error
}, data []byte) (int, error) {
	buffer := &thrift.TMemoryBuffer{Buffer: bytes.NewBuffer(data)}
	limit := &thrift.TConfiguration{MaxMessageSize: int32(min(len(data), maxPageBytes)), MaxFrameSize: int32(min(len(data), maxPageBytes))}
	err := v.Read(context.Background(), thrift.NewTCompactProtocolConf(buffer, limit))
	return len(data) - buffer.Len(), err
}

func uint32At(b []byte) int { return int(binary.LittleEndian.Uint32(b)) }

// Dictionaries are the columns, by their path as the library joins it, of which a
// part is stored through a dictionary.
func (f *File) Dictionaries() map[string]bool {
	out := map[string]bool{}
	for _, g := range f.Footer.GetRowGroups() {
		for _, c := range g.GetColumns() {
			if m := c.GetMetaData(); m != nil && m.DictionaryPageOffset != nil {
				out[common.PathToStr(m.GetPathInSchema())] = true
			}
		}
	}
	return out
}
