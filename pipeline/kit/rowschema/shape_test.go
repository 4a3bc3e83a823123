package rowschema_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/rowschema"
)

type inner struct {
	X    string `json:"x"`
	Y    int64  `json:"y,omitempty"`
	Real float64
}

type head struct {
	ID   string `json:"id"`
	Note string `json:"note,omitempty"`
}

// sample has every kind of column.
type sample struct {
	head
	Flag   bool               `json:"flag"`
	Rank   int32              `json:"rank,omitempty"`
	Large  int64              `json:"large"`
	Real   float64            `json:"real,omitempty"`
	Told   string             `json:"told" table:"null"`
	Words  []string           `json:"words,omitempty"`
	Parts  []part             `json:"parts"`
	One    part               `json:"one"`
	Labels map[string]string  `json:"labels"`
	Maybe  *float64           `json:"maybe"`
	Shown  *rowschema.Picture `json:"shown"`
	Hidden string             `json:"hidden" table:"-"`
	secret string
}

type part struct {
	A string  `json:"a,omitempty"`
	N []int64 `json:"n"`
}

func columns(t *testing.T, keys ...string) []rowschema.Column {
	t.Helper()
	c, err := rowschema.Of(reflect.TypeFor[sample](), keys...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestKeysComeFirstAndEmbeddedFieldsInTheirPlace(t *testing.T) {
	var names []string
	for _, c := range columns(t, "large", "rank") {
		names = append(names, c.Name)
	}
	want := "large rank id note flag real told words parts one labels maybe shown"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
}

func TestWhatIsNullAndWhatIsNot(t *testing.T) {
	cols := columns(t, "id")
	empty := rowschema.Cells(cols, sample{secret: "x", Hidden: "x"})
	want := []any{"", nil, false, nil, int64(0), nil, nil, []any{}, []any{}, []any{nil, []any{}}, []any{}, nil, nil}
	if !reflect.DeepEqual(empty, want) {
		t.Errorf("the cells of nothing are %#v, want %#v", empty, want)
	}
	zero := 0.0
	full := rowschema.Cells(cols, sample{
		head: head{"i", "n"}, Flag: true, Rank: 1, Large: 2, Real: 3, Told: "t", Words: []string{"", "w"},
		Parts: []part{{"a", []int64{4}}, {}}, One: part{N: []int64{}}, Labels: map[string]string{"b": "2", "a": ""},
		Maybe: &zero, Shown: &rowschema.Picture{Path: "p"},
	})
	want = []any{"i", "n", true, int32(1), int64(2), 3.0, "t", []any{"", "w"},
		[]any{[]any{"a", []any{int64(4)}}, []any{nil, []any{}}}, []any{nil, []any{}},
		[]any{[]any{"a", ""}, []any{"b", "2"}}, 0.0, []any{nil, "p"}}
	if !reflect.DeepEqual(full, want) {
		t.Errorf("the cells are %#v, want %#v", full, want)
	}
}

// random draws a sample whose parts are as often empty as not.
func random(r *rand.Rand) sample {
	text := func() string { return []string{"", "a", "Ω漢"}[r.IntN(3)] }
	numbers := func() (out []int64) {
		for range r.IntN(3) {
			out = append(out, r.Int64()-math.MaxInt64/2)
		}
		return out
	}
	s := sample{
		head: head{text(), text()}, Flag: r.IntN(2) == 0, Rank: int32(r.IntN(3) - 1), Large: r.Int64(),
		Real: []float64{0, math.Copysign(0, -1), 1.5}[r.IntN(3)], Told: text(), One: part{text(), numbers()},
		Labels: map[string]string{},
	}
	for i := range r.IntN(3) {
		s.Words = append(s.Words, text())
		s.Parts = append(s.Parts, part{text(), numbers()})
		s.Labels[fmt.Sprint(i, text())] = text()
	}
	if r.IntN(2) == 0 {
		s.Maybe, s.Shown = &s.Real, &rowschema.Picture{Bytes: []byte{1}, Path: text()}
	}
	return s
}

func TestCellsBecomeTheValueAgain(t *testing.T) {
	cols, r := columns(t, "id"), rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		in := random(r)
		cells := rowschema.Cells(cols, in)
		for i, c := range cols {
			if err := c.Check(cells[i]); err != nil || !c.Canonical(cells[i]) {
				t.Fatalf("column %s of %#v: %v: canonical %t", c.Name, cells[i], err, c.Canonical(cells[i]))
			}
		}
		var out sample
		rowschema.Fill(cols, cells, &out)
		in.Real += 0 // a null 0 has lost its sign
		if !reflect.DeepEqual(in, out) {
			t.Fatalf("%+v became %+v", in, out)
		}
	}
}

func TestCellsThatAreWrittenOtherwise(t *testing.T) {
	cols := columns(t, "id")
	good := rowschema.Cells(cols, random(rand.New(rand.NewPCG(3, 4))))
	for name, wrong := range map[string][]any{
		"id": {nil}, "note": {""}, "flag": {nil}, "rank": {int32(0)}, "real": {0.0, math.Copysign(0, -1)}, "told": {""},
		"words": {nil, []any{nil}}, "parts": {nil, []any{nil}, []any{[]any{"", []any{}}}, []any{[]any{nil, nil}}},
		"labels": {nil, []any{[]any{"b", "1"}, []any{"a", "2"}}, []any{[]any{"a", "1"}, []any{"a", "2"}}},
		"shown":  {[]any{[]byte{}, "p"}, []any{nil, nil}},
	} {
		for i, c := range cols {
			if c.Name == name && !c.Canonical(good[i]) {
				t.Errorf("%s: %#v is refused", name, good[i])
			}
			for _, v := range wrong {
				if c.Name == name && c.Canonical(v) {
					t.Errorf("%s: %#v passes", name, v)
				}
			}
		}
	}
}

func TestTypesThatNoTableHolds(t *testing.T) {
	type loop struct {
		Name string `json:"name"`
		More []struct {
			Again *int `json:"again"`
		} `json:"more"`
	}
	type chain struct {
		Next []chain `json:"next"`
	}
	for want, v := range map[string]any{
		"is no struct":                "text",
		"no fields that a table":      struct{}{},
		"field Real has no json name": inner{},
		"holds itself":                chain{},
		"holds no int;":               loop{},
		"goes from text to text": struct {
			M map[string]int `json:"m"`
		}{},
		"two fields are named \"id\"": struct {
			head
			ID string `json:"id"`
		}{},
		"elements of a list are plain": struct {
			L [][]string `json:"l"`
		}{},
		"only plain values and picture": struct {
			P *part `json:"p"`
		}{},
		"holds no interface": struct {
			V any `json:"v"`
		}{},
	} {
		if _, err := rowschema.Of(reflect.TypeOf(v)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%T: want an error with %q, have %v", v, want, err)
		}
	}
	for want, key := range map[string]string{"there is no \"x\"": "x", "\"words\" cannot be a key": "words", "\"real\" cannot": "real", "\"flag\" cannot": "flag"} {
		if _, err := rowschema.Of(reflect.TypeFor[sample](), key); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("key %s: want an error with %q, have %v", key, want, err)
		}
	}
}

