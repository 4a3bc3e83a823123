package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

func TestWriteThenVerify(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 24)
	root := t.TempDir()
	got := write(t, store, root, in)
	if !got.Changed || got.Version != "1.0.0" || got.Dir != filepath.Join(root, "demo", "1.0.0") {
		t.Fatalf("written: %+v", got)
	}
	report := mustVerify(t, got.Dir)
	want := map[string]int64{"questions": 24, "flagged": 1, "tasks": 3, "media": 4, "sources": 2, "probes": 2, "verdicts": 26, "rejections": 2}
	for name, n := range want {
		if report.Rows[name] != n {
			t.Errorf("%s: %d rows, want %d", name, report.Rows[name], n)
		}
	}
	if again := write(t, store, root, in); again.Changed || again.Dir != got.Dir {
		t.Errorf("second write: %+v", again)
	}
	if dir, ok, err := FindBuilt(root, "demo", "key-1"); !ok || dir != got.Dir || err != nil {
		t.Errorf("existing: %q %t, %v", dir, ok, err)
	}
	if _, ok, _ := FindBuilt(root, "demo", "other"); ok {
		t.Error("another build key finds the release")
	}
	if all, err := List(root); err != nil || len(all) != 1 || all[0].Manifest.Version != "1.0.0" {
		t.Errorf("list: %v %v", all, err)
	}
}

func TestSameInputsGiveSameBytes(t *testing.T) {
	t.Parallel()
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

func TestExistingVersionIsNeverEdited(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 6)
	in.Spec.Version = "3.1.4"
	root := t.TempDir()
	first := write(t, store, root, in)
	before := files(t, first.Dir)
	if again := write(t, store, root, in); again.Changed {
		t.Error("the same release was written twice")
	}
	in.BuildKey = "key-2"
	_, err := Write(t.Context(), store, root, in, Options{Gallery: gallery(t, in)})
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
	t.Parallel()
	cases := map[string]func(*testing.T, *Input){
		"column task_id refers to \"t-1\"": func(t *testing.T, in *Input) {
			in.Records = slices.DeleteFunc(in.Records, func(r pipeline.Record) bool { return r.ID == "t-1" })
		},
		"column media refers to": func(t *testing.T, in *Input) {
			in.Records = slices.DeleteFunc(in.Records, func(r pipeline.Record) bool { return r.Schema == schemas.NameMedia })
		},
		"\"nobody\", which is in no table of records": func(t *testing.T, in *Input) {
			in.Records = append(in.Records, record(t, schemas.NameVerdict, "x", schemas.Verdict{Item: "nobody", Gate: "g"}))
		},
		"rests on 2 probes, the table has 0": func(t *testing.T, in *Input) {
			in.Records = slices.DeleteFunc(in.Records, func(r pipeline.Record) bool { return r.Schema == schemas.NameProbes })
		},
		"no gate judged it": func(t *testing.T, in *Input) { in.Flagged[0].JudgedBy = nil },
		"has no verdict on it, or judged two": func(t *testing.T, in *Input) {
			in.Flagged = append(in.Flagged, schemas.FlaggedQuestion{Question: goneQuestion(), Version: 1, JudgedBy: []string{"balance"}})
		},
		"gate \"leaks\" has no verdict": func(t *testing.T, in *Input) { in.Flagged[0].JudgedBy = []string{"leaks"} },
		"there is no such verdict": func(t *testing.T, in *Input) {
			in.Records = append(in.Records, record(t, schemas.NameProbes, "x", schemas.Probes{Probes: []schemas.Probe{
				{Item: "q-gone", Gate: "oracle", View: "none", Mark: schemas.MarkRight},
			}}))
		},
		"occurs twice": func(t *testing.T, in *Input) { in.Records = append(in.Records, in.Records...) },
		"column evidence.ref refers to \"nowhere#": func(t *testing.T, in *Input) {
			q := question(0, "t-0", "")
			q.Media, q.Evidence[0].Ref = nil, "nowhere#t=1,2"
			replaceRecord(t, in, schemas.NameQuestion, q.QuestionID, q)
		},
		"column evidence.media refers to \"unseen#t=1,2\"": func(t *testing.T, in *Input) {
			q := question(9, "t-0", "")
			q.Media, q.Evidence = nil, []schemas.Evidence{{Kind: "task", Ref: "t-0", Role: schemas.RoleClue, Media: "unseen#t=1,2"}}
			in.Records = append(in.Records, record(t, schemas.NameQuestion, q.QuestionID, q))
		},
		"column evidence.source_id refers to \"elsewhere\"": func(t *testing.T, in *Input) {
			q := question(0, "t-0", "")
			q.Media = nil
			q.Evidence = []schemas.Evidence{{Kind: "task", Ref: "t-0", Role: "clue", SourceID: "elsewhere"}}
			replaceRecord(t, in, schemas.NameQuestion, q.QuestionID, q)
		},
		"column recipe.segments.source_id refers to \"clips\"": func(t *testing.T, in *Input) {
			in.Sources = slices.DeleteFunc(in.Sources, func(s schemas.Source) bool { return s.ID == "clips" })
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
			if !errors.As(err, &refs) || !strings.Contains(fmt.Sprint(refs.Problems), want) {
				t.Fatalf("error %v", err)
			}
			if _, err := os.Stat(root); !errors.Is(err, fs.ErrNotExist) {
				t.Error("something was written")
			}
		})
	}
}

