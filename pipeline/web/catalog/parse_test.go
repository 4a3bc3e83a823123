package catalog

import (
	"database/sql"
	"net/url"
	"reflect"
	"strings"
	"testing"
)

func TestParseQuery(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want Query
		fail string
	}{
		{"", Query{}, ""},
		{"q=red+box&after=49&limit=5", Query{Text: "red box", After: "49", Limit: 5}, ""},
		{"type=b&type=a&type=a&x=1", Query{Filters: []Filter{{Field: "type", Values: []string{"a", "b"}}}}, ""},
		{"type=!", Query{Filters: []Filter{{Field: "type", Missing: true}}}, ""},
		{"type=!a&type=b", Query{Filters: []Filter{{Field: "type", Values: []string{"b"}}, {Field: "type", Values: []string{"a"}, Not: true}}}, ""},
		{"type=!!", Query{Filters: []Filter{{Field: "type", Missing: true, Not: true}}}, ""},
		{"type==!&type=!=!", Query{Filters: []Filter{{Field: "type", Values: []string{"!"}}, {Field: "type", Values: []string{"!"}, Not: true}}}, ""},
		{"type=", Query{}, ""},
		{"limit=0", Query{}, "limit"}, {"limit=1e3", Query{}, "limit"}, {"limit=501", Query{}, "limit"},
		{"q=%ff", Query{}, "UTF-8"}, {"q=" + strings.Repeat("x", 1001), Query{}, "1000"},
		{"type=" + strings.Join(strings.Split(strings.Repeat("0123456789", 7), ""), "x&type="), Query{Filters: []Filter{{Field: "type", Values: strings.Split("0 0x 1x 2x 3x 4x 5x 6x 7x 8x 9 9x", " ")}}}, ""},
	} {
		v, err := url.ParseQuery(tc.in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseQuery(v, "x")
		if tc.fail != "" {
			if err == nil || !strings.Contains(err.Error(), tc.fail) {
				t.Errorf("%.60s: %v", tc.in, err)
			}
			continue
		}
		if len(tc.want.Filters) == 1 && len(tc.want.Filters[0].Values) > 5 {
			if err != nil || len(got.Filters) != 1 {
				t.Errorf("%.60s: %+v, %v", tc.in, got, err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%.60s: %+v, %v, want %+v", tc.in, got, err, tc.want)
		}
	}
}

// FuzzParseQuery writes a query as parameters and reads it again, and gives FTS5 what it makes of
// the text: nothing that is typed is a mistake of syntax.
func FuzzParseQuery(f *testing.F) {
	for _, seed := range []string{
		"q=%22red+box%22+blue*&type=a&type=!b", "q=NEAR(a,2)&after=3&limit=10", "q=%E5%9C%A8%E7%BA%A2*&label.x=%00", "q=a%22%22b*%22&x==!&x=!!&x=!=", "q=-said:^x+{}[]%27",
	} {
		f.Add(seed)
	}
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(indexLayout); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in string) {
		v, err := url.ParseQuery(in)
		if err != nil {
			return
		}
		q, err := ParseQuery(v)
		if err != nil {
			return
		}
		again, err := ParseQuery(q.Values())
		if err != nil || !reflect.DeepEqual(again, q) {
			t.Fatalf("%q becomes %+v and %+v: %v", in, q, again, err)
		}
		said := match(parseText(q.Text))
		if said == "" {
			return
		}
		rows, err := db.Query("SELECT rowid FROM words WHERE words MATCH ?", said)
		if err == nil {
			rows.Next()
			err = rows.Err()
			rows.Close()
		}
		if err != nil {
			t.Fatalf("%q becomes %q: %v", q.Text, said, err)
		}
	})
}

// TestBitmap compares steps and counts with a plain list.
func TestBitmap(t *testing.T) {
	const rows = 200
	b := newBitmap(rows)
	has := map[int64]bool{}
	for _, row := range []int64{0, 1, 62, 63, 64, 127, 128, 190, 199} {
		b.add(row)
		has[row] = true
	}
	b.add(-1)
	b.add(1 << 40)
	for row := int64(-2); row < rows+70; row++ {
		next, previous, before := int64(-1), int64(-1), int64(0)
		for r := int64(rows - 1); r >= 0; r-- {
			if has[r] && r >= row {
				next = r
			}
			if has[r] && r <= row && previous < 0 {
				previous = r
			}
			if has[r] && r < row {
				before++
			}
		}
		if b.has(row) != has[row] || b.next(row) != next || b.previous(row) != previous || b.before(row) != before {
			t.Errorf("row %d: %t %d %d %d, want %t %d %d %d", row, b.has(row), b.next(row), b.previous(row), b.before(row), has[row], next, previous, before)
		}
	}
	if n := fullBitmap(rows).count(); n != rows {
		t.Errorf("%d rows in all", n)
	}
	full := fullBitmap(rows)
	full.keep(b, true)
	if n := full.count(); n != rows-int64(len(has)) || b.count() != int64(len(has)) {
		t.Errorf("%d rows without those", n)
	}
}
