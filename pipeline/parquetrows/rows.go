package parquetrows

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/xitongsys/parquet-go/parquet"
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
	f, err := Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return Table{}, err
	}
	leaves, err := leavesOf(f.Footer.GetSchema())
	if err != nil {
		return Table{}, err
	}
	wanted, err := choose(leaves, texts, lists)
	if err != nil {
		return Table{}, err
	}
	if f.Footer.GetNumRows() == 0 {
		return Table{}, nil
	}
	left, err := guardWanted(f, leaves, wanted)
	if err != nil {
		return Table{}, err
	}
	return readWanted(f, wanted, left)
}

// readWanted decodes the wanted columns within what is left of the budget.
func readWanted(f *File, wanted map[string]stored, left int64) (Table, error) {
	t := Table{Rows: int(f.Footer.GetNumRows()), columns: map[string][][]string{}}
	budget := newMeter(maxInflated)
	for i := range f.Groups() {
		g, err := f.Group(i, left)
		if err == nil {
			left -= g.Inflated
			err = t.take(g, wanted, budget)
		}
		if err != nil {
			return Table{}, err
		}
	}
	return t, nil
}

// take appends the wanted columns of a row group.
func (t *Table) take(g *Group, wanted map[string]stored, budget *meter) error {
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		cells, err := decode(g, wanted[name], budget)
		if err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
		t.columns[name] = append(t.columns[name], cells...)
	}
	return nil
}

// guardWanted is what is left of the budget for the columns.
func guardWanted(f *File, leaves []stored, wanted map[string]stored) (left int64, err error) {
	all := make([]Leaf, len(leaves))
	for i, l := range leaves {
		all[i] = l.Leaf
	}
	rules := Rules{
		Codecs:       []parquet.CompressionCodec{parquet.CompressionCodec_SNAPPY, parquet.CompressionCodec_ZSTD, parquet.CompressionCodec_UNCOMPRESSED},
		Dictionaries: true, Rows: maxRows, Values: maxValues,
	}
	taken, err := f.Guard(rules, all, func(l Leaf) bool { _, ok := wanted[l.Path[0]]; return !ok }, maxInflated)
	return maxInflated - taken, err
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

// decode reads one column of a row group. The library tells neither errors nor a file's
// early end apart from the end of the column, so counts are compared.
func decode(g *Group, l stored, budget *meter) ([][]string, error) {
	rows := int(g.Rows)
	values, reps, defs, err := g.Column(l.Path)
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
