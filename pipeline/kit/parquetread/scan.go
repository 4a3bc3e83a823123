package parquetread

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/kit/rowschema"

	"github.com/xitongsys/parquet-go/parquet"
)

// Row is one row of a stranger's table.
type Row struct {
	// Number counts from 0 in the file.
	Number  int64
	columns []rowschema.Column
	cells   []any
}

// GroupBytes is how much a row group may take once inflated that Scan decodes.
const GroupBytes = 512 << 20

// Scan visits the rows of a Parquet file of any shape with the columns that are named:
// must have to be there, may need not. Texts, bytes, numbers, structs and lists of
// these are read; data pages must be of version 1. One row group is in memory at a
// time, and none that takes more than budget once inflated: what a picture inside a row
// is decoded to is not counted, so see to that in visit. No file makes it panic. An
// error of visit ends the scan.
func Scan(at io.ReaderAt, size int64, must, may []string, budget int64, visit func(Row) error) error {
	s, err := newScan(at, size, must, may, budget)
	if err != nil {
		return err
	}
	return s.each(visit)
}

// scan is a file whose footer was checked, with the columns that are read.
type scan struct {
	file   *File
	wanted []columnNode
	// budget is that of a row group.
	budget       int64
	dictionaries map[string]bool
}

func newScan(at io.ReaderAt, size int64, must, may []string, budget int64) (s *scan, err error) {
	defer recovered(&err)
	f, err := Open(at, size)
	if err != nil {
		return nil, err
	}
	all, leaves, err := readSchema(f.Footer.GetSchema())
	if err != nil {
		return nil, err
	}
	s = &scan{file: f, dictionaries: f.Dictionaries()}
	for _, name := range slices.Concat(must, may) {
		i := slices.IndexFunc(all, func(n columnNode) bool { return n.column.Name == name })
		if i < 0 && slices.Contains(must, name) {
			return nil, fmt.Errorf("no column is called %q; there are %s", name, columnNames(leaves))
		}
		if i < 0 {
			continue
		}
		if err := all[i].checkReadable(); err != nil {
			return nil, err
		}
		s.wanted = append(s.wanted, all[i])
	}
	taken, err := f.checkWanted(leaves, s.wanted, budget)
	s.budget = budget - taken
	return s, err
}

// checkWanted returns how much of the budget the footer takes.
func (f *File) checkWanted(leaves []Leaf, wanted []columnNode, budget int64) (int64, error) {
	if f.Footer.GetNumRows() == 0 {
		return 0, nil
	}
	rules := Rules{
		Codecs:       []parquet.CompressionCodec{parquet.CompressionCodec_SNAPPY, parquet.CompressionCodec_ZSTD, parquet.CompressionCodec_UNCOMPRESSED},
		Dictionaries: true, Rows: maxRows, Values: maxValues,
	}
	return f.CheckFooter(rules, leaves, func(l Leaf) bool {
		return !slices.ContainsFunc(wanted, func(n columnNode) bool { return n.column.Name == l.Path[0] })
	}, budget)
}

func (s *scan) each(visit func(Row) error) error {
	columns := make([]rowschema.Column, len(s.wanted))
	for i, n := range s.wanted {
		columns[i] = n.column
	}
	if s.file.Footer.GetNumRows() == 0 {
		return nil
	}
	number := int64(0)
	for i := range s.file.Groups() {
		rows, err := s.group(i)
		if err != nil {
			return err
		}
		for _, cells := range rows {
			if err := visit(Row{number, columns, cells}); err != nil {
				return err
			}
			number++
		}
	}
	return nil
}

func (s *scan) group(i int) (rows [][]any, err error) {
	defer recovered(&err)
	g, err := s.file.LoadGroup(i, s.budget)
	if err != nil {
		return nil, err
	}
	rows, _, err = g.rows(s.wanted, s.dictionaries, s.budget)
	return rows, err
}

func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("damaged Parquet file: %v", p)
	}
}

// Fields are the cells as JSON, by column: a struct is an object, a null cell is null.
// Bytes are left out of it.
func (r Row) Fields() (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	for i, c := range r.columns {
		if c.Kind == rowschema.Bytes {
			continue
		}
		v, err := jsonCell(c, r.cells[i])
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		if out[c.Name], err = json.Marshal(v); err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return out, nil
}

func jsonCell(c rowschema.Column, cell any) (any, error) {
	switch cell := cell.(type) {
	case string:
		if !utf8.ValidString(cell) {
			return nil, fmt.Errorf("a text is not UTF-8")
		}
	case []any:
		if c.Kind == rowschema.List {
			out := make([]any, len(cell))
			for i, e := range cell {
				v, err := jsonCell(*c.Elem, e)
				if err != nil {
					return nil, err
				}
				out[i] = v
			}
			return out, nil
		}
		out := map[string]any{}
		for i, f := range c.Fields {
			if f.Kind == rowschema.Bytes {
				continue
			}
			v, err := jsonCell(f, cell[i])
			if err != nil {
				return nil, err
			}
			out[f.Name] = v
		}
		return out, nil
	}
	return cell, nil
}

// Picture is the cell of a column that holds a picture: bytes, or a struct of bytes and
// path as the hub stores pictures. Both are empty where the cell is null.
func (r Row) Picture(column string) (data []byte, path string, err error) {
	i := slices.IndexFunc(r.columns, func(c rowschema.Column) bool { return c.Name == column })
	if i < 0 || r.cells[i] == nil {
		return nil, "", nil
	}
	switch cell := r.cells[i].(type) {
	case []byte:
		return cell, "", nil
	case []any:
		if r.columns[i].Kind == rowschema.List {
			break
		}
		for j, f := range r.columns[i].Fields {
			switch v := cell[j].(type) {
			case []byte:
				data = v
			case string:
				if f.Name == "path" {
					path = v
				}
			}
		}
		return data, path, nil
	}
	return nil, "", fmt.Errorf("column %s holds no picture", column)
}

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

// textual reports whether a column holds texts; some writers do not mark them.
func textual(c rowschema.Column) bool { return c.Kind == rowschema.String || c.Kind == rowschema.Bytes }

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

// textsOf returns the texts of a cell; one that is null in a list is empty.
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

func columnNames(leaves []Leaf) string {
	var names []string
	for _, l := range leaves {
		names = append(names, l.Path[0])
	}
	return fmt.Sprintf("%q", slices.Compact(names))
}
