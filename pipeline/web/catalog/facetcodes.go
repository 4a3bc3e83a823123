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
	mostCodes  = 4096
	mostValue  = 256
	mostNarrow = 250
)

// facetCodes has a code for each row: 0 for none, else the place of its values from 1. Most rows
// have one value; of some facets, such as sources, a row has a set of them.
type facetCodes struct {
	Name string
	Sets [][]string

	narrow []byte
	wide   []uint16
	code   map[string]int // while it is built
}

func newFacetCodes(name string, rows int64) *facetCodes {
	return &facetCodes{Name: name, narrow: make([]byte, rows), code: map[string]int{}}
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
		code = len(f.Sets)
		f.code[strings.Clone(key)] = code
		if code == mostNarrow+1 {
			f.wide = make([]uint16, len(f.narrow))
			for i, c := range f.narrow {
				f.wide[i] = uint16(c)
			}
			f.narrow = nil
		}
	}
	if f.wide != nil {
		f.wide[row] = uint16(code)
	} else {
		f.narrow[row] = byte(code)
	}
	return true
}

func (f *facetCodes) at(row int64) int {
	if f.wide != nil {
		return int(f.wide[row])
	}
	return int(f.narrow[row])
}

// text returns the value of a row of which each has one at most.
func (f *facetCodes) text(row int64) string {
	if f == nil {
		return ""
	}
	code := f.at(row)
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
		if keep[f.at(row)] == by.Not {
			b.remove(row)
		}
	})
}

// count counts the values of rows.
func (f *facetCodes) count(b bitmap) Facet {
	counts := make([]int64, len(f.Sets)+1)
	b.each(func(row int64) { counts[f.at(row)]++ })
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
	if f.wide == nil {
		return f.narrow
	}
	out := make([]byte, 0, 2*len(f.wide))
	for _, c := range f.wide {
		out = binary.LittleEndian.AppendUint16(out, c)
	}
	return out
}

// load sets the codes as bytes gives them.
func (f *facetCodes) load(b []byte, rows int64) error {
	switch int64(len(b)) {
	case rows:
		f.narrow = b
	case 2 * rows:
		f.wide = make([]uint16, rows)
		for i := range f.wide {
			f.wide[i] = binary.LittleEndian.Uint16(b[2*i:])
		}
	default:
		return fmt.Errorf("facet %q has %d bytes for %d rows", f.Name, len(b), rows)
	}
	for row := range rows {
		if f.at(row) > len(f.Sets) {
			return fmt.Errorf("facet %q: row %d has no value", f.Name, row)
		}
	}
	return nil
}
