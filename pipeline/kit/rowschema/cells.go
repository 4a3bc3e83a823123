package rowschema

import (
	"maps"
	"reflect"
	"slices"
)

// A row is the cells of a value in the order of its columns. A cell is nil,
// string, bool, int32, int64, float64, []byte, or []any for the elements of a list
// and for the fields of a struct.

// Cells gives the cells of v, a value of the type that the columns are of.
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

// fillPairs always makes a map: whoever reads one may write to it.
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
