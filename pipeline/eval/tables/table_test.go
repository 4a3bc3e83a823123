package tables_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
)

// TestPrint: a mean with its interval, one without, a count, which is over nothing, and
// what a line does not have.
func TestPrint(t *testing.T) {
	made := tables.Table{
		Name: "t", Title: "a table", Columns: []string{"a", "b"}, Notes: []string{"read with care"}, List: []string{"q1"},
		Lines: []tables.Line{
			{Slice: "all", Figures: map[string]tables.Figure{"a": tables.FigureOf(agreement.Interval{Value: 0.5, Low: 0.25, High: 0.75}, 8), "b": tables.Exactly(1, 4)}},
			{Slice: "some\x1b[31m", Figures: map[string]tables.Figure{"b": tables.Count(3)}},
		},
	}
	var b bytes.Buffer
	if err := made.Print(&b); err != nil {
		t.Fatal(err)
	}
	want := "t: a table\nslice           n  a                     b\nall             8  0.500 [0.250, 0.750]  1.000\nsome\\u001b[31m  -  -                     3\nnote: read with care\n  q1\n"
	if got := b.String(); got != want {
		t.Errorf("printed\n%q\nwant\n%q", got, want)
	}
	data, err := json.Marshal(made.Lines[0])
	if err != nil || string(data) != `{"slice":"all","figures":{"a":{"value":0.5,"low":0.25,"high":0.75,"n":8},"b":{"value":1,"low":1,"high":1,"n":4}}}` {
		t.Errorf("%s, %v", data, err)
	}
}

func TestSetsAreListedByName(t *testing.T) {
	r := pipeline.NewRegistry()
	tables.Add(r, tables.Set{Name: "b"})
	tables.Add(r, tables.Set{Name: "a"})
	if got := tables.Sets(r); len(got) != 2 || got[0].Name != "a" || got[1].Name != "b" {
		t.Errorf("%+v", got)
	}
	tables.Add(r, tables.Set{Name: "a"})
	if r.Err() == nil {
		t.Error("a name is taken twice without a word")
	}
}
