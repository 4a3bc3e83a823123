package pipeline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/schemas"
)

// TestDeclarationsThatNoReleaseHolds changes one thing of a sound declaration, as a manifest may have it.
func TestDeclarationsThatNoReleaseHolds(t *testing.T) {
	text := func(name string) rowschema.Column { return rowschema.Column{Name: name, Kind: rowschema.String} }
	list := rowschema.Column{Name: "media", Kind: rowschema.List, Elem: &rowschema.Column{Name: "element"}}
	sound := func() pipeline.Table {
		return pipeline.Table{
			Name: "clues", Schema: "clue", Keys: 1, Columns: []rowschema.Column{text("clue_id"), text("of"), {Name: "order", Kind: rowschema.Int32}, {Name: "at", Kind: rowschema.Int64}, {Name: "share", Kind: rowschema.Float64}, list},
			References: []pipeline.Reference{{Column: "of", Tables: []string{"questions"}}, {Column: "media", Tables: []string{"media"}, Weak: true}},
		}
	}
	part := func(column, by string) func(*pipeline.Table) {
		return func(p *pipeline.Table) {
			p.References, p.Part = p.References[:1], &pipeline.Part{Of: "riddles", Column: column, By: by}
		}
	}
	for name, tc := range map[string]struct {
		change func(*pipeline.Table)
		want   string
	}{
		"sound":                      {func(*pipeline.Table) {}, ""},
		"all columns are keys":       {func(p *pipeline.Table) { p.Keys = 4; p.Columns = p.Columns[:4]; p.References = nil }, ""},
		"a long name":                {func(p *pipeline.Table) { p.Name = "a" + strings.Repeat("b", 62) }, ""},
		"a longer name":              {func(p *pipeline.Table) { p.Name = "a" + strings.Repeat("b", 63) }, "lower-case letters"},
		"a name with a dash":         {func(p *pipeline.Table) { p.Name = "my-clues" }, "lower-case letters"},
		"no schema":                  {func(p *pipeline.Table) { p.Schema = "" }, "needs a schema and keys"},
		"no key":                     {func(p *pipeline.Table) { p.Keys = 0 }, "needs a schema and keys"},
		"more keys than columns":     {func(p *pipeline.Table) { p.Keys = 7 }, "needs a schema and keys"},
		"a key that is a share":      {func(p *pipeline.Table) { p.Keys = 5 }, "cannot be a key"},
		"a reference of a number":    {func(p *pipeline.Table) { p.References[0].Column = "order" }, "must be a column of text"},
		"a reference to no table":    {func(p *pipeline.Table) { p.References[0].Tables = nil }, "must be a column of text"},
		"a weak reference of a text": {func(p *pipeline.Table) { p.References[0].Weak = true }, "is weak: only a list"},
		"part of a record":           {part("of", ""), ""},
		"part in an order":           {part("of", "order"), ""},
		"part in a long order":       {part("of", "at"), ""},
		"part of a number":           {part("order", ""), "the elements of records of riddles"},
		"part of nothing":            {part("none", ""), "the elements of records of riddles"},
		"part in an order of texts":  {part("of", "clue_id"), "the elements of records of riddles"},
		"part in an order of shares": {part("of", "share"), "the elements of records of riddles"},
		"part in no order there is":  {part("of", "none"), "the elements of records of riddles"},
		"part with a weak list":      {func(p *pipeline.Table) { p.Part = &pipeline.Part{Of: "riddles", Column: "of"} }, "is weak: only a list"},
		"part with a number as key": {func(p *pipeline.Table) {
			part("of", "")(p)
			p.Columns[0], p.Columns[2] = p.Columns[2], p.Columns[0]
		}, "the elements of records of riddles"},
	} {
		table := sound()
		tc.change(&table)
		err := table.Check()
		if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
	if all := sound().Tables(); len(all) != 1 || all[0].Name != "clues" {
		t.Errorf("a table of a manifest is %v", all)
	}
}

// TestWeakReferencesGoOn: a task goes on without media that are gone, and keeps its name and blobs.
func TestWeakReferencesGoOn(t *testing.T) {
	var tasks pipeline.Table
	for _, table := range pipeline.CoreTables() {
		if table.Name == pipeline.TableTasks {
			tasks = table
		}
	}
	rec, err := pipeline.NewRecord(schemas.NameTask, "under another id", schemas.Task{TaskID: "t", SourceRecords: []string{"m2"}, Media: []string{"m1", "m2", "m3"}}, pipeline.DigestOf(nil))
	if err != nil {
		t.Fatal(err)
	}
	less, err := tasks.WithoutReferences(rec, map[string]bool{"m2": true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := pipeline.Decode[schemas.Task](less)
	if err != nil || fmt.Sprint(got.Media, got.SourceRecords) != "[m1 m3] [m2]" || less.ID != rec.ID || len(less.Blobs) != 1 {
		t.Errorf("%+v of %+v, %v", got, less, err)
	}
	if group, err := tasks.Group(rec); group != rec.ID || err != nil || tasks.IsComposed() {
		t.Errorf("a task is of group %q, %v, composed %t", group, err, tasks.IsComposed())
	}
	rec.Data = []byte(`{"task":1}`)
	if _, err := tasks.WithoutReferences(rec, nil); err == nil {
		t.Error("a record of another shape is taken")
	}
}

// TestSessionsAreGroupedByTask: what a session builds on are the others of its task.
func TestSessionsAreGroupedByTask(t *testing.T) {
	r := pipeline.NewRegistry()
	sessions, _ := r.Table(schemas.NameSession)
	rec, err := pipeline.NewRecord(schemas.NameSession, "mara/S01", life()[1])
	if err != nil {
		t.Fatal(err)
	}
	if group, err := sessions.Group(rec); group != "mara" || err != nil || !sessions.IsComposed() {
		t.Errorf("group %q, %v", group, err)
	}
	rec.Data = []byte(`{"no":1}`)
	if _, err := sessions.Group(rec); err == nil {
		t.Error("a record of another shape has a group")
	}
	var names []string
	for _, table := range r.Tables() {
		names = append(names, table.Name)
	}
	if got := strings.Join(names, " "); got != "checkpoints draws memory_points reviews sessions turns" {
		t.Errorf("tables %s", got)
	}
	if got := strings.Join(r.Schemas(), " "); got != "checkpoint drawn review session" {
		t.Errorf("schemas %s", got)
	}
}
