package release

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

func TestWriteThenVerify(t *testing.T) {
	store, in := sample(t, 24)
	root := t.TempDir()
	got := write(t, store, root, in)
	if !got.Changed || got.Version != "1.0.0" || got.Dir != filepath.Join(root, "demo", "1.0.0") {
		t.Fatalf("written: %+v", got)
	}
	report := mustVerify(t, got.Dir)
	want := map[string]int64{"questions": 24, "tasks": 3, "media": 4, "sources": 2, "verdicts": 25, "rejections": 2}
	for name, n := range want {
		if report.Rows[name] != n {
			t.Errorf("%s: %d rows, want %d", name, report.Rows[name], n)
		}
	}
	if again := write(t, store, root, in); again.Changed || again.Dir != got.Dir {
		t.Errorf("second write: %+v", again)
	}
	if dir, ok := Existing(root, "demo", "key-1"); !ok || dir != got.Dir {
		t.Errorf("existing: %q %t", dir, ok)
	}
	if _, ok := Existing(root, "demo", "other"); ok {
		t.Error("another build key finds the release")
	}
	if all, err := List(root); err != nil || len(all) != 1 || all[0].Manifest.Version != "1.0.0" {
		t.Errorf("list: %v %v", all, err)
	}
}

func TestSameInputsGiveSameBytes(t *testing.T) {
	store, in := sample(t, 24)
	a := files(t, write(t, store, t.TempDir(), in).Dir)
	slices.Reverse(in.Records)
	slices.Reverse(in.Sources)
	slices.Reverse(in.Rejections)
	b := files(t, write(t, store, t.TempDir(), in).Dir)
	if len(a) != len(b) || len(a) < 15 {
		t.Fatalf("%d and %d files", len(a), len(b))
	}
	for name := range a {
		if !bytes.Equal(a[name], b[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

// files reads a whole tree.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		out[rel], err = os.ReadFile(p)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCardMatchesTables(t *testing.T) {
	store, in := sample(t, 24)
	dir := write(t, store, t.TempDir(), in).Dir
	card := string(files(t, dir)["README.md"])
	front, _, ok := strings.Cut(strings.TrimPrefix(card, "---\n"), "\n---\n")
	if !ok {
		t.Fatal("no front matter")
	}
	var meta struct {
		Title   string `yaml:"pretty_name"`
		License string `yaml:"license"`
		Configs []struct {
			Name  string                         `yaml:"config_name"`
			Files []struct{ Split, Path string } `yaml:"data_files"`
		}
		Info []struct {
			Name     string           `yaml:"config_name"`
			Features []map[string]any `yaml:"features"`
		} `yaml:"dataset_info"`
	}
	if err := yaml.Unmarshal([]byte(front), &meta); err != nil {
		t.Fatalf("%v\n%s", err, front)
	}
	if meta.Title != in.Spec.Title || meta.License != "cc-by-4.0" || len(meta.Configs) != 6 || len(meta.Info) != 6 {
		t.Errorf("front matter: %+v", meta)
	}
	for _, c := range meta.Configs {
		for _, f := range c.Files {
			if _, err := os.Stat(filepath.Join(dir, f.Path)); err != nil {
				t.Error(err)
			}
		}
	}
	for i, tab := range tables() {
		for j, c := range tab.columns {
			if got := meta.Info[i].Features[j]["name"]; got != c.name {
				t.Errorf("%s: feature %d is %v, want %s", tab.name, j, got, c.name)
			}
		}
	}
	if strings.Contains(card, "<memory>") {
		t.Error("the card's text is not escaped")
	}
}

func TestReportIsSelfContainedAndEscaped(t *testing.T) {
	store, in := sample(t, 24)
	page := string(files(t, write(t, store, t.TempDir(), in).Dir)["report.html"])
	for _, bad := range []string{"http://", "https://", "<memory>", "<left>", "<script", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the report holds %q", bad)
		}
	}
	for _, want := range []string{"&lt;memory&gt;", "data:image/png;base64,", "data:image/jpeg;base64,", "no-picture (1)", "n_value"} {
		if !strings.Contains(page, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	_, err := Write(t.Context(), store, t.TempDir(), in, Options{Gallery: []GalleryImage{{Data: []byte("<svg onload=x>")}}})
	if err == nil || !strings.Contains(err.Error(), "not PNG or JPEG") {
		t.Errorf("a gallery image that is markup: %v", err)
	}
}

func TestCroissantNamesEveryFile(t *testing.T) {
	store, in := sample(t, 6)
	all := files(t, write(t, store, t.TempDir(), in).Dir)
	var doc struct {
		Distribution []struct {
			ID  string `json:"@id"`
			Sum string `json:"sha256"`
		}
		RecordSet []struct{ Name string }
	}
	if err := json.Unmarshal(all["croissant.json"], &doc); err != nil {
		t.Fatal(err)
	}
	for _, f := range doc.Distribution {
		if string(pipeline.DigestOf(all[f.ID])) != f.Sum {
			t.Errorf("%s: wrong digest", f.ID)
		}
	}
	// all but croissant.json itself, the manifest and the sums
	if len(doc.Distribution) != len(all)-3 || len(doc.RecordSet) != 7 {
		t.Errorf("%d of %d files, %d record sets", len(doc.Distribution), len(all), len(doc.RecordSet))
	}
}

func TestPicturesSitInTheTable(t *testing.T) {
	store, in := sample(t, 8)
	dir := write(t, store, t.TempDir(), in).Dir
	m, err := readManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	p, err := readPrevious(Info{Dir: dir, Manifest: m})
	if err != nil {
		t.Fatal(err)
	}
	i, _ := mediaTable().column("image")
	pictures := 0
	for _, r := range p.rows[tableMedia] {
		if img, ok := r[i].([]any); ok {
			pictures++
			if string(pipeline.DigestOf(img[0].([]byte))) != r[0] {
				t.Error("the table holds another picture than the file")
			}
		}
	}
	if pictures != 1 {
		t.Errorf("%d pictures", pictures)
	}
}

func TestAutoVersion(t *testing.T) {
	edit := func(change func(q *schemas.Question)) func(*testing.T, *memoryStore, *Input) {
		return func(t *testing.T, _ *memoryStore, in *Input) {
			for _, r := range in.Records {
				if r.ID == "q-0003" {
					q, err := pipeline.Decode[schemas.Question](r)
					if err != nil {
						t.Fatal(err)
					}
					change(&q)
					replaceRecord(t, in, schemas.NameQuestion, r.ID, q)
				}
			}
		}
	}
	cases := []struct {
		name, want, log string
		change          func(*testing.T, *memoryStore, *Input)
	}{
		{"nothing but the plan", "1.0.1", "questions: 0 added, 0 removed, 0 changed, 0 with", func(*testing.T, *memoryStore, *Input) {}},
		{"a verdict", "1.0.1", "verdicts: 1 added", func(t *testing.T, _ *memoryStore, in *Input) {
			in.Records = append(in.Records, record(t, schemas.NameVerdict, "new", schemas.Verdict{Item: "q-0001", Gate: "new", Outcome: schemas.Pass}))
		}},
		{"an explanation", "1.0.1", "questions: 0 added, 0 removed, 0 changed, 1 with", edit(func(q *schemas.Question) { q.Explanation = "because" })},
		{"a question added", "1.1.0", "questions: 1 added, 0 removed, 0 changed", func(t *testing.T, _ *memoryStore, in *Input) {
			q := question(0, "t-0", "")
			q.QuestionID, q.Media, q.Evidence = "q-new", nil, nil
			in.Records = append(in.Records, record(t, schemas.NameQuestion, q.QuestionID, q))
		}},
		{"gold changed", "2.0.0", "questions: 0 added, 0 removed, 1 changed", edit(func(q *schemas.Question) {
			q.AnswerKey, q.AnswerText = q.Options[0].Key, q.Options[0].Text
		})},
		{"wording changed", "2.0.0", "1 changed", edit(func(q *schemas.Question) { q.Question += " Really?" })},
		{"a question removed", "2.0.0", "questions: 0 added, 1 removed", func(t *testing.T, _ *memoryStore, in *Input) {
			in.Records = slices.DeleteFunc(in.Records, func(r pipeline.Record) bool { return r.ID == "q-0002" || r.ID == "vq-0002" })
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			store, in := sample(t, 6)
			root := t.TempDir()
			write(t, store, root, in)
			in.BuildKey = "key-2"
			c.change(t, store, &in)
			got := write(t, store, root, in)
			if got.Version != c.want || !got.Changed {
				t.Errorf("%+v, want version %s", got, c.want)
			}
			mustVerify(t, got.Dir)
			log := string(files(t, got.Dir)[changelogName])
			if !strings.Contains(log, c.log) || !strings.Contains(log, "## 1.0.0\n\nFirst release: 6 questions") || strings.Count(log, changelogHead) != 1 {
				t.Errorf("changelog:\n%s", log)
			}
			if dir, ok := Existing(root, "demo", "key-1"); !ok || filepath.Base(dir) != "1.0.0" {
				t.Error("the first release is no longer found")
			}
		})
	}
}

func TestBrokenSchemaIsMajor(t *testing.T) {
	if g := grade([]tableDiff{{table: tableQuestions, added: 3, broken: true}}); g != changeMajor {
		t.Errorf("grade %v", g)
	}
	old := tasksTable()
	old.columns = old.columns[:3]
	if _, _, err := readTable(encode(t, old, []row{{"a", "b", "c"}}), tasksTable()); !errors.Is(err, errColumns) {
		t.Errorf("other columns: %v", err)
	}
}

func TestExistingVersionIsNeverEdited(t *testing.T) {
	store, in := sample(t, 6)
	in.Spec.Version = "3.1.4"
	root := t.TempDir()
	first := write(t, store, root, in)
	before := files(t, first.Dir)
	if again := write(t, store, root, in); again.Changed {
		t.Error("the same release was written twice")
	}
	in.BuildKey = "key-2"
	_, err := Write(t.Context(), store, root, in, Options{Gallery: gallery()})
	var exists *ExistsError
	if !errors.As(err, &exists) || !strings.Contains(err.Error(), "manifest.json differs") || !strings.Contains(err.Error(), "auto") {
		t.Fatalf("error %v", err)
	}
	for name, b := range files(t, first.Dir) {
		if !bytes.Equal(b, before[name]) {
			t.Errorf("%s was edited", name)
		}
	}
	noPartial(t, root)
}

func noPartial(t *testing.T, root string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(root, "demo", partialPrefix+"*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestReferencesAreCheckedBeforeWriting(t *testing.T) {
	cases := map[string]func(*testing.T, *Input){
		"no task": func(t *testing.T, in *Input) {
			in.Records = slices.DeleteFunc(in.Records, func(r pipeline.Record) bool { return r.ID == "t-1" })
		},
		"no medium": func(t *testing.T, in *Input) {
			in.Records = slices.DeleteFunc(in.Records, func(r pipeline.Record) bool { return r.Schema == schemas.NameMedia })
		},
		"is neither a question": func(t *testing.T, in *Input) {
			in.Records = append(in.Records, record(t, schemas.NameVerdict, "x", schemas.Verdict{Item: "nobody", Gate: "g"}))
		},
		"occurs twice": func(t *testing.T, in *Input) { in.Records = append(in.Records, in.Records...) },
		"evidence \"nowhere#": func(t *testing.T, in *Input) {
			q := question(0, "t-0", "")
			q.Media, q.Evidence[0].Ref = nil, "nowhere#t=1,2"
			replaceRecord(t, in, schemas.NameQuestion, q.QuestionID, q)
		},
		"split \"../x\"": func(t *testing.T, in *Input) {
			q := question(0, "t-0", "")
			q.Media, q.Evidence, q.Split = nil, nil, "../x"
			replaceRecord(t, in, schemas.NameQuestion, q.QuestionID, q)
		},
		"is not the text of option": func(t *testing.T, in *Input) {
			q := question(0, "t-0", "")
			q.Media, q.Evidence, q.AnswerText = nil, nil, "something else"
			replaceRecord(t, in, schemas.NameQuestion, q.QuestionID, q)
		},
	}
	for want, spoil := range cases {
		t.Run(want, func(t *testing.T) {
			store, in := sample(t, 6)
			spoil(t, &in)
			root := filepath.Join(t.TempDir(), "out")
			_, err := Write(t.Context(), store, root, in, Options{})
			var refs *ReferenceError
			if !errors.As(err, &refs) || !strings.Contains(strings.Join(refs.Problems, "\n"), want) {
				t.Fatalf("error %v", err)
			}
			if _, err := os.Stat(root); !errors.Is(err, fs.ErrNotExist) {
				t.Error("something was written")
			}
		})
	}
}

func TestNothingHalfRemains(t *testing.T) {
	cases := map[string]struct {
		spoil func(*memoryStore, context.CancelFunc)
		want  string
	}{
		"a blob that is gone": {func(s *memoryStore, _ context.CancelFunc) {
			for d := range s.blobs {
				s.spoil = func(at pipeline.Digest, r io.Reader) io.Reader {
					if at == d {
						return io.MultiReader(io.LimitReader(r, 10), failing{})
					}
					return r
				}
			}
		}, "read failed"},
		"a blob of other bytes": {func(s *memoryStore, _ context.CancelFunc) {
			s.spoil = func(_ pipeline.Digest, r io.Reader) io.Reader { return io.MultiReader(r, strings.NewReader("!")) }
		}, "corrupt"},
		"a cancelled build": {func(s *memoryStore, cancel context.CancelFunc) {
			s.spoil = func(_ pipeline.Digest, r io.Reader) io.Reader { cancel(); return r }
		}, "context canceled"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			store, in := sample(t, 12)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			for d := range store.blobs { // the unused medium must not be the one that fails
				if bytes.HasPrefix(store.blobs[d], []byte("not really a video 99")) {
					delete(store.blobs, d)
				}
			}
			c.spoil(store, cancel)
			root := t.TempDir()
			_, err := Write(ctx, store, root, in, Options{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v", err)
			}
			noPartial(t, root)
			if all, err := List(root); err != nil || len(all) != 0 {
				t.Errorf("releases: %v %v", all, err)
			}
			store.spoil = nil
			mustVerify(t, write(t, store, root, in).Dir)
		})
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errors.New("read failed") }

func TestLeftoversOfADeadWriterAreRemoved(t *testing.T) {
	store, in := sample(t, 6)
	root := t.TempDir()
	left := filepath.Join(root, "demo", partialPrefix+"123")
	if err := os.MkdirAll(filepath.Join(left, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	if all, err := List(root); err != nil || len(all) != 0 {
		t.Errorf("an unfinished folder counts as a release: %v %v", all, err)
	}
	mustVerify(t, write(t, store, root, in).Dir)
	noPartial(t, root)
}

func TestOneWriterAtATime(t *testing.T) {
	store, in := sample(t, 6)
	root := t.TempDir()
	home := filepath.Join(root, "demo")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	unlock, err := lockHome(home)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(t.Context(), store, root, in, Options{}); err == nil || !strings.Contains(err.Error(), "another build") {
		t.Errorf("error %v", err)
	}
	unlock()
	write(t, store, root, in)
}

func TestDamagedReleaseIsNotTakenForDone(t *testing.T) {
	store, in := sample(t, 6)
	root := t.TempDir()
	dir := write(t, store, root, in).Dir
	if err := os.Remove(filepath.Join(dir, "report.html")); err != nil {
		t.Fatal(err)
	}
	if _, ok := Existing(root, "demo", in.BuildKey); ok {
		t.Error("a release without its report counts as complete")
	}
}

func TestNoQuestionIsNoRelease(t *testing.T) {
	store, in := sample(t, 0)
	if _, err := Write(t.Context(), store, t.TempDir(), in, Options{}); err == nil || !strings.Contains(err.Error(), "no question") {
		t.Errorf("error %v", err)
	}
}
