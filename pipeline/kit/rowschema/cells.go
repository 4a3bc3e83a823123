package rowschema

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// A row is the cells of a value in the order of its columns. A cell is nil,
// string, bool, int32, int64, float64, []byte, or []any for the elements of a list
// and for the fields of a struct.

// Cells returns the cells of v, a value of the type that the columns are of.
func Cells(columns []Column, v any) []any { return cells(columns, reflect.ValueOf(v)) }

func cells(columns []Column, v reflect.Value) []any {
	out := make([]any, len(columns))
	for i, c := range columns {
		out[i] = c.cell(v.FieldByIndex(c.index))
	}
	return out
}

func (c Column) cell(v reflect.Value) any {
	if c.Null == Absent {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	cell := c.value(v)
	if c.Null == Zero && isZero(cell) {
		return nil
	}
	return cell
}

func (c Column) value(v reflect.Value) any {
	switch c.Kind {
	case String:
		return v.String()
	case Bool:
		return v.Bool()
	case Int32:
		return int32(v.Int())
	case Int64:
		return v.Int()
	case Float64:
		return v.Float()
	case Bytes:
		return v.Bytes()
	case Struct, Image:
		return cells(c.Fields, v)
	}
	if c.Pairs {
		return pairs(v)
	}
	out := make([]any, v.Len())
	for i := range out {
		out[i] = c.Elem.cell(v.Index(i))
	}
	return out
}

func pairs(v reflect.Value) []any {
	m := make(map[string]string, v.Len())
	for it := v.MapRange(); it.Next(); {
		m[it.Key().String()] = it.Value().String()
	}
	out := make([]any, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, []any{k, m[k]})
	}
	return out
}

// Fill sets *to, of the type that the columns are of, to what the cells say. Cells
// of another type than their column's, or none, leave the zero value.
func Fill(columns []Column, row []any, to any) { fill(columns, row, reflect.ValueOf(to).Elem()) }

func fill(columns []Column, row []any, to reflect.Value) {
	for i, c := range columns {
		if i < len(row) {
			c.fill(row[i], to.FieldByIndex(c.index))
		}
	}
}

func (c Column) fill(cell any, to reflect.Value) {
	if c.Pairs {
		fillPairs(cell, to)
		return
	}
	if cell == nil {
		return
	}
	if c.Null == Absent {
		to.Set(reflect.New(to.Type().Elem()))
		to = to.Elem()
	}
	if c.Check(cell) == nil {
		c.set(cell, to)
	}
}

// set stores a cell that fits.
func (c Column) set(cell any, to reflect.Value) {
	switch cell := cell.(type) {
	case string:
		to.SetString(cell)
	case bool:
		to.SetBool(cell)
	case int32:
		to.SetInt(int64(cell))
	case int64:
		to.SetInt(cell)
	case float64:
		to.SetFloat(cell)
	case []byte:
		to.SetBytes(cell)
	case []any:
		c.fillNested(cell, to)
	}
}

func (c Column) fillNested(parts []any, to reflect.Value) {
	switch c.Kind {
	case Struct, Image:
		fill(c.Fields, parts, to)
	case List:
		if len(parts) == 0 {
			return
		}
		to.Set(reflect.MakeSlice(to.Type(), len(parts), len(parts)))
		for i, p := range parts {
			c.Elem.fill(p, to.Index(i))
		}
	}
}

// fillPairs always makes a map: its reader may write to it.
func fillPairs(cell any, to reflect.Value) {
	m := reflect.MakeMap(to.Type())
	list, _ := cell.([]any)
	for _, p := range list {
		if pair, ok := p.([]any); ok && len(pair) == 2 {
			k, _ := pair[0].(string)
			v, _ := pair[1].(string)
			m.SetMapIndex(reflect.ValueOf(k).Convert(to.Type().Key()), reflect.ValueOf(v).Convert(to.Type().Elem()))
		}
	}
	to.Set(m)
}

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

// ElementsOf returns the fields of a struct type that are tables of their own.
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

// Rows returns the cells of the elements that v, a struct, has in its field.
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

func asInt64(cell any) int64 {
	switch n := cell.(type) {
	case int32:
		return int64(n)
	case int64:
		return n
	}
	return 0
}

// Check reports a value that does not fit its column: a wrong type, text that
// is not UTF-8, a number that is not finite.
func (c Column) Check(v any) error {
	if v == nil {
		return nil
	}
	ok := true
	switch c.Kind {
	case String:
		s, is := v.(string)
		if is && !utf8.ValidString(s) {
			return fmt.Errorf("column %s: text %.40q is not valid UTF-8", c.Name, s)
		}
		ok = is
	case Bool:
		_, ok = v.(bool)
	case Int32:
		_, ok = v.(int32)
	case Int64:
		_, ok = v.(int64)
	case Bytes:
		_, ok = v.([]byte)
	case Float64:
		f, is := v.(float64)
		if is && (math.IsNaN(f) || math.IsInf(f, 0)) {
			return fmt.Errorf("column %s: %v is not a finite number", c.Name, f)
		}
		ok = is
	default:
		return c.checkNested(v)
	}
	if !ok {
		return fmt.Errorf("column %s: a value of type %T does not fit", c.Name, v)
	}
	return nil
}

func (c Column) checkNested(v any) error {
	parts, ok := v.([]any)
	if !ok {
		return fmt.Errorf("column %s: a value of type %T does not fit", c.Name, v)
	}
	if c.Kind != List && len(parts) != len(c.Fields) {
		return fmt.Errorf("column %s: %d fields, want %d", c.Name, len(parts), len(c.Fields))
	}
	for i, p := range parts {
		part := c.Elem
		if c.Kind != List {
			part = &c.Fields[i]
		}
		if err := part.Check(p); err != nil {
			return fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return nil
}

// Canonical reports whether Cells writes the value so: no null for an empty text or
// 0 and none of these for a null, pairs in order. A value of the Go type says the
// same of both, a query does not. The value has passed Check.
func (c Column) Canonical(v any) bool {
	if v == nil {
		return c.Null != Never
	}
	if c.Null == Zero && isZero(v) {
		return false
	}
	parts, ok := v.([]any)
	if !ok {
		return true
	}
	last := ""
	for i, p := range parts {
		part := c.Elem
		if c.Kind != List {
			part = &c.Fields[i]
		}
		if !part.Canonical(p) {
			return false
		}
		if c.Pairs {
			key := p.([]any)[0].(string)
			if i > 0 && key <= last {
				return false
			}
			last = key
		}
	}
	return true
}

func isZero(v any) bool {
	switch v := v.(type) {
	case string:
		return v == ""
	case bool:
		return !v
	case int32:
		return v == 0
	case int64:
		return v == 0
	case float64:
		return v == 0
	case []byte:
		return len(v) == 0
	}
	return false
}

// EqualCells reports whether two cells hold the same value.
func EqualCells(a, b any) bool {
	switch a := a.(type) {
	case []byte:
		b, ok := b.([]byte)
		return ok && bytes.Equal(a, b)
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !EqualCells(a[i], b[i]) {
				return false
			}
		}
		return true
	}
	switch b.(type) {
	case []byte, []any:
		return false
	}
	return a == b
}
