package tables_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/score"
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

// TestDropEmpty: rows and columns without a question leave with their number, a cell that is
// empty for another reason stays.
func TestDropEmpty(t *testing.T) {
	made := tables.Table{Name: "t", Title: "a table", Columns: []string{"a", "b", "c"}, Lines: []tables.Line{
		{Slice: "one", Figures: map[string]tables.Figure{"a": tables.Count(1)}, Missing: map[string]string{"b": tables.NoQuestions, "c": "needs a judge"}},
		{Slice: "two", Figures: map[string]tables.Figure{}, Missing: map[string]string{"b": tables.NoQuestions}},
	}}
	made.DropEmpty()
	var b bytes.Buffer
	if err := made.Print(&b); err != nil {
		t.Fatal(err)
	}
	want := "t: a table\nslice  n  a  c\none    -  1  -\nnote: 1 rows without a question that was answered are left out: two\nnote: 1 columns without a question that was answered are left out: b\nnote: c: needs a judge\n"
	if got := b.String(); got != want {
		t.Errorf("printed\n%q\nwant\n%q", got, want)
	}
	empty := tables.Table{Columns: []string{"a"}}
	if empty.DropEmpty(); len(empty.Columns) != 1 {
		t.Error("a table of no line loses its columns")
	}
}

// judged has one question, of which a judge labels the answer.
type judged struct{ score.QuestionSet }

func (judged) Cases(answers map[string]string) ([]score.Case, error) {
	return []score.Case{{IDs: []string{"q"}, Labels: []string{"Correct"}, Subjects: []string{answers["q"]}}}, nil
}

// TestLabelsBesideARun are read where score --judge writes them, leave the answers of the run
// as they are, and are refused if they are of other answers.
func TestLabelsBesideARun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	run := tables.Run{Name: "r", File: file, Answers: map[string]string{"q": "blue"}}
	if got, notes, err := run.AddLabels(file, judged{}); err != nil || len(got) != 1 || notes != nil {
		t.Errorf("without a file of labels: %v, %q, %v", got, notes, err)
	}
	cases, _ := judged{}.Cases(run.Answers)
	labels, err := cases[0].LabelsOf([]string{"Correct"}, nil, "", score.Label{Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(labels[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(score.LabelsFile(file), line, 0o644); err != nil {
		t.Fatal(err)
	}
	got, notes, err := run.AddLabels(file, judged{})
	if err != nil || got["q#judge"] != "Correct" || len(run.Answers) != 1 || len(notes) != 1 || notes[0] != "run r: 1 labels by m" {
		t.Errorf("%v, %q, %v", got, notes, err)
	}
	run.Answers["q"] = "red"
	if _, _, err := run.AddLabels(file, judged{}); err == nil || !strings.Contains(err.Error(), "of other answers") {
		t.Errorf("labels of another answer: %v", err)
	}
}
