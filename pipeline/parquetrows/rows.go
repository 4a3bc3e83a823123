package parquetrows

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xitongsys/parquet-go/common"
	"github.com/xitongsys/parquet-go/parquet"
	"github.com/xitongsys/parquet-go/reader"
)

// Limits of a file that Read takes.
const (
	MaxBytes  = 256 << 20
	maxRows   = 1 << 20
	maxValues = 1 << 23
	// maxInflated bounds the columns that are read, and again the texts that
	// come of them: of a dictionary one text may stand in every row.
	maxInflated = 1 << 30
)

// Table holds columns of texts and of lists of texts.
type Table struct {
	// Rows is how many there are.
	Rows    int
	columns map[string][][]string
}

// Text returns a cell of a text column, empty where it is null.
func (t Table) Text(column string, row int) string {
	if cell := t.columns[column][row]; len(cell) > 0 {
		return cell[0]
	}
	return ""
}

// List returns a cell of a list column, nil where it is null or empty. An
// element that is null is empty.
func (t Table) List(column string, row int) []string { return t.columns[column][row] }

// Read decodes the named columns of a Parquet file: texts, and lists of texts.
// Other columns are not looked at. It reads data pages of version 1 with plain
// or dictionary values, as the common writers make them by default. Names are
// matched exactly. No file makes it panic or take memory out of proportion.
func Read(data []byte, texts, lists []string) (t Table, err error) {
	defer func() {
		if p := recover(); p != nil {
			t, err = Table{}, fmt.Errorf("damaged Parquet file: %v", p)
		}
	}()
	if len(data) > MaxBytes {
		return Table{}, fmt.Errorf("%d bytes of Parquet, more than %d", len(data), MaxBytes)
	}
	footer, err := Footer(data)
	if err != nil {
		return Table{}, err
	}
	leaves, err := leavesOf(footer.GetSchema())
	if err != nil {
		return Table{}, err
	}
	wanted, err := choose(leaves, texts, lists)
	if err != nil {
		return Table{}, err
	}
	if footer.GetNumRows() == 0 {
		return Table{}, nil
	}
	if err := guardWanted(data, footer, leaves, wanted); err != nil {
		return Table{}, err
	}
	pr, err := Open(data)
	if err != nil {
		return Table{}, err
	}
	t = Table{Rows: int(footer.GetNumRows()), columns: map[string][][]string{}}
	budget := newMeter(maxInflated)
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		if t.columns[name], err = decode(pr, wanted[name], t.Rows, budget); err != nil {
			return Table{}, fmt.Errorf("column %s: %w", name, err)
		}
	}
	return t, nil
}

func guardWanted(data []byte, footer *parquet.FileMetaData, leaves []stored, wanted map[string]stored) error {
	all := make([]Leaf, len(leaves))
	for i, l := range leaves {
		all[i] = l.Leaf
	}
	rules := Rules{
		Codecs:       []parquet.CompressionCodec{parquet.CompressionCodec_SNAPPY, parquet.CompressionCodec_ZSTD, parquet.CompressionCodec_UNCOMPRESSED},
		Dictionaries: true, Rows: maxRows, Values: maxValues, Inflated: maxInflated,
	}
	_, err := rules.Guard(data, footer, all, func(l Leaf) bool { _, ok := wanted[l.Path[0]]; return !ok })
	return err
}

// choose finds the leaf of each wanted column and checks its shape.
func choose(leaves []stored, texts, lists []string) (map[string]stored, error) {
	wanted := map[string]stored{}
	for i, name := range slices.Concat(texts, lists) {
		var found []stored
		for _, l := range leaves {
			if l.column == name {
				found = append(found, l)
			}
		}
		switch {
		case len(found) == 0:
			return nil, fmt.Errorf("no column is called %q; there are %s", name, columnNames(leaves))
		case len(found) > 1 || !found[0].text:
			return nil, fmt.Errorf("column %q holds no text", name)
		case i < len(texts) && (found[0].Rep != 0 || len(found[0].Path) != 1):
			return nil, fmt.Errorf("column %q: want a text in each row", name)
		case i >= len(texts) && found[0].Rep != 1:
			return nil, fmt.Errorf("column %q: want a list of texts in each row", name)
		}
		wanted[name] = found[0]
	}
	return wanted, nil
}

func columnNames(leaves []stored) string {
	var names []string
	for _, l := range leaves {
		names = append(names, l.column)
	}
	return fmt.Sprintf("%q", slices.Compact(names))
}

// decode reads one column. The library tells neither errors nor a file's
// early end apart from the end of the column, so counts are compared.
func decode(pr *reader.ParquetReader, l stored, rows int, budget *meter) ([][]string, error) {
	path := common.PathToStr(append([]string{pr.SchemaHandler.GetRootExName()}, l.Path...))
	values, reps, defs, err := pr.ReadColumnByPath(path, int64(rows))
	if err != nil {
		return nil, err
	}
	if len(reps) != len(values) || len(defs) != len(values) {
		return nil, errors.New("values and levels do not fit")
	}
	out := make([][]string, 0, rows)
	for i, v := range values {
		if reps[i] == 0 {
			out = append(out, nil)
		}
		if len(out) == 0 || len(out) > rows {
			return nil, errors.New("its levels do not describe whole rows")
		}
		if int(defs[i]) < max(l.element, 1) && l.Def > 0 {
			continue // null, or a list without elements
		}
		text, err := cell(v, int(defs[i]) == l.Def, budget)
		if err != nil {
			return nil, err
		}
		out[len(out)-1] = append(out[len(out)-1], text)
	}
	if len(out) != rows {
		return nil, fmt.Errorf("%d rows can be decoded of %d", len(out), rows)
	}
	return out, nil
}

func cell(v any, present bool, budget *meter) (string, error) {
	if !present {
		return "", nil
	}
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("a value of type %T", v)
	}
	if !utf8.ValidString(s) {
		return "", errors.New("a text is not UTF-8")
	}
	if err := budget.take(int64(len(s))); err != nil {
		return "", err
	}
	return strings.Clone(s), nil
}