// TestColumnsOfOneNameAreRefused: names are of one column, at each depth.
func TestColumnsOfOneNameAreRefused(t *testing.T) {
	text := func(name string) rowschema.Column { return rowschema.Column{Name: name, Kind: rowschema.String} }
	record := func(name string, fields ...rowschema.Column) rowschema.Column {
		return rowschema.Column{Name: name, Kind: rowschema.Struct, Fields: fields}
	}
	for _, tc := range []struct {
		what string
		cols []rowschema.Column
		good bool
	}{
		{"two names", []rowschema.Column{text("id"), text("note")}, true},
		{"one name twice", []rowschema.Column{text("id"), text("id")}, false},
		{"one name, apart", []rowschema.Column{text("id"), text("note"), text("id")}, false},
		{"one name at two depths", []rowschema.Column{text("id"), record("part", text("id"))}, true},
		{"one name twice within", []rowschema.Column{text("id"), record("part", text("a"), text("a"))}, false},
	} {
		if err := rowschema.Check(tc.cols, 1); (err == nil) != tc.good {
			t.Errorf("%s: %v", tc.what, err)
		}
	}
}

// TestColumnsOfOthers: declarations that types do not give are refused, at each bound.
func TestColumnsOfOthers(t *testing.T) {
	named := func(name string, k rowschema.Kind) rowschema.Column { return rowschema.Column{Name: name, Kind: k} }
	list := func(elem rowschema.Column) rowschema.Column {
		return rowschema.Column{Name: "l", Kind: rowschema.List, Elem: &elem}
	}
	record := func(fields ...rowschema.Column) rowschema.Column {
		return rowschema.Column{Name: "s", Kind: rowschema.Struct, Fields: fields}
	}
	with := func(c rowschema.Column, change func(*rowschema.Column)) rowschema.Column { change(&c); return c }
	null := func(c rowschema.Column, n rowschema.Null) rowschema.Column {
		return with(c, func(c *rowschema.Column) { c.Null = n })
	}
	pairs := func(c rowschema.Column) rowschema.Column {
		return with(c, func(c *rowschema.Column) { c.Pairs = true })
	}
	entry := with(record(named("key", rowschema.String), named("value", rowschema.String)), func(c *rowschema.Column) { c.Name = "element" })
	element := named("element", rowschema.String)
	image := rowschema.Column{Name: "i", Kind: rowschema.Image, Fields: []rowschema.Column{null(named("bytes", rowschema.Bytes), rowschema.Zero), named("path", rowschema.String)}}
	deep := func(n int) rowschema.Column {
		c := named("s", rowschema.String)
		for range n - 1 {
			c = record(c)
		}
		return c
	}
	wide := func(n int) (all []rowschema.Column) {
		for i := range n {
			all = append(all, named(fmt.Sprint("c", i), rowschema.Int64))
		}
		return all
	}
	id := named("id", rowschema.String)
	for what, tc := range map[string]struct {
		keys int
		cols []rowschema.Column
		want string
	}{
		"texts and whole numbers as keys": {3, []rowschema.Column{id, named("a", rowschema.Int32), named("b", rowschema.Int64), named("c", rowschema.Bool)}, ""},
		"a key that is a flag":            {1, []rowschema.Column{named("a", rowschema.Bool)}, "cannot be a key"},
		"a key that is a share":           {1, []rowschema.Column{named("a", rowschema.Float64)}, "cannot be a key"},
		"no columns":                      {0, nil, "no columns"},
		"a name with a dot":               {0, []rowschema.Column{named("a.b", rowschema.String)}, "is no name"},
		"256 columns":                     {1, wide(256), ""},
		"257 columns":                     {1, wide(257), "more than 256"},
		"256 columns with fields":         {1, append(wide(255), record(named("a", rowschema.String))), "more than 256"},
		"8 deep":                          {0, []rowschema.Column{deep(8)}, ""},
		"9 deep":                          {0, []rowschema.Column{deep(9)}, "more than 8 deep"},
		"a list":                          {1, []rowschema.Column{id, list(element)}, ""},
		"a list without an element":       {1, []rowschema.Column{id, named("l", rowschema.List)}, "a list has an element"},
		"a text with an element":          {1, []rowschema.Column{id, with(list(element), func(c *rowschema.Column) { c.Kind = rowschema.Bytes })}, "a list has an element"},
		"a struct without fields":         {1, []rowschema.Column{id, named("s", rowschema.Struct)}, "a list has an element"},
		"a text with fields":              {1, []rowschema.Column{id, with(record(id), func(c *rowschema.Column) { c.Kind = rowschema.String })}, "a list has an element"},
		"an element of another name":      {1, []rowschema.Column{id, list(id)}, "the elements of a list"},
		"an element that may be null":     {1, []rowschema.Column{id, list(null(element, rowschema.Zero))}, "the elements of a list"},
		"a list of lists":                 {1, []rowschema.Column{id, list(with(list(element), func(c *rowschema.Column) { c.Name = "element" }))}, "the elements of a list"},
		"a list of images":                {1, []rowschema.Column{id, list(with(image, func(c *rowschema.Column) { c.Name = "element" }))}, "the elements of a list"},
		"a list of structs":               {1, []rowschema.Column{id, list(entry)}, ""},
		"a list that may be null":         {1, []rowschema.Column{id, null(list(element), rowschema.Zero)}, "never null"},
		"a list that may be absent":       {1, []rowschema.Column{id, null(list(element), rowschema.Absent)}, "never null"},
		"a struct that may be null":       {1, []rowschema.Column{id, null(record(id), rowschema.Zero)}, "never null"},
		"a struct that may be absent":     {1, []rowschema.Column{id, null(record(id), rowschema.Absent)}, "never null"},
		"bytes that may be null":          {1, []rowschema.Column{id, null(named("b", rowschema.Bytes), rowschema.Zero)}, ""},
		"a number that may be absent":     {1, []rowschema.Column{id, null(named("b", rowschema.Float64), rowschema.Absent)}, ""},
		"an image":                        {1, []rowschema.Column{id, image}, ""},
		"an image that may be absent":     {1, []rowschema.Column{id, null(image, rowschema.Absent)}, ""},
		"an image that may be null":       {1, []rowschema.Column{id, null(image, rowschema.Zero)}, "never null"},
		"an image of other fields":        {1, []rowschema.Column{id, with(image, func(c *rowschema.Column) { c.Fields = c.Fields[:1] })}, "pairs have a key"},
		"pairs":                           {1, []rowschema.Column{id, pairs(list(entry))}, ""},
		"pairs of texts":                  {1, []rowschema.Column{id, pairs(list(element))}, "pairs have a key"},
		"pairs that are no list":          {1, []rowschema.Column{id, pairs(named("p", rowschema.String))}, "pairs have a key"},
		"pairs of other fields":           {1, []rowschema.Column{id, pairs(list(with(entry, func(c *rowschema.Column) { c.Fields = wide(2) })))}, "pairs have a key"},
	} {
		err := rowschema.Check(tc.cols, tc.keys)
		if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", what, err, tc.want)
		}
	}
}
