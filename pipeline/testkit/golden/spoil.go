package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"testing"
)

// CheckSpoiled pins what code makes of a JSON document, and of every document in which one
// of its values is left out or another one: a line of the file for each line of the text
// that goes or comes, none where the text stays. Of an array the first and the last element
// are spoiled. A document of which text makes nothing is left out of the file.
func CheckSpoiled(t testing.TB, name string, doc any, text func(doc []byte) string) {
	t.Helper()
	whole, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	right := strings.TrimSuffix(text(whole), "\n")
	var out strings.Builder
	out.WriteString(right + "\n")
	for what, spoiled := range Spoiled(t, whole) {
		if got := strings.TrimSuffix(text(spoiled), "\n"); got != "" && got != right {
			fmt.Fprintf(&out, "\n%s\n%s", what, changedLines(right, got))
		}
	}
	Check(t, name, out.String())
}

// Spoiled yields JSON documents in which one value of the given one is left out or another.
func Spoiled(t testing.TB, doc []byte) iter.Seq2[string, []byte] {
	var root any
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	if err := d.Decode(&root); err != nil {
		t.Fatal(err)
	}
	return func(yield func(string, []byte) bool) {
		at := func(what string) bool { return yield(what, []byte(JSON(t, root))) }
		spoilInside(root, "", at)
	}
}

// spoilInside changes one value below v after the other and changes it back.
func spoilInside(v any, path string, yield func(what string) bool) bool {
	try := func(name string, old any, set func(any), remove func() (restore func())) bool {
		for _, other := range others(old) {
			set(other)
			if !yield(fmt.Sprintf("%s = %s", name, shortJSON(other))) {
				return false
			}
		}
		set(old)
		restore := remove()
		more := yield(name + " left out")
		restore()
		return more && spoilInside(old, name, yield)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			old := v[key]
			if !try(strings.TrimPrefix(path+"."+key, "."), old, func(n any) { v[key] = n }, func() func() {
				delete(v, key)
				return func() { v[key] = old }
			}) {
				return false
			}
		}
	case []any:
		for i, old := range v {
			if i > 0 && i < len(v)-1 {
				continue
			}
			if !try(fmt.Sprintf("%s[%d]", path, i), old, func(n any) { v[i] = n }, func() func() { v[i] = nil; return func() { v[i] = old } }) {
				return false
			}
		}
	}
	return true
}

// others returns values to put in the place of one: of another type, empty, at a bound.
func others(old any) []any {
	switch v := old.(type) {
	case string:
		return []any{json.Number("7"), "", v + "x"}
	case json.Number:
		n, err := v.Float64()
		if err != nil {
			return []any{"x"}
		}
		return []any{"x", json.Number("0"), json.Number("-1"), json.Number(fmt.Sprint(n + 1))}
	case bool:
		return []any{!v, "x"}
	case nil:
		return []any{"x"}
	case []any:
		return []any{"x", []any{}, append(slices.Clone(v), v...)}
	}
	return []any{"x", map[string]any{}}
}

func shortJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	if s := []rune(string(b)); len(s) > 60 {
		return string(s[:60]) + "…"
	}
	return string(b)
}

// changedLines lists the lines that one text has and the other has not, "all" where none stays.
func changedLines(old, new string) string {
	var out strings.Builder
	a, b := strings.Split(old, "\n"), strings.Split(new, "\n")
	less := func(from, besides []string) (lines []string) {
		left := map[string]int{}
		for _, l := range besides {
			left[l]++
		}
		for _, l := range from {
			if left[l]--; left[l] < 0 {
				lines = append(lines, l)
			}
		}
		return lines
	}
	gone := less(a, b)
	if len(gone) == len(a) {
		gone = []string{"all"}
	}
	for _, l := range gone {
		out.WriteString("- " + l + "\n")
	}
	for _, l := range less(b, a) {
		out.WriteString("+ " + l + "\n")
	}
	return out.String()
}
