package m3bench_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/m3bench"
)

func config(change func(*m3bench.Config)) m3bench.Config {
	var c m3bench.Config
	c.SetDefaults()
	if change != nil {
		change(&c)
	}
	return c
}

func file(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// subject has the tools in the user's folder, or nowhere; pictures there as well, or on
// the hub.
func subject(t *testing.T, c m3bench.Config, tools bool) testkit.Subject {
	t.Helper()
	pictures := map[string][]byte{"datasets/t1.png": testkit.PNG(t, 1), "datasets/t2.png": testkit.PNG(t, 2), "datasets/bomb.png": testkit.DecompressionBomb(t)}
	up := testkit.Upstream{Media: map[string][]byte{}, Repos: map[string]testkit.Repo{
		"EtaYang10th/Open-M3-Bench": {Commit: config(nil).Revision, Files: map[string][]byte{"json/test_mcp_GT.json": file(t, "gold.json"), "json/tasks_fuzzy.json": file(t, "fuzzy.json"), "README.md": nil}},
	}}
	if c.Images {
		up.Repos["someone/pictures"] = testkit.Repo{Commit: strings.Repeat("8", 40), License: "cc-by-4.0", Files: map[string][]byte{"datasets.zip": testkit.Zip(t, pictures)}, Large: map[string]bool{"datasets.zip": true}}
	} else {
		for name, b := range pictures {
			up.Media["m3bench/"+name] = b
		}
	}
	if tools {
		up.Media["m3bench/tools.json"] = file(t, "tools.json")
	}
	return testkit.Subject{Register: m3bench.Register, Use: "m3bench", Config: c}.Fetch(t, up)
}

func TestConformance(t *testing.T) {
	s := subject(t, config(nil), true)
	s.Golden = "2 55a13a6d5c4905c427c794ee52ff079f98f099793e50575e60c66ba67f47eac8"
	testkit.ConformSource(t, s)
}

func items(t *testing.T, s testkit.Subject) (map[string]schemas.EvidenceItem, string) {
	t.Helper()
	records, lost, err := s.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]schemas.EvidenceItem{}
	for _, i := range testkit.DecodeAll[schemas.EvidenceItem](t, schemas.NameEvidenceItem, records) {
		out[i.UpstreamID] = i
	}
	var codes []string
	for _, l := range lost {
		codes = append(codes, l.ID+" "+l.Code)
	}
	slices.Sort(codes)
	return out, strings.Join(codes, "\n")
}

const lostTools = `
tools.json#barcode/lookup duplicate-id
tools.json#barcode/scan two-spellings
tools.json#barcode/weigh bad-tool
tools.json#tree/grow recursive-tool
tools.json#wood bad-tool`

const lostTasks = `json/tasks_fuzzy.json#t3 bad-annotation
json/test_mcp_GT.json#14 bad-annotation
json/test_mcp_GT.json#15 bad-annotation
json/test_mcp_GT.json#16 bad-annotation
m3bench/t1 duplicate-id
m3bench/t10 explodes
m3bench/t11 bad-calls
m3bench/t12 bad-calls
m3bench/t13 malformed-call
m3bench/t4 unknown-argument
m3bench/t5 bad-argument
m3bench/t6 gold-no-tool
m3bench/t7 recursive-tool
m3bench/t8 media-missing
m3bench/t9 no-evidence`

