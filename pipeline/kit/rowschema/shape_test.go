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
