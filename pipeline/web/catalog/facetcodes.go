package catalog

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// mostCodes bounds the values of a facet: what has more is found by value, and not counted.
// mostValue bounds the bytes of one.
const (
	mostCodes = 4096
	mostValue = 256
)

// facetCodes has a code for each row: 0 for none, else the place of its values from 1. Most rows
// have one value; of some facets, such as sources, a row has a set of them.
type facetCodes struct {
	Name string
	Sets [][]string

	codes []uint16
	code  map[string]uint16 // while it is built
}

func newFacetCodes(name string, rows int64) *facetCodes {
	return &facetCodes{Name: name, codes: make([]uint16, rows), code: map[string]uint16{}}
}

// set gives a row its values. It returns false where they are one too many, or too long.
func (f *facetCodes) set(row int64, values ...string) bool {
	key := strings.Join(values, "\x00")
	code, known := f.code[key]
	if !known {
		if len(f.Sets) == mostCodes || slices.ContainsFunc(values, func(v string) bool { return len(v) > mostValue }) || len(values) > mostValues {
			return false
		}
		own := make([]string, len(values))
		for i, v := range values {
			own[i] = strings.Clone(v)
		}
		f.Sets = append(f.Sets, own)
		code = uint16(len(f.Sets))
		f.code[strings.Clone(key)] = code
	}
	f.codes[row] = code
	return true
}

// text returns the value of a row of which each has one at most.
func (f *facetCodes) text(row int64) string {
	code := f.codes[row]
	if code == 0 || len(f.Sets[code-1]) == 0 {
		return ""
	}
	return f.Sets[code-1][0]
}

// filter keeps the rows that a filter keeps.
func (f *facetCodes) filter(b bitmap, by Filter) {
	keep := make([]bool, len(f.Sets)+1)
	keep[0] = by.Missing
	for i, set := range f.Sets {
		keep[i+1] = slices.ContainsFunc(set, func(v string) bool { return slices.Contains(by.Values, v) })
	}
	b.each(func(row int64) {
		if keep[f.codes[row]] == by.Not {
			b.remove(row)
		}
	})
}

// count counts the values of rows.
func (f *facetCodes) count(b bitmap) Facet {
	counts := make([]int64, len(f.Sets)+1)
	b.each(func(row int64) { counts[f.codes[row]]++ })
	byValue := map[string]int64{}
	for i, set := range f.Sets {
		for _, v := range set {
			byValue[v] += counts[i+1]
		}
	}
	out := Facet{Name: f.Name, None: counts[0], Counted: true, Distinct: len(byValue)}
	for v, n := range byValue {
		out.Values = append(out.Values, FacetValue{v, n})
	}
	slices.SortFunc(out.Values, func(a, b FacetValue) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Value, b.Value))
	})
	return out
}

// distinct counts the values of all rows.
func (f *facetCodes) distinct() int {
	all := slices.Sorted(slices.Values(slices.Concat(f.Sets...)))
	return len(slices.Compact(all))
}

// bytes returns the codes as they are stored.
func (f *facetCodes) bytes() []byte {
	out := make([]byte, 0, 2*len(f.codes))
	for _, c := range f.codes {
		out = binary.LittleEndian.AppendUint16(out, c)
	}
	return out
}

// load sets the codes as bytes gives them.
func (f *facetCodes) load(b []byte, rows int64) error {
	if int64(len(b)) != 2*rows {
		return fmt.Errorf("facet %q has %d bytes for %d rows", f.Name, len(b), rows)
	}
	f.codes = make([]uint16, rows)
	for i := range f.codes {
		if f.codes[i] = binary.LittleEndian.Uint16(b[2*i:]); int(f.codes[i]) > len(f.Sets) {
			return fmt.Errorf("facet %q: row %d has no value", f.Name, i)
		}
	}
	return nil
}
