package release

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/rowschema"
	"github.com/memforge/memforge/pipeline/release/describe"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// hint is a row of a table that a plugin brings.
type hint struct {
	HintID     string            `json:"hint_id"`
	QuestionID string            `json:"question_id"`
	Shown      string            `json:"shown,omitempty"`
	Step       int32             `json:"step"`
	Words      []string          `json:"words"`
	Labels     map[string]string `json:"labels"`
}

// withHints is sample with a plugin's table, and the hints of the first questions.
func withHints(t *testing.T, n int) (pipeline.Store, Input) {
	t.Helper()
	store, in := sample(t, 12)
	reg := pipeline.NewRegistry()
	pipeline.AddTable[hint](reg, "hints", "test.hint", []string{"question_id", "step"},
		pipeline.Reference{Column: "question_id", Tables: []string{tableQuestions}},
		pipeline.Reference{Column: "shown", Tables: []string{tableMedia, tableTasks}})
	if err := reg.Err(); err != nil {
		t.Fatal(err)
	}
	hints, _ := reg.Table("test.hint")
	in.Tables = hints.Tables()
	for i := range n {
		h := hint{HintID: fmt.Sprint("h", i), QuestionID: question(i/2, "", "").QuestionID, Step: int32(i), Words: []string{"a"}, Labels: map[string]string{"k": "v"}}
		if i == 0 {
			m := videoMedia(store, 99) // nothing else shows it
			h.Shown = m.MediaID + "#t=0,1"
			in.Records = append(in.Records, record(t, schemas.NameMedia, m.MediaID, m))
		}
		in.Records = append(in.Records, record(t, "test.hint", h.HintID, h))
	}
	return store, in
}

func TestAPluginsTableIsReleasedAndReadWithoutThePlugin(t *testing.T) {
	t.Parallel()
	store, in := withHints(t, 6)
	root := t.TempDir()
	dir := write(t, store, root, in).Dir
	c := mustRead(t, dir) // no registry
	info, ok := c.Manifest.Table("hints")
	if !ok || info.Rows != 6 || info.Declared == nil || info.Declared.Keys != 2 {
		t.Fatalf("the manifest says %+v of the table", info)
	}
	if len(c.Media) != 5 {
		t.Errorf("%d media; the one that a hint shows is among 5", len(c.Media))
	}
	restated, err := CheckTexts(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range restated {
		if len(r.Differs) > 0 || r.Unknown != "" {
			t.Errorf("%s: %v %s", r.Path, r.Differs, r.Unknown)
		}
	}
	card := string(files(t, dir)[describe.CardName])
	for _, want := range []string{"| `hints` | 6 |", "config_name: hints"} {
		if !strings.Contains(card, want) {
			t.Errorf("the card lacks %q", want)
		}
	}
	if text := string(files(t, dir)[describe.CroissantName]); !strings.Contains(text, `"hints/train/labels"`) {
		t.Error("croissant.json does not describe the table")
	}
	// A row more is an addition, a column less breaks it.
	store, in = withHints(t, 7)
	in.BuildKey = "more"
	if v := write(t, store, root, in).Version; v != "1.1.0" {
		t.Errorf("a hint more is version %s", v)
	}
	store, in = withHints(t, 7)
	in.BuildKey = "less"
	in.Tables = nil
	in.Records = slices.DeleteFunc(in.Records, func(r pipeline.Record) bool { return r.Schema == "test.hint" })
	if v := write(t, store, root, in).Version; v != "2.0.0" {
		t.Errorf("without the table it is version %s", v)
	}
}

func TestForgedTablesOfPlugins(t *testing.T) {
	t.Parallel()
	place := tablePath("hints", wholeSplit)
	declare := func(change func(*pipeline.Table)) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			reseal(t, dir, func(m *manifest.Manifest) { change(m.Tables[len(m.Tables)-1].Declared) })
		}
	}
	rows := func(change func([]row) []row) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			m, err := readManifest(dir)
			if err != nil {
				t.Fatal(err)
			}
			rewrite(t, dir, place, shapesOf(m)[len(shapesOf(m))-1], change)
		}
	}
	for want, forge := range map[string]func(*testing.T, string){
		"refers to \"nobody\"":            rows(func(r []row) []row { r[0][0] = "nobody"; return r }),
		"refers to \"nothing#t=1\"":       rows(func(r []row) []row { r[0][3] = "nothing#t=1"; return r }),
		"rows are not in order":           rows(func(r []row) []row { slices.Reverse(r); return r }),
		"occurs twice":                    rows(func(r []row) []row { r[1] = slices.Clone(r[0]); return r }),
		"null or empty where":             rows(func(r []row) []row { r[0][3] = ""; return r }),
		"has 5 rows, the manifest says 6": rows(func(r []row) []row { return r[1:] }),
		"is declared as other":            declare(func(d *pipeline.Table) { d.Name = "other" }),
		"which is no table whose rows":    declare(func(d *pipeline.Table) { d.References[0].Tables = []string{"probes"} }),
		"must be a column of text":        declare(func(d *pipeline.Table) { d.References[0].Column = "step" }),
		"needs a schema and keys":         declare(func(d *pipeline.Table) { d.Keys = 0 }),
		"records of schema review have":   declare(func(d *pipeline.Table) { d.Schema = schemas.NameReview }),
		"schema verdict have another":     declare(func(d *pipeline.Table) { d.Schema = schemas.NameVerdict }),
		"cannot be a key":                 declare(func(d *pipeline.Table) { d.Keys = len(d.Columns) }),
		"a list has an element":           declare(func(d *pipeline.Table) { d.Columns[4].Elem = nil }),
		"a list or struct is never null":  declare(func(d *pipeline.Table) { d.Columns[4].Null = rowschema.Zero }),
		"the columns are not those":       declare(func(d *pipeline.Table) { d.Columns[1].Kind = rowschema.Int64 }),
		"is no name of a column":          declare(func(d *pipeline.Table) { d.Columns[2].Name = "step" }),
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			store, in := withHints(t, 6)
			dir := write(t, store, t.TempDir(), in).Dir
			forge(t, dir)
			if _, err := Verify(t.Context(), dir); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("want an error with %q, have %v", want, err)
			}
		})
	}
}

func TestRecordsThatNoTableHolds(t *testing.T) {
	t.Parallel()
	store, in := withHints(t, 1)
	named := in
	named.Tables = slices.Clone(in.Tables)
	named.Tables[0].Name = tableTasks
	if _, err := Write(t.Context(), store, t.TempDir(), named, Options{}); err == nil || !strings.Contains(err.Error(), "every release has a table of that name") {
		t.Errorf("error %v", err)
	}
	in.Tables = nil
	if _, err := Write(t.Context(), store, t.TempDir(), in, Options{}); err == nil || !strings.Contains(err.Error(), `no table holds schema "test.hint"`) {
		t.Errorf("error %v", err)
	}
}