func TestRecords(t *testing.T) {
	got, lost := items(t, subject(t, config(nil), true))
	if want := lostTasks + lostTools; len(got) != 3 || lost != want {
		t.Fatalf("%d items, lost\n%s\nwant\n%s", len(got), lost, want)
	}
	one := got["t1"]
	if q := one.Question; q.AnswerCall != `{"arguments":{"code":"0123","count":2},"name":"barcode/lookup"}` || q.Question != "What is this thing, and are there two of it?" || q.Type != "shopping" || one.License != "MIT" || len(one.Notes) != 0 {
		t.Errorf("item %+v", one)
	}
	var names []string
	for _, o := range one.Question.Tools {
		names = append(names, o.Name)
	}
	if strings.Join(names, " ") != "barcode/lookup barcode/print rail/book" || one.Question.Tools[2].Parameters != `{"type":"object","properties":{"day":{"type":"string"}}}` {
		t.Errorf("tools %+v", one.Question.Tools)
	}
	if u := one.Units; len(u) != 1 || u[0].Modality != schemas.ModalityImage || u[0].Media != string(pipeline.DigestOf(testkit.PNG(t, 1))) || u[0].UpstreamID != "datasets/t1.png" {
		t.Errorf("units %+v", u)
	}
	if q := got["t2"].Question; q.AnswerCall != `{"arguments":{"day":"2024-05-01"},"name":"rail/book"}` {
		t.Errorf("arguments in a text: %+v", q)
	}
	const plan = `[{"calls":[],"step":1},{"calls":[{"arguments":{"code":"1"},"name":"barcode/lookup"},{"arguments":{},"name":"rail/book"}],"step":2}]`
	if i := got["t3"]; i.Question.AnswerCall != plan || len(i.Question.Tools) != 3 || i.Units[0].UpstreamID != "datasets/t1.png" {
		t.Errorf("two calls after an empty step, without a default: %+v", i)
	}
}

// TestFewerTools: of those beside the gold the ones of its server come first.
func TestFewerTools(t *testing.T) {
	got, _ := items(t, subject(t, config(func(c *m3bench.Config) { c.MaxTools = 2 }), true))
	if o := got["t1"].Question.Tools; len(o) != 2 || o[1].Name != "barcode/print" {
		t.Errorf("tools %+v", o)
	}
}

// TestWithoutTools: nobody says what tools there are, so no call is held against one;
// the pictures come out of an archive of the hub, whose licence is met as well.
func TestWithoutTools(t *testing.T) {
	got, lost := items(t, subject(t, config(func(c *m3bench.Config) { c.Images, c.ImagesRepo = true, "someone/pictures" }), false))
	if len(got) != 7 || strings.Contains(lost, "argument") || !strings.Contains(lost, "m3bench/t13 malformed-call") {
		t.Fatalf("%d items, lost\n%s", len(got), lost)
	}
	if i := got["t4"]; len(i.Question.Tools) != 0 || i.Notes[0].Code != "tools-not-known" {
		t.Errorf("item %+v", i)
	}
	if i := got["t6"]; i.Notes[0].Code != "question-not-reworded" {
		t.Errorf("item %+v", i)
	}
}

// TestLongPlansAreLeftOut: max_calls bounds them.
func TestLongPlansAreLeftOut(t *testing.T) {
	got, lost := items(t, subject(t, config(func(c *m3bench.Config) { c.MaxCalls = 1 }), true))
	if _, there := got["t3"]; there || !strings.Contains(lost, "m3bench/t3 bad-calls") {
		t.Errorf("%d items, lost\n%s", len(got), lost)
	}
}

func TestConfigIsChecked(t *testing.T) {
	for want, change := range map[string]func(*m3bench.Config){
		"owner/name": func(c *m3bench.Config) { c.Repo = "x y" }, "images_": func(c *m3bench.Config) { c.ImagesRepo = "x y" }, "gold": func(c *m3bench.Config) { c.Gold = "" }, "max_tools": func(c *m3bench.Config) { c.MaxTools = 1 }, "max_calls": func(c *m3bench.Config) { c.MaxCalls = 0 },
	} {
		if _, err := m3bench.New(config(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestGoldenSpoiled pins what is read of files with one value wrong.
func TestGoldenSpoiled(t *testing.T) {
	subject(t, config(nil), true).CheckSpoiled(t, "spoiled-test_mcp_GT", "json/test_mcp_GT.json")
	subject(t, config(nil), true).CheckSpoiled(t, "spoiled-tasks_fuzzy", "json/tasks_fuzzy.json")
	subject(t, config(nil), true).CheckSpoiled(t, "spoiled-tools", "m3bench/tools.json")
}
