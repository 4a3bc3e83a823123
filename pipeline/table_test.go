package pipeline_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

type clue struct {
	ClueID string `json:"clue_id"`
	Parts  []struct {
		Ref string `json:"ref"`
	} `json:"parts"`
	On    string `json:"on"`
	Count int64  `json:"count"`
}

func TestATableOfAPlugin(t *testing.T) {
	r := pipeline.NewRegistry()
	pipeline.AddTable[clue](r, "clues", "clue", []string{"clue_id"},
		pipeline.Reference{Column: "on", Tables: []string{"questions"}}, pipeline.Reference{Column: "parts.ref", Tables: []string{"media"}})
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	table, ok := r.Table("clue")
	if !ok || !r.Releases("clue") || r.Releases("other") || !r.Releases(schemas.NameTask) {
		t.Fatalf("table %v, %t", table, ok)
	}
	rec, err := pipeline.NewRecord("clue", "x", map[string]any{"clue_id": "c", "parts": []any{map[string]any{"ref": "m"}, map[string]any{"ref": ""}, map[string]any{"ref": "n#t=1,2"}}, "on": "q", "count": 3})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := table.Rows(rec)
	if err != nil || len(rows) != 1 || rows[0].Table != "clues" {
		t.Fatalf("rows %v, %v", rows, err)
	}
	row := rows[0].Cells
	want := []any{"c", []any{[]any{"m"}, []any{""}, []any{"n#t=1,2"}}, "q", int64(3)}
	if !reflect.DeepEqual(row, want) {
		t.Fatalf("row %#v, want %#v", row, want)
	}
	var ids []string
	for _, ref := range table.ReferencesOf(row) {
		ids = append(ids, ref.Column+"="+ref.ID)
	}
	if got := strings.Join(ids, " "); got != "on=q parts.ref=m parts.ref=n#t=1,2" {
		t.Errorf("it refers to %s", got)
	}
	rec.Data = []byte(`{"clue_id":"c","unheard":1}`)
	if _, err := table.Rows(rec); err == nil {
		t.Error("a field that the type has not is taken")
	}
}

func TestTablesThatAreRefused(t *testing.T) {
	for want, add := range map[string]func(*pipeline.Registry){
		"letters, digits and underscores": func(r *pipeline.Registry) {
			pipeline.AddTable[clue](r, "My Table", "clue", []string{"clue_id"})
		},
		"there is no \"id\"":      func(r *pipeline.Registry) { pipeline.AddTable[clue](r, "clues", "clue", []string{"id"}) },
		"needs a schema and keys": func(r *pipeline.Registry) { pipeline.AddTable[clue](r, "clues", "clue", nil) },
		"have a table already":    func(r *pipeline.Registry) { pipeline.AddTable[clue](r, "clues", "question", []string{"clue_id"}) },
		"must be a column of text": func(r *pipeline.Registry) {
			pipeline.AddTable[clue](r, "clues", "clue", []string{"clue_id"}, pipeline.Reference{Column: "count", Tables: []string{"questions"}})
		},
		"refers to at least one": func(r *pipeline.Registry) {
			pipeline.AddTable[clue](r, "clues", "clue", []string{"clue_id"}, pipeline.Reference{Column: "on"})
		},
		"the name is taken": func(r *pipeline.Registry) {
			pipeline.AddTable[clue](r, "clues", "clue", []string{"clue_id"})
			pipeline.AddTable[clue](r, "clues", "clue2", []string{"clue_id"})
		},
		"holds the records of schema": func(r *pipeline.Registry) {
			pipeline.AddTable[clue](r, "clues", "clue", []string{"clue_id"})
			pipeline.AddTable[clue](r, "more", "clue", []string{"clue_id"})
		},
	} {
		r := pipeline.NewRegistry()
		add(r)
		if err := r.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, have %v", want, err)
		}
	}
}
