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
	// Dictionaries allows texts to be stored as numbers of a dictionary.
	Dictionaries bool
	// Rows and Values bound the file; Values counts those of all guarded
	// columns.
	Rows, Values int64
}

// Leaf is one stored column: its place, its type and its highest levels.
type Leaf struct {
	Path     []string
	Type     parquet.Type
	Def, Rep int
}

// Guard walks the columns of a file that will be decoded. leaves are all
// stored columns in order; skip, if not nil, names those that are left alone.
func (r Rules) Guard(data []byte, footer *parquet.FileMetaData, leaves []Leaf, skip func(Leaf) bool) error {
	if n := footer.GetNumRows(); n < 0 || n > r.Rows {
		return fmt.Errorf("%d rows; at most %d are read", n, r.Rows)
	}
	var rows, values int64
	for i, g := range footer.GetRowGroups() {
		if len(g.GetColumns()) != len(leaves) || g.GetNumRows() <= 0 {
			return fmt.Errorf("row group %d: %d columns and %d rows", i, len(g.GetColumns()), g.GetNumRows())
		}
		rows += g.GetNumRows()
		for j, c := range g.GetColumns() {
			n, err := r.column(data, c, leaves[j], g.GetNumRows(), skip)
			if err != nil {
				return fmt.Errorf("row group %d, column %s: %w", i, strings.Join(leaves[j].Path, "."), err)
			}
			if values += n; values > r.Values {
				return fmt.Errorf("more than %d values", r.Values)
			}
		}
	}
	if rows != footer.GetNumRows() {
		return fmt.Errorf("row groups hold %d rows, the footer says %d", rows, footer.GetNumRows())
	}
	return nil
}

func (r Rules) column(data []byte, c *parquet.ColumnChunk, l Leaf, rows int64, skip func(Leaf) bool) (int64, error) {
	m := c.GetMetaData()
	if m == nil || c.FilePath != nil || !slices.Equal(m.GetPathInSchema(), l.Path) {
		return 0, errors.New("its metadata is that of another place")
	}
	if skip != nil && skip(l) {
		return 0, nil
	}
	return r.chunk(data, m, l, rows)
}

// chunk walks the pages of one column of one row group and returns how many
// values it holds.
func (r Rules) chunk(data []byte, m *parquet.ColumnMetaData, l Leaf, rows int64) (int64, error) {
	if m.GetType() != l.Type {
		return 0, fmt.Errorf("values of type %s, want %s", m.GetType(), l.Type)
	}
	if !slices.Contains(r.Codecs, m.GetCodec()) {
		return 0, fmt.Errorf("compression %s; read are %v", m.GetCodec(), r.Codecs)
	}
	start := m.GetDataPageOffset()
	if m.DictionaryPageOffset != nil {
		start = *m.DictionaryPageOffset // where the decoder begins
		if !r.Dictionaries || l.Type != parquet.Type_BYTE_ARRAY {
			return 0, errors.New("it has a dictionary, which is not read")
		}
	}
	size, values := m.GetTotalCompressedSize(), m.GetNumValues()
	if start < 4 || size <= 0 || start > int64(len(data)) || size > int64(len(data))-start {
		return 0, fmt.Errorf("%d bytes at %d do not lie in the file", size, start)
	}
	if values < rows || values > r.Values {
		return 0, fmt.Errorf("%d values in %d rows", values, rows)
	}
	w := pageWalk{codec: m.GetCodec(), leaf: l, left: values, dictionary: m.DictionaryPageOffset != nil}
	for pages := data[start : start+size]; len(pages) > 0; {
		taken, err := w.page(pages)
		if err != nil {
			return 0, err
		}
		pages = pages[taken:]
	}
	if w.left != 0 {
		return 0, fmt.Errorf("its pages hold %d values less than it says", w.left)
	}
	return values, nil
}
