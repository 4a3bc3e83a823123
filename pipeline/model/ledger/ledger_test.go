package ledger_test

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
)

func open(t testing.TB, dir string) *ledger.Ledger {
	t.Helper()
	l, err := ledger.OpenPlace(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func base() pipeline.Request {
	return pipeline.Request{
		Host: "api.example", Model: "m-1", Task: "video.describe",
		Messages: []pipeline.Message{{Role: "system", Text: "Describe."}, {Role: "user", Text: "Section 1", Images: []pipeline.Digest{"aa"}}},
		Schema:   []byte(`{"type":"object"}`), Sampling: []byte(`{"seed":1}`), Form: []byte(`{}`),
	}
}

func entry(r pipeline.Request, item, text string) ledger.Entry {
	key, _ := ledger.Digests(r)
	return ledger.Entry{Key: key, Step: "describe", Item: item, Request: r, Reply: pipeline.Reply{
		Outcome: model.OK, Text: text, Usage: pipeline.Usage{Input: 10, Cached: 4, Output: 2},
	}}
}

func TestEveryFieldIsInTheKey(t *testing.T) {
	was, _ := ledger.Digests(base())
	if golden := pipeline.Key("a5bc2456ba34704a9f08f97123a9c1a44a79b64e5685a1f2cbb8649b104d9b5a"); was != golden {
		t.Errorf("the key of a fixed request is %s, want %s: ledgers that exist would be worth nothing", was, golden)
	}
	seen := map[pipeline.Key]string{was: "nothing"}
	for name, change := range map[string]func(*pipeline.Request){
		"host":     func(r *pipeline.Request) { r.Host = "api.example:81" },
		"model":    func(r *pipeline.Request) { r.Model = "m-2" },
		"task":     func(r *pipeline.Request) { r.Task = "video.annotate" },
		"system":   func(r *pipeline.Request) { r.Messages[0].Text = "Describe!" },
		"user":     func(r *pipeline.Request) { r.Messages[1].Text = "Section 2" },
		"images":   func(r *pipeline.Request) { r.Messages[1].Images[0] = "ab" },
		"no image": func(r *pipeline.Request) { r.Messages[1].Images = nil },
		"turns": func(r *pipeline.Request) {
			r.Messages = append(r.Messages, pipeline.Message{Role: "assistant", Text: "x"})
		},
		"schema":   func(r *pipeline.Request) { r.Schema = []byte(`{}`) },
		"sampling": func(r *pipeline.Request) { r.Sampling = []byte(`{}`) },
		"form":     func(r *pipeline.Request) { r.Form = []byte(`{"a":1}`) },
		"sample":   func(r *pipeline.Request) { r.Sample = 1 },
		"text":     func(r *pipeline.Request) { r.Text = "x" },
	} {
		r := base()
		change(&r)
		key, _ := ledger.Digests(r)
		if other, ok := seen[key]; ok {
			t.Errorf("a change of %s has the key of a change of %s", name, other)
		}
		seen[key] = name
	}
}

func TestFirstAnswerStays(t *testing.T) { ledger.EachKind(t, testFirstAnswerStays) }

func testFirstAnswerStays(t *testing.T, fresh func() string) {
	dir := fresh()
	l := open(t, dir)
	first := entry(base(), "v1", "one")
	for _, text := range []string{"one", "two"} {
		if _, err := l.Record(t.Context(), entry(base(), "v1", text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	got, ok, err := open(t, dir).Find(t.Context(), first.Key)
	if err != nil || !ok || got.Text != "one" || got.Usage != first.Reply.Usage {
		t.Errorf("found %+v, %t, %v", got, ok, err)
	}
}

func TestWrongKeyIsRefused(t *testing.T) { ledger.EachKind(t, testWrongKeyIsRefused) }

func testWrongKeyIsRefused(t *testing.T, fresh func() string) {
	e := entry(base(), "v1", "x")
	e.Request.Sample = 4
	if _, err := open(t, fresh()).Record(t.Context(), e); err == nil {
		t.Error("an entry under a key that is not its own was recorded")
	}
}

// TestRecordableRequestsComeBack holds that what passes is exported and proven by
// its key, and that what would come back as something else is told beforehand.
func TestRecordableRequestsComeBack(t *testing.T) { ledger.EachKind(t, testRecordableRequestsComeBack) }

func testRecordableRequestsComeBack(t *testing.T, fresh func() string) {
	for name, tc := range map[string]struct {
		change func(*pipeline.Request)
		field  string // that could not be recorded
	}{
		"plain":               {func(*pipeline.Request) {}, ""},
		"marks in a schema":   {func(r *pipeline.Request) { r.Schema = []byte(`{"pattern":"^<a&b>$"}`) }, ""},
		"marks in a text":     {func(r *pipeline.Request) { r.Messages[1].Text = "<b>&amp;\u2028\x00</b>" }, ""},
		"escapes in a schema": {func(r *pipeline.Request) { r.Schema = []byte(`{"a":"\u00e9\u003c"}`) }, ""},
		"a schema on lines":   {func(r *pipeline.Request) { r.Schema = []byte("{\n \"type\": \"object\"}") }, "schema"},
		"spaces in sampling":  {func(r *pipeline.Request) { r.Sampling = []byte(`{"seed": 1}`) }, "sampling"},
		"no UTF-8":            {func(r *pipeline.Request) { r.Messages[1].Text = "a\xff" }, "user"},
		"no JSON":             {func(r *pipeline.Request) { r.Form = []byte(`{`) }, "form"},
	} {
		t.Run(name, func(t *testing.T) {
			r := base()
			tc.change(&r)
			err := ledger.CheckRecordable(r)
			if tc.field != "" {
				if err == nil || (tc.field != "form" && !strings.Contains(err.Error(), "["+tc.field+"]")) {
					t.Errorf("error %v, want one about %s", err, tc.field)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			l := open(t, fresh())
			if _, err := l.Record(t.Context(), entry(r, "v1", "x")); err != nil {
				t.Fatal(err)
			}
			if calls, damaged, err := l.Export(t.Context(), &bytes.Buffer{}, ledger.Filter{}); calls != 1 || damaged != 0 || err != nil {
				t.Errorf("%d exported, %d damaged, %v", calls, damaged, err)
			}
			if near, err := l.Nearest(t.Context(), r, "v1"); err != nil || len(near.Changed) > 0 {
				t.Errorf("the recorded request differs from itself: %+v, %v", near, err)
			}
		})
	}
}

func TestDamagedReplyIsAbsentAndReplaced(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	e := entry(base(), "v1", "one")
	if _, err := l.Record(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE calls SET reply = substr(reply, 1, length(reply) - 1) || x'00'`); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := l.Find(t.Context(), e.Key); ok || err != nil {
		t.Errorf("a damaged reply was served: %t, %v", ok, err)
	}
	var out bytes.Buffer
	if calls, damaged, err := l.Export(t.Context(), &out, ledger.Filter{}); calls != 0 || damaged != 1 || err != nil {
		t.Errorf("export: %d calls, %d damaged, %v", calls, damaged, err)
	}
	if _, err := l.Record(t.Context(), entry(base(), "v1", "again")); err != nil {
		t.Fatal(err)
	}
	if got, ok, err := l.Find(t.Context(), e.Key); !ok || err != nil || got.Text != "again" {
		t.Errorf("after a new answer: %+v, %t, %v", got, ok, err)
	}
}

func TestNearest(t *testing.T) { ledger.EachKind(t, testNearest) }

func testNearest(t *testing.T, fresh func() string) {
	l := open(t, fresh())
	if near, err := l.Nearest(t.Context(), base(), "v1"); err != nil || near.Changed != nil {
		t.Errorf("in an empty ledger: %+v, %v", near, err)
	}
	far := base()
	far.Messages[1] = pipeline.Message{Role: "user", Text: "Section 9", Images: []pipeline.Digest{"ff"}}
	far.Sampling = []byte(`{"seed":2}`)
	if _, err := l.Record(t.Context(), entry(far, "v9", "x"), entry(base(), "v1", "x")); err != nil {
		t.Fatal(err)
	}
	changed := base()
	changed.Messages[0].Text = "Describe well."
	near, err := l.Nearest(t.Context(), changed, "v1")
	if err != nil || near.Item != "v1" || !slices.Equal(near.Changed, []string{"system"}) {
		t.Errorf("nearest %+v, %v", near, err)
	}
	// The item's own record is named though another's differs less.
	near, err = l.Nearest(t.Context(), changed, "v9")
	if err != nil || near.Item != "v9" || len(near.Changed) != 4 {
		t.Errorf("nearest of v9 %+v, %v", near, err)
	}
}

func TestExportImportPrune(t *testing.T) { ledger.EachKind(t, testExportImportPrune) }

func testExportImportPrune(t *testing.T, fresh func() string) {
	from, to := open(t, fresh()), open(t, fresh())
	for i := range 1200 {
		r := base()
		r.Sample = i
		if i%2 == 1 {
			r.Task = "video.author"
		}
		if _, err := from.Record(t.Context(), entry(r, fmt.Sprint("v", i), "said <b> & more")); err != nil {
			t.Fatal(err)
		}
	}
	var file bytes.Buffer
	if calls, damaged, err := from.Export(t.Context(), &file, ledger.Filter{}); calls != 1200 || damaged != 0 || err != nil {
		t.Fatalf("export %d, %d, %v", calls, damaged, err)
	}
	for round, want := range []ledger.Imported{{Added: 1200}, {Known: 1200}} {
		got, err := to.Import(t.Context(), bytes.NewReader(file.Bytes()))
		if err != nil || got != want {
			t.Errorf("import %d: %+v, %v", round, got, err)
		}
	}
	var again bytes.Buffer
	if _, _, err := to.Export(t.Context(), &again, ledger.Filter{}); err != nil || !bytes.Equal(again.Bytes(), file.Bytes()) {
		t.Errorf("exported again it is not the same (%v)", err)
	}
	forged := strings.Replace(file.String(), "Section 1", "Section 2", 1)
	if _, err := open(t, fresh()).Import(t.Context(), strings.NewReader(forged)); err == nil {
		t.Error("a changed request was imported under the old key")
	}
	if n, _, err := to.Prune(t.Context(), ledger.Filter{Task: "video.author"}, true); n != 600 || err != nil {
		t.Errorf("dry prune: %d, %v", n, err)
	}
	n, usage, err := to.Prune(t.Context(), ledger.Filter{Task: "video.author"}, false)
	if n != 600 || err != nil || usage.Output != 1200 {
		t.Errorf("prune: %d, %+v, %v", n, usage, err)
	}
	if n, _, err := to.Prune(t.Context(), ledger.Filter{Before: time.Now().Add(-time.Hour)}, false); n != 0 || err != nil {
		t.Errorf("prune of old calls: %d, %v", n, err)
	}
	stats, err := to.Stats(t.Context())
	if err != nil || len(stats) != 1 || stats[0].Calls != 600 || stats[0].Usage.Input != 6000 || stats[0].Task != "video.describe" {
		t.Errorf("stats %+v, %v", stats, err)
	}
}

func TestManyWritersAndTwoProcesses(t *testing.T) { ledger.EachKind(t, testManyWritersAndTwoProcesses) }

func testManyWritersAndTwoProcesses(t *testing.T, fresh func() string) {
	dir := fresh()
	var wg sync.WaitGroup
	for p := range 2 {
		l := open(t, dir)
		for w := range 8 {
			wg.Go(func() {
				for i := range 20 {
					r := base()
					r.Sample = 1000*p + 100*w + i
					e := entry(r, "v", "x")
					if _, err := l.Record(t.Context(), e); err != nil {
						t.Error(err)
						return
					}
					if _, ok, err := l.Find(t.Context(), e.Key); !ok || err != nil {
						t.Errorf("not found after Put: %v", err)
						return
					}
				}
			})
		}
	}
	wg.Wait()
	stats, err := open(t, dir).Stats(t.Context())
	if err != nil || stats[0].Calls != 320 {
		t.Errorf("%+v, %v", stats, err)
	}
}

func TestLaterFormatIsRefused(t *testing.T) {
	dir := t.TempDir()
	_ = open(t, dir).Close()
	db, err := sql.Open("sqlite", filepath.Join(dir, "ledger.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`PRAGMA user_version = 9`); err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	if _, err := ledger.Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "format 9") {
		t.Errorf("error %v", err)
	}
}

func TestNotADatabase(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ledger.db"), bytes.Repeat([]byte("no database "), 1000), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ledger.Open(t.Context(), dir); err == nil {
		t.Error("opened")
	}
}

func FuzzImport(f *testing.F) {
	l := open(f, f.TempDir())
	e := entry(base(), "v1", "x")
	if _, err := l.Record(f.Context(), e); err != nil {
		f.Fatal(err)
	}
	var out bytes.Buffer
	if _, _, err := l.Export(f.Context(), &out, ledger.Filter{}); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add([]byte("{}\n"))
	to := open(f, f.TempDir())
	f.Fuzz(func(t *testing.T, b []byte) {
		if done, err := to.Import(t.Context(), bytes.NewReader(b)); err != nil && done.Added == 0 {
			return // nothing was recorded
		}
		if _, err := to.Each(t.Context(), ledger.Filter{}, func(e ledger.Entry) error {
			if key, _ := ledger.Digests(e.Request); key != e.Key {
				t.Errorf("recorded under %s, has %s", e.Key, key)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})
}

func TestOpenBesideTheWorkingFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	l, err := ledger.Open(t.Context(), filepath.Join("out", "ledger"))
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil || !ledger.Exists(filepath.Join("out", "ledger")) {
		t.Errorf("the ledger is not where it was asked for: %v", err)
	}
}
