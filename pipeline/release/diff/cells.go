package diff

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
)

// cellComparer returns a function that lists where two rows differ in the columns that
// both sides have.
func cellComparer(before, after []rowschema.Column) func(a, b []any) []Field {
	type pair struct{ a, b int }
	var shared []pair
	for j, c := range after {
		if i := slices.IndexFunc(before, func(o rowschema.Column) bool { return sameColumn(o, c) }); i >= 0 {
			shared = append(shared, pair{i, j})
		}
	}
	return func(a, b []any) (fields []Field) {
		for _, p := range shared {
			fields = appendDiff(fields, after[p.b].Name, after[p.b], a[p.a], b[p.b])
		}
		return fields
	}
}

// appendDiff adds the parts in which two cells of a column differ.
func appendDiff(fields []Field, path string, c rowschema.Column, a, b any) []Field {
	if rowschema.EqualCells(a, b) {
		return fields
	}
	x, isListA := a.([]any)
	y, isListB := b.([]any)
	switch {
	case !isListA || !isListB:
	case c.Kind == rowschema.Struct || c.Kind == rowschema.Image:
		for i, f := range c.Fields {
			if i < len(x) && i < len(y) {
				fields = appendDiff(fields, path+"."+f.Name, f, x[i], y[i])
			}
		}
		return fields
	case c.Pairs:
		return appendPairs(fields, path, x, y)
	case c.Kind == rowschema.List && c.Elem.Kind == rowschema.Struct:
		return appendElements(fields, path, *c.Elem, x, y)
	}
	return append(fields, Field{path, value(c, a), value(c, b)})
}

// appendPairs compares two maps, written as pairs in the order of their keys.
func appendPairs(fields []Field, path string, a, b []any) []Field {
	values, keys := [2]map[string]any{{}, {}}, []string{}
	for side, list := range [][]any{a, b} {
		for _, p := range list {
			if pair, ok := p.([]any); ok && len(pair) == 2 {
				key := fmt.Sprint(pair[0])
				values[side][key] = pair[1]
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		if x, y := values[0][k], values[1][k]; !rowschema.EqualCells(x, y) {
			fields = append(fields, Field{path + "." + k, x, y})
		}
	}
	return fields
}

// appendElements compares two lists without what both begin and end with: as many
// elements as both have left answer to each other, further ones are new or gone.
func appendElements(fields []Field, path string, elem rowschema.Column, a, b []any) []Field {
	from := 0
	for from < min(len(a), len(b)) && rowschema.EqualCells(a[from], b[from]) {
		from++
	}
	for len(a) > from && len(b) > from && rowschema.EqualCells(a[len(a)-1], b[len(b)-1]) {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	for i := from; i < max(len(a), len(b)); i++ {
		at := fmt.Sprintf("%s[%d]", path, i+1)
		switch {
		case i >= len(a):
			fields = append(fields, Field{at, nil, value(elem, b[i])})
		case i >= len(b):
			fields = append(fields, Field{at, value(elem, a[i]), nil})
		default:
			fields = appendDiff(fields, at, elem, a[i], b[i])
		}
	}
	return fields
}

// value returns a cell as JSON has it. Bytes are named by their digest.
func value(c rowschema.Column, cell any) any {
	switch v := cell.(type) {
	case []byte:
		return fmt.Sprintf("%d bytes, sha256:%x", len(v), sha256.Sum256(v))
	case []any:
		if c.Kind == rowschema.List {
			out := make([]any, len(v))
			for i := range v {
				out[i] = value(*c.Elem, v[i])
			}
			return out
		}
		out := map[string]any{}
		for i, f := range c.Fields {
			if i < len(v) && v[i] != nil {
				out[f.Name] = value(f, v[i])
			}
		}
		return out
	}
	return cell
}

// columnChanges lists the columns, parts of columns included, that one side alone has, or
// that have another type or order.
func columnChanges(before, after []rowschema.Column) (fields []Field) {
	a, b := flatten("", before, nil), flatten("", after, nil)
	if slices.Equal(a, b) {
		return nil
	}
	for _, p := range a {
		if !slices.Contains(b, p) {
			fields = append(fields, Field{p, "there", nil})
		}
	}
	for _, p := range b {
		if !slices.Contains(a, p) {
			fields = append(fields, Field{p, nil, "there"})
		}
	}
	if fields == nil {
		fields = []Field{{Path: "order of columns"}}
	}
	return fields
}

func flatten(path string, columns []rowschema.Column, out []string) []string {
	for _, c := range columns {
		at := path + c.Name
		for c.Kind == rowschema.List {
			at, c = at+"[]", *c.Elem
		}
		if c.Kind == rowschema.Struct || c.Kind == rowschema.Image {
			out = flatten(at+".", c.Fields, out)
			continue
		}
		out = append(out, at+" "+kindName(c.Kind))
	}
	return out
}

func kindName(k rowschema.Kind) string {
	names := []string{"text", "bool", "int32", "int64", "double", "bytes"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprint(int(k))
}

// sameColumn reports whether two columns have one name and one type.
func sameColumn(a, b rowschema.Column) bool {
	return slices.Equal(flatten("", []rowschema.Column{a}, nil), flatten("", []rowschema.Column{b}, nil))
}
