package rowschema

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Elements is a field of a record that is no column: its elements are rows of a table of
// their own. The tag is `table:"rows=NAME,key=COLUMN,by=COLUMN"`: key is the column
// that identifies an element among those of all records, by a whole number that
// orders those of one; without it they are in the order of their keys.
type Elements struct {
	// Field is the json name of the field.
	Field   string
	Table   string
	By      string
	Columns []Column // the key first

	index []int
}

// isOutsideRow reports a field that is no column.
func isOutsideRow(tag string) bool {
	return tag == "-" || tag == "derived" || strings.HasPrefix(tag, "rows=")
}

// ElementsOf gives the fields of a struct type that are tables of their own.
func ElementsOf(t reflect.Type) (out []Elements, err error) {
	for i := range t.NumField() {
		f := t.Field(i)
		options := map[string]string{}
		for o := range strings.SplitSeq(f.Tag.Get("table"), ",") {
			k, v, _ := strings.Cut(o, "=")
			options[k] = v
		}
		if options["rows"] == "" {
			continue
		}
		if f.Type.Kind() != reflect.Slice {
			return nil, fmt.Errorf("field %s of %v: only a list can be a table of its own", f.Name, t)
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		l := Elements{Field: name, Table: options["rows"], By: options["by"], index: f.Index}
		if l.Columns, err = Of(f.Type.Elem(), options["key"]); err != nil {
			return nil, fmt.Errorf("field %s of %v: %w", f.Name, t, err)
		}
		out = append(out, l)
	}
	return out, nil
}

// Rows are the cells of the elements that v, a struct, has in its field.
func (l Elements) Rows(v any) [][]any {
	list := reflect.ValueOf(v).FieldByIndex(l.index)
	out := make([][]any, list.Len())
	for i := range out {
		out[i] = cells(l.Columns, list.Index(i))
	}
	return out
}

// Fill sets the field of *to to the elements that the rows say, which are in the
// order of their keys.
func (l Elements) Fill(rows [][]any, to any) {
	if len(rows) == 0 {
		return
	}
	if by := slices.IndexFunc(l.Columns, func(c Column) bool { return c.Name == l.By }); by >= 0 {
		rows = slices.Clone(rows)
		slices.SortStableFunc(rows, func(a, b []any) int { return int(asInt64(a[by]) - asInt64(b[by])) })
	}
	field := reflect.ValueOf(to).Elem().FieldByIndex(l.index)
	field.Set(reflect.MakeSlice(field.Type(), len(rows), len(rows)))
	for i, r := range rows {
		fill(l.Columns, r, field.Index(i))
	}
}

// asInt64 is a whole number of a cell, 0 where there is none.
func asInt64(cell any) int64 {
	switch n := cell.(type) {
	case int32:
		return int64(n)
	case int64:
		return n
	}
	return 0
}