func TestNothingHalfRemains(t *testing.T) {
	t.Parallel()
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
			t.Parallel()
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
	t.Parallel()
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
	t.Parallel()
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

// TestDamagedReleaseIsNotTakenForDone writes again where a file is gone, cut,
// changed in place or no file any more, under the key of the release and under
// another that gives the same bytes.
func TestDamagedReleaseIsNotTakenForDone(t *testing.T) {
	t.Parallel()
	flip := func(name string) error {
		data, err := os.ReadFile(name)
		if err == nil {
			data[len(data)/2] ^= 1
			err = os.WriteFile(name, data, 0o644)
		}
		return err
	}
	for name, c := range map[string]struct {
		file   string
		damage func(string) error
	}{
		"a file gone":     {"report.html", os.Remove},
		"a file cut":      {"LICENSES.md", func(name string) error { return os.Truncate(name, 3) }},
		"a table flipped": {"data/questions/test-00000-of-00001.parquet", flip},
		"a text flipped":  {"README.md", flip},
		"sums flipped":    {manifest.SumsName, flip},
		"a pipe":          {"CHANGELOG.md", func(name string) error { return errors.Join(os.Remove(name), syscall.Mkfifo(name, 0o644)) }},
		"a manifest":      {manifest.FileName, flip},
	} {
		for _, version := range []string{"", "1.0.0"} {
			t.Run(name+" "+version, func(t *testing.T) {
				t.Parallel()
				store, in := sample(t, 6)
				in.Spec.Version = version
				root := t.TempDir()
				dir := write(t, store, root, in).Dir
				if err := c.damage(filepath.Join(dir, filepath.FromSlash(c.file))); err != nil {
					t.Fatal(err)
				}
				_, err := Write(t.Context(), store, root, in, Options{Gallery: gallery(t, in)})
				var damaged *DamagedError
				var exists *ExistsError
				if !errors.As(err, &damaged) && !errors.As(err, &exists) {
					t.Fatalf("error %v", err)
				}
				if !strings.Contains(err.Error(), path.Base(c.file)) || !strings.Contains(err.Error(), "remove the folder") {
					t.Errorf("the error does not say what and what to do: %v", err)
				}
			})
		}
	}
}

func TestNoQuestionIsNoRelease(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 0)
	in.Rejections = append(in.Rejections, schemas.Rejection{ID: "q-1", Stage: "ask", Code: schemas.ExcludedRecord, Reason: "it refers to tasks t-9, which is not released"})
	root := t.TempDir()
	_, err := Write(t.Context(), store, root, in, Options{})
	for _, want := range []string{"no question", "1 records were withheld (the first: q-1 at ask, withheld-record: it refers to tasks t-9", "2 records were dropped by steps (the first: q-gone at balance"} {
		if !errors.Is(err, ErrEmpty) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("%v lies there, %v", left, err)
	}
}
