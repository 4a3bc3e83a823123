package parquetread

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
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

// Read decodes the named columns of a Parquet file: texts, and lists of texts, as Scan
// does, and keeps them. Names are matched exactly. No file makes it panic or take
// memory out of proportion.
func Read(data []byte, texts, lists []string) (Table, error) {
	if len(data) > MaxBytes {
		return Table{}, fmt.Errorf("%d bytes of Parquet, more than %d", len(data), MaxBytes)
	}
	s, err := newScan(bytes.NewReader(data), int64(len(data)), slices.Concat(texts, lists), nil, maxInflated)
	if err != nil {
		return Table{}, err
	}
	for i, n := range s.wanted {
		if err := checkTextColumn(n.column, i >= len(texts)); err != nil {
			return Table{}, err
		}
	}
	t, budget := Table{columns: map[string][][]string{}}, newMeter(maxInflated)
	err = s.each(func(r Row) error {
		for i, c := range r.columns {
			list, err := textsOf(r.cells[i], budget)
			if err != nil {
				return fmt.Errorf("column %s: %w", c.Name, err)
			}
			t.columns[c.Name] = append(t.columns[c.Name], list)
		}
		t.Rows++
		return nil
	})
	if err != nil {
		return Table{}, err
	}
	return t, nil
}

// textual reports whether a column holds texts, of which some writers do not say that
// they are.
func textual(c rowschema.Column) bool { return c.Kind == rowschema.String || c.Kind == rowschema.Bytes }

// checkTextColumn says that a column holds no text, or no list of texts.
func checkTextColumn(c rowschema.Column, list bool) error {
	inner := c
	if c.Kind == rowschema.List {
		inner = *c.Elem
	}
	switch {
	case !textual(inner):
		return fmt.Errorf("column %q holds no text", c.Name)
	case !list && c.Kind == rowschema.List:
		return fmt.Errorf("column %q: want a text in each row", c.Name)
	case list && c.Kind != rowschema.List:
		return fmt.Errorf("column %q: want a list of texts in each row", c.Name)
	}
	return nil
}

// textsOf are the texts of a cell; one that is null in a list is empty.
func textsOf(cell any, budget *meter) ([]string, error) {
	list, ok := cell.([]any)
	if !ok && cell != nil {
		list = []any{cell}
	}
	var out []string
	for _, v := range list {
		var text string
		switch v := v.(type) {
		case string:
			text = v
		case []byte:
			text = string(v)
		}
		if !utf8.ValidString(text) {
			return nil, errors.New("a text is not UTF-8")
		}
		if err := budget.spend(int64(len(text)) + ValueBytes); err != nil {
			return nil, err
		}
		out = append(out, strings.Clone(text))
	}
	return out, nil
}

func columnNames(leaves []storedLeaf) string {
	var names []string
	for _, l := range leaves {
		names = append(names, l.column)
	}
	return fmt.Sprintf("%q", slices.Compact(names))
}
