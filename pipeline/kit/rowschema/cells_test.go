package rowschema_test

import (
	"math"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
)

// TestCellsThatDoNotFit: a value has the type of its column, and so have its parts.
func TestCellsThatDoNotFit(t *testing.T) {
	column := func(k rowschema.Kind) rowschema.Column { return rowschema.Column{Name: "c", Kind: k} }
	list := rowschema.Column{Name: "c", Kind: rowschema.List, Elem: &rowschema.Column{Name: "element", Kind: rowschema.Int32}}
	record := rowschema.Column{Name: "c", Kind: rowschema.Struct, Fields: []rowschema.Column{{Name: "a"}, {Name: "b", Kind: rowschema.Bool}}}
	for _, tc := range []struct {
		column rowschema.Column
		fit    []any
		not    map[string]any
	}{
		{column(rowschema.String), []any{"", "Ω"}, map[string]any{"not valid UTF-8": "a\xff", "type int32": int32(1)}},
		{column(rowschema.Bool), []any{true}, map[string]any{"type string": "true"}},
		{column(rowschema.Int32), []any{int32(-1)}, map[string]any{"type int64": int64(1)}},
		{column(rowschema.Int64), []any{int64(-1)}, map[string]any{"type int32": int32(1)}},
		{column(rowschema.Bytes), []any{[]byte{255}}, map[string]any{"type string": "x"}},
		{column(rowschema.Float64), []any{1.5, -math.MaxFloat64}, map[string]any{"NaN is not a finite": math.NaN(), "+Inf is not a finite": math.Inf(1), "-Inf is not a finite": math.Inf(-1), "type int64": int64(1)}},
		{list, []any{[]any{}, []any{int32(1), nil}}, map[string]any{"type int32": int32(1), "column element: a value of type string": []any{int32(1), "x"}}},
		{record, []any{[]any{"x", true}, []any{nil, nil}}, map[string]any{"1 fields, want 2": []any{"x"}, "3 fields, want 2": []any{"x", true, true}, "column b": []any{"x", "y"}, "type string": "x"}},
	} {
		for _, v := range append(tc.fit, nil) {
			if err := tc.column.Check(v); err != nil {
				t.Errorf("%#v: %v", v, err)
			}
		}
		for want, v := range tc.not {
			if err := tc.column.Check(v); err == nil || !strings.HasPrefix(err.Error(), "column c: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%#v: %v, want %q", v, err, want)
			}
		}
	}
}

// TestEqualCells: cells are equal where type and all parts are.
func TestEqualCells(t *testing.T) {
	all := []any{nil, "", "a", int32(0), int64(0), 0.0, false, []byte{}, []byte{1}, []any{}, []any{nil}, []any{"a"}, []any{"a", "b"}, []any{[]byte{1}}, []any{[]any{"a"}}}
	for i, a := range all {
		for j, b := range all {
			if got := rowschema.EqualCells(a, b); got != (i == j) {
				t.Errorf("%#v and %#v: %t", a, b, got)
			}
		}
	}
}
