package release

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// replaced is a copy of v with another value at an index path.
func replaced(v any, at []int, with any) any {
	if len(at) == 0 {
		return with
	}
	list := slices.Clone(v.([]any))
	list[at[0]] = replaced(list[at[0]], at[1:], with)
	return list
}

// changed is another value of the same type. Even forgeries take, where there is
// one, a value that the column has elsewhere, as whoever exchanges things would.
func changed(v any, n int, others []any) any {
	if n%2 == 0 {
		for i := range others {
			if o := others[(i+n)%len(others)]; o != nil && !rowschema.EqualCells(o, v) {
				return o
			}
		}
	}
	switch v := v.(type) {
	case string:
		return changedText(v, n)
	case bool:
		return !v
	case int32:
		return v + 1 + int32(n%3)
	case int64:
		return v + 1 + int64(n%3)
	case float64:
		return v + []float64{1, 0.04, 0.5}[n%3]
	case []byte:
		out := bytes.Clone(v)
		out[len(out)-1-n%len(out)] ^= 1
		return out
	}
	return "forged"
}

// changedText turns the last digit, else the last letter, so that digests, times
// and names stay well-formed; every third text gets a word more.
func changedText(s string, n int) string {
	if n%3 == 2 || s == "" {
		return strings.TrimSpace(s + " indeed")
	}
	for _, signs := range []string{"0123456789", "abcdefghijklmnopqrstuvwxyz"} {
		if i := strings.LastIndexAny(s, signs); i >= 0 {
			next := signs[(strings.IndexByte(signs, s[i])+1)%len(signs)]
			return s[:i] + string(next) + s[i+1:]
		}
	}
	return s + "."
}

// zeroOf is a value for a place where there was none.
func zeroOf(t table, at []int) any {
	c := t.columns[at[0]]
	for _, i := range at[1:] {
		if c.Kind == rowschema.List {
			c = *c.Elem
			continue
		}
		c = c.Fields[i]
	}
	switch c.Kind {
	case rowschema.Int32:
		return int32(1)
	case rowschema.Int64:
		return int64(1)
	case rowschema.Float64:
		return 1.0
	case rowschema.Bool:
		return true
	case rowschema.Bytes:
		return []byte("forged")
	}
	return "forged"
}

func alter(v any, name string, with func(string, any) any) any {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			v[k] = alter(v[k], within(name, k), with)
		}
		return v
	case []any:
		for i := range v {
			v[i] = alter(v[i], name, with)
		}
		return v
	case nil:
		return nil
	}
	return with(name, v)
}

func alteredScalar(v any, n int) any {
	switch v := v.(type) {
	case bool:
		return !v
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i + 1
		}
		f, _ := v.Float64()
		return f + 1
	case string:
		if _, err := manifest.ParseVersion(v); err == nil {
			return "9." + v[2:]
		}
		return changedText(v, n)
	}
	return v
}
