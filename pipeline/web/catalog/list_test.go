package catalog

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// A list says in words what a question rests on and shows.
func TestWordsOfAList(t *testing.T) {
	evidence := func(roles ...string) (out []schemas.Evidence) {
		for _, r := range roles {
			out = append(out, schemas.Evidence{Role: r})
		}
		return out
	}
	for want, roles := range map[string][]string{
		"":                                   {schemas.RoleContext},
		"1 clue":                             {schemas.RoleClue, schemas.RoleContext},
		"2 clues, 1 distractor":              {schemas.RoleDistractor, schemas.RoleClue, schemas.RoleClue},
		"1 update, 2 superseded, 2 absences": {schemas.RoleSuperseded, schemas.RoleAbsence, schemas.RoleUpdate, schemas.RoleSuperseded, schemas.RoleAbsence},
	} {
		if got := rolesOf(evidence(roles...)); got != want {
			t.Errorf("%v: %q, want %q", roles, got, want)
		}
	}
	media := map[string]schemas.Media{"a": {Kind: schemas.ModalityVideo, Duration: 2.4}, "b": {Kind: schemas.ModalityVideo, Duration: 3.4}, "p": {Kind: schemas.ModalityImage, Duration: 9}}
	for want, ids := range map[string][]string{
		"": nil, "1 video, 2 s": {"a"}, "2 videos, 6 s": {"a", "b"}, "1 picture": {"p"}, "2 pictures": {"p", "gone"}, "2 videos, 1 picture": {"a", "p", "b"}, "1 video, 2 pictures": {"p", "a", "p"},
	} {
		if got := showsOf(ids, media); got != want {
			t.Errorf("%v: %q, want %q", ids, got, want)
		}
	}
}

// Seconds of a fragment count where they are a span.
func TestSpansOfFragments(t *testing.T) {
	for ref, want := range map[string]string{
		"m#t=3.20,5.00": "3.2 5", "m#t=0,0": "0 0", "m#t=0,1.5": "0 1.5", "m#t=4,4": "4 4", "m": "0 0", "m#t=5,4": "0 0", "m#t=-1,4": "0 0", "m#t=x,4": "0 0", "m#t=1,x": "0 0", "m#t=1": "0 0", "m#t=NaN,4": "0 0",
	} {
		if from, to := span(ref); fmt.Sprint(from, to) != want {
			t.Errorf("%s: %v to %v, want %s", ref, from, to, want)
		}
	}
}

// A page leads to the next one by the row before its first.
func TestPlacesOfPages(t *testing.T) {
	for _, row := range []int64{0, 1, 50} {
		if got, err := parseAfter(next(row)); got != row || err != nil {
			t.Errorf("row %d: %d, %v", row, got, err)
		}
	}
	if next(-1) != "" {
		t.Error("the last page leads on")
	}
	for after, want := range map[string]int64{"": 0, "-1": 0, "0": 1, "7": 8} {
		if got, err := parseAfter(after); got != want || err != nil {
			t.Errorf("%q: %d, %v", after, got, err)
		}
	}
	for _, bad := range []string{"-2", "x", "1.5", "9999999999999999999"} {
		if _, err := parseAfter(bad); err == nil {
			t.Errorf("%q is a place", bad)
		}
	}
	for state, want := range map[State]int64{{}: 0, {Done: 1, Rows: 3}: 33, {Done: 3, Rows: 3}: 99, {Done: 0, Rows: 0, Ready: true}: 100, {Done: 5}: 99} {
		if got := state.Percent(); got != want {
			t.Errorf("%+v: %d %%, want %d", state, got, want)
		}
	}
}

// A facet has codes for so many values, each of so many bytes, and counts what rows have.
func TestFacetCodes(t *testing.T) {
	f := newFacetCodes("source", 6)
	long := strings.Repeat("x", mostValue)
	for row, values := range [][]string{{"a"}, {"a", "b"}, {long}, nil, {"a"}} {
		if !f.set(int64(row), values...) {
			t.Errorf("row %d is refused", row)
		}
	}
	if f.set(5, long+"x") || f.set(5, make([]string, mostValues+1)...) || !f.set(5, make([]string, mostValues)...) {
		t.Error("bounds of values do not hold")
	}
	f.codes[5] = 0
	for row, want := range []string{"a", "a", long, "", "a", ""} {
		if got := f.text(int64(row)); got != want {
			t.Errorf("row %d is %q", row, got)
		}
	}
	rows := fullBitmap(6)
	rows.remove(4)
	got := f.count(rows)
	if got.None != 1 || got.Distinct != 4 || !got.Counted || fmt.Sprint(got.Values[0], got.Values[2].Count) != "{a 2} 1" {
		t.Errorf("%+v", got)
	}
	if f.distinct() != 4 {
		t.Errorf("%d values", f.distinct())
	}
	for name, tc := range map[string]struct {
		by   Filter
		want string
	}{
		"a value":              {Filter{Values: []string{"b"}}, "[1]"},
		"one of two":           {Filter{Values: []string{"b", long}}, "[1 2]"},
		"none":                 {Filter{Missing: true}, "[5]"},
		"another":              {Filter{Values: []string{"a"}, Not: true}, "[2 3 5]"},
		"another, and a value": {Filter{Values: []string{"a"}, Missing: true, Not: true}, "[2 3]"},
	} {
		b := fullBitmap(6)
		f.filter(b, tc.by)
		var left []int64
		b.each(func(row int64) { left = append(left, row) })
		if fmt.Sprint(left) != tc.want {
			t.Errorf("%s: rows %v, want %s", name, left, tc.want)
		}
	}
	var again facetCodes
	again.Sets = f.Sets
	if err := again.load(f.bytes(), 6); err != nil || fmt.Sprint(again.codes) != fmt.Sprint(f.codes) {
		t.Errorf("%v, %v", again.codes, err)
	}
	if err := again.load(f.bytes(), 5); err == nil {
		t.Error("codes of other rows are loaded")
	}
	again.Sets = f.Sets[:2]
	if err := again.load(f.bytes(), 6); err == nil {
		t.Error("a code without a value is loaded")
	}
	many := newFacetCodes("label", 1)
	for i := range mostCodes {
		if !many.set(0, fmt.Sprint(i)) {
			t.Fatalf("value %d is refused", i)
		}
	}
	if many.set(0, "one more") || !many.set(0, "7") {
		t.Errorf("%d values, want %d", len(many.Sets), mostCodes)
	}
}

