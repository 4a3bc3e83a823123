package parquetrows

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/xitongsys/parquet-go/parquet"
)

// Rules say what a file may use and how much it may hold.
type Rules struct {
	// Codecs are the compressions that are read: zstd, snappy or none.
	Codecs []parquet.CompressionCodec
	// Dictionaries allows values to be stored as numbers of a dictionary. One text
	// of it may then stand in every row: whoever copies values counts them again.
	Dictionaries bool
	// Rows and Values bound the file; Values counts those of all guarded
	// columns.
	Rows, Values int64
	// Inflated bounds the memory that guarded columns take once they are
	// decoded: the uncompressed bytes of their pages, ValueBytes for each value,
	// and the footer many times over.
	Inflated int64
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

// Guard walks the columns of a file that will be decoded. leaves are all
// stored columns in order; skip, if not nil, names those that are left alone. It
// returns how much of the budget the file takes.
func (r Rules) Guard(data []byte, footer *parquet.FileMetaData, leaves []Leaf, skip func(Leaf) bool) (inflated int64, err error) {
	if n := footer.GetNumRows(); n < 0 || n > r.Rows {
		return 0, fmt.Errorf("%d rows; at most %d are read", n, r.Rows)
	}
	if err := r.claimed(footer, leaves, skip); err != nil {
		return 0, err
	}
	m := newMeter(r.Inflated)
	if err := m.take(footerBytes(data) * footerInflation); err != nil {
		return 0, err
	}
	w := walk{Rules: r, data: data, budget: m}
	if r.Exact {
		w.exact = &exactness{}
	}
	if err := w.groups(footer, leaves, skip); err != nil {
		return 0, err
	}
	if w.exact != nil {
		w.exact.footer(data, footer, r.Keys)
	}
	return r.Inflated - m.left, w.exact.err()
}

// walk goes over the columns of one file.
type walk struct {
	Rules
	data   []byte
	budget *meter
	exact  *exactness // nil unless asked for
}

func (w walk) groups(footer *parquet.FileMetaData, leaves []Leaf, skip func(Leaf) bool) error {
	var rows, values int64
	for i, g := range footer.GetRowGroups() {
		rows += g.GetNumRows()
		for j, c := range g.GetColumns() {
			n, err := w.column(c, leaves[j], g.GetNumRows(), skip)
			if err != nil {
				return fmt.Errorf("row group %d, column %s: %w", i, strings.Join(leaves[j].Path, "."), err)
			}
			if values += n; values > w.Values {
				return fmt.Errorf("more than %d values", w.Values)
			}
		}
	}
	if rows != footer.GetNumRows() {
		return fmt.Errorf("row groups hold %d rows, the footer says %d", rows, footer.GetNumRows())
	}
	return nil
}

func (w walk) column(c *parquet.ColumnChunk, l Leaf, rows int64, skip func(Leaf) bool) (int64, error) {
	m := c.GetMetaData()
	if m == nil || c.FilePath != nil || !slices.Equal(m.GetPathInSchema(), l.Path) {
		return 0, errors.New("its metadata is that of another place")
	}
	if skip != nil && skip(l) {
		return 0, nil
	}
	return w.chunk(c, l, rows)
}

// chunk walks the pages of one column of one row group and returns how many
// values it holds.
func (w walk) chunk(c *parquet.ColumnChunk, l Leaf, rows int64) (int64, error) {
	m := c.GetMetaData()
	if m.GetType() != l.Type {
		return 0, fmt.Errorf("values of type %s, want %s", m.GetType(), l.Type)
	}
	if !slices.Contains(w.Codecs, m.GetCodec()) {
		return 0, fmt.Errorf("compression %s; read are %v", m.GetCodec(), w.Codecs)
	}
	start := m.GetDataPageOffset()
	if m.DictionaryPageOffset != nil {
		start = *m.DictionaryPageOffset // where the decoder begins
		if !w.Dictionaries || l.Type != parquet.Type_BYTE_ARRAY && widthOf(l.Type) == 0 {
			return 0, errors.New("it has a dictionary, which is not read")
		}
		if w.exact != nil {
			w.exact.note("column %s is stored through a dictionary, so that its statistics are not checked", strings.Join(l.Path, "."))
		}
	}
	size, values := m.GetTotalCompressedSize(), m.GetNumValues()
	if start < 4 || size <= 0 || start > int64(len(w.data)) || size > int64(len(w.data))-start {
		return 0, fmt.Errorf("%d bytes at %d do not lie in the file", size, start)
	}
	if values < rows || values > w.Values {
		return 0, fmt.Errorf("%d values in %d rows", values, rows)
	}
	p := pageWalk{codec: m.GetCodec(), leaf: l, left: values, budget: w.budget, dictionary: m.DictionaryPageOffset != nil, exact: w.exact, seen: tally{kind: l.Type}}
	for pages := w.data[start : start+size]; len(pages) > 0; {
		taken, err := p.page(pages)
		if err != nil {
			return 0, err
		}
		pages = pages[taken:]
	}
	if p.left != 0 {
		return 0, fmt.Errorf("its pages hold %d values less than it says", p.left)
	}
	w.exact.column(c, l, rows, span{start, start + size}, &p.seen)
	return values, nil
}