// Media are found by the digest in their name, and by nothing else.
func TestMediaByDigest(t *testing.T) {
	var l mediaList
	one, two := strings.Repeat("0a", 32), strings.Repeat("f1", 32)
	for _, f := range []manifest.FileInfo{
		{Path: "media/videos/" + two + ".mp4", SHA256: pipeline.Digest(two), Size: 2}, {Path: "media/pictures/" + one + ".png", SHA256: pipeline.Digest(one), Size: 1},
		{Path: "data/" + one + ".parquet", SHA256: pipeline.Digest(one), Size: 9}, {Path: "media/other.png", SHA256: pipeline.Digest(one), Size: 9},
	} {
		if l.add(f) {
			t.Errorf("%s is kept elsewhere too", f.Path)
		}
	}
	l.sort()
	for digest, want := range map[string]string{
		one: "media/pictures/" + one + ".png 1 true", two: "media/videos/" + two + ".mp4 2 true", strings.ToUpper(two): " 0 false", one[:62]: " 0 false", strings.Repeat("0b", 32): " 0 false", strings.Repeat("0g", 32): " 0 false",
	} {
		name, size, ok := l.find(digest)
		if got := fmt.Sprint(name, " ", size, " ", ok); got != want {
			t.Errorf("%s: %s, want %s", digest, got, want)
		}
	}
}

// Queries have so many filters and values, and know what they ask for.
func TestBoundsOfQueries(t *testing.T) {
	fields := func(fields, values int) url.Values {
		v := url.Values{}
		for i := range fields {
			for j := range values {
				v.Add(fmt.Sprint("label.", i), fmt.Sprint(j))
			}
		}
		return v
	}
	for name, tc := range map[string]struct {
		v  url.Values
		ok bool
	}{
		"64 filters": {fields(mostFilters, 1), true}, "65 filters": {fields(mostFilters+1, 1), false}, "64 values": {fields(1, mostValues), true}, "65 values": {fields(1, mostValues+1), false},
		"1000 bytes": {url.Values{"q": {strings.Repeat("x", mostText)}}, true}, "1001 bytes": {url.Values{"q": {strings.Repeat("x", mostText+1)}}, false}, "500 rows": {url.Values{"limit": {"500"}}, true}, "501 rows": {url.Values{"limit": {"501"}}, false},
	} {
		if _, err := ParseQuery(tc.v); (err == nil) != tc.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	q := Query{Filters: []Filter{{Field: "type", Values: []string{"a"}}, {Field: "type", Values: []string{"b"}, Not: true}, {Field: "split", Missing: true}}}
	for value, want := range map[[2]string]bool{{"type", "a"}: true, {"type", "b"}: false, {"type", NoValue}: false, {"split", NoValue}: true, {"split", "a"}: false, {"family", "a"}: false} {
		if got := q.Has(value[0], value[1]); got != want {
			t.Errorf("%v is asked for: %t", value, got)
		}
	}
	for limit, want := range map[int]int{-1: PageRows, 0: PageRows, 1: 1, MostRows: MostRows, MostRows + 1: MostRows} {
		if got := (Query{Limit: limit}).limit(); got != want {
			t.Errorf("limit %d: %d rows", limit, got)
		}
	}
	mixed := Query{Filters: []Filter{{Field: "b", Not: true}, {Field: "b"}, {Field: "a", Not: true}, {Field: "a"}}}
	mixed.sort()
	if got := fmt.Sprint(mixed.Filters); got != "[{a [] false false} {a [] false true} {b [] false false} {b [] false true}]" {
		t.Errorf("in order: %s", got)
	}
	for _, rows := range []int64{1, 63, 64, 65, 128} {
		if got := fullBitmap(rows).count(); got != rows {
			t.Errorf("%d of %d rows", got, rows)
		}
	}
	for in, want := range map[string]string{"abc": "abc", "aÿb": "aÿb", "a\x00b": "a b", "a在b": "a 在 b", "Ā": "Ā"} {
		if got := spaceOut(in); got != want {
			t.Errorf("%q becomes %q", in, got)
		}
	}
}
