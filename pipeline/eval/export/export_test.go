package export_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/schemas"
)

// plain lays out one text and all media.
func plain(extra ...export.File) export.Format {
	return export.Format{Name: "plain", Root: "data/plain", Layout: func(c release.Contents) (export.Tree, error) {
		t := export.Tree{Files: append([]export.File{{Path: "a/b.txt", Data: []byte("text")}}, extra...), Folders: []string{"empty"}}
		for _, id := range slices.Sorted(maps.Keys(c.Files)) {
			t.Media = append(t.Media, export.MediaFile{Path: "v/" + id + ".mp4", MediaID: id})
		}
		return t, nil
	}}
}

func newRelease(t *testing.T) string {
	t.Helper()
	dir, err := videorelease.Write(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func write(t *testing.T, dir, out string, opts export.Options) (export.Result, error) {
	t.Helper()
	return export.Write(t.Context(), plain(), dir, out, opts)
}

func TestMediaAreLinkedOrCopiedNeverMoved(t *testing.T) {
	dir := newRelease(t)
	for _, copies := range []bool{false, true} {
		out := t.TempDir()
		res, err := write(t, dir, out, export.Options{Copy: copies})
		if err != nil {
			t.Fatal(err)
		}
		if n := 8; copies && res.Copied != n || !copies && res.Linked+res.Copied != n || copies && res.Linked != 0 {
			t.Errorf("%+v", res)
		}
		media, err := filepath.Glob(filepath.Join(res.Dir, "v", "*.mp4"))
		if err != nil || len(media) != 8 {
			t.Fatalf("%v: %v", media, err)
		}
		for _, m := range media {
			data, err := os.ReadFile(m)
			if err != nil || string(pipeline.DigestOf(data))+".mp4" != filepath.Base(m) {
				t.Errorf("%s holds other bytes: %v", m, err)
			}
			own, err := os.Stat(filepath.Join(dir, "media", "videos", filepath.Base(m)))
			if err != nil {
				t.Fatal(err)
			}
			theirs, err := os.Stat(m)
			if err != nil || os.SameFile(own, theirs) == copies {
				t.Errorf("copies %t, one file %t: %v", copies, os.SameFile(own, theirs), err)
			}
		}
	}
	if _, err := release.Verify(t.Context(), dir); err != nil {
		t.Errorf("the release after two exports: %v", err)
	}
}

func TestAnExportIsReplacedOnlyWhenAsked(t *testing.T) {
	dir, out := newRelease(t), t.TempDir()
	res, err := write(t, dir, out, export.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stray := filepath.Join(res.Dir, "stray")
	if err := os.WriteFile(stray, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var exists *export.ExistsError
	if _, err := write(t, dir, out, export.Options{}); !errors.As(err, &exists) || !exists.Ours {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(stray); err != nil {
		t.Errorf("a refused export touched the place: %v", err)
	}
	if _, err := write(t, dir, out, export.Options{Force: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stray); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the earlier export is still there: %v", err)
	}
	noLeftovers(t, out)
}

func TestAStrangersFolderIsNeverReplaced(t *testing.T) {
	dir, out := newRelease(t), t.TempDir()
	theirs := filepath.Join(out, "data", "plain", "precious.txt")
	if err := os.MkdirAll(filepath.Dir(theirs), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(theirs, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	var exists *export.ExistsError
	if _, err := write(t, dir, out, export.Options{Force: true}); !errors.As(err, &exists) || exists.Ours {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(theirs); err != nil {
		t.Error(err)
	}
}

func noLeftovers(t *testing.T, out string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(out, "data"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("left %s", e.Name())
		}
	}
}

func TestADamagedReleaseIsNotExported(t *testing.T) {
	dir, out := newRelease(t), t.TempDir()
	media, err := filepath.Glob(filepath.Join(dir, "media", "videos", "*.mp4"))
	if err != nil || len(media) == 0 {
		t.Fatal(err)
	}
	if err := os.WriteFile(media[0], []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	var damaged *release.DamagedError
	if _, err := write(t, dir, out, export.Options{}); !errors.As(err, &damaged) {
		t.Errorf("%v", err)
	}
	noLeftovers(t, out)
}

func TestLayoutsStayWithinTheirRoot(t *testing.T) {
	dir := newRelease(t)
	for _, p := range []string{"../x", "/etc/x", "a/../../x", "", "a/b.txt", export.MarkerName, `a\b`, "a//b"} {
		out := t.TempDir()
		if _, err := export.Write(t.Context(), plain(export.File{Path: p}), dir, out, export.Options{}); err == nil {
			t.Errorf("path %q was written", p)
		}
		noLeftovers(t, out)
	}
}

func TestACancelledExportLeavesNothing(t *testing.T) {
	dir, out := newRelease(t), t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	format := plain()
	layout := format.Layout
	format.Layout = func(c release.Contents) (export.Tree, error) {
		cancel()
		return layout(c)
	}
	if _, err := export.Write(ctx, format, dir, out, export.Options{Copy: true}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(out, "data", "plain")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something stands in the place: %v", err)
	}
	noLeftovers(t, out)
}

// TestWhatTheBuiltInModelWroteIsRefused, or marked where it is wanted.
func TestWhatTheBuiltInModelWroteIsRefused(t *testing.T) {
	for label, n := range map[string]int{schemas.LabelAuthor: 2, schemas.LabelDescriber: 1} {
		dir, err := videorelease.Write(t.Context(), t.TempDir(), func(qs []schemas.Question) []schemas.Question {
			for i := range qs {
				qs[i].Labels[schemas.LabelAuthor] = "some-model"
			}
			for i := range n {
				qs[i].Labels[label] = "some-model, " + pipeline.BuiltInModel
			}
			return qs
		})
		if err != nil {
			t.Fatal(err)
		}
		out := t.TempDir()
		var refused *export.BuiltInError
		if _, err := write(t, dir, out, export.Options{}); !errors.As(err, &refused) || refused.Questions != n || !strings.Contains(err.Error(), "--allow-built-in") {
			t.Errorf("%s: %v", label, err)
		}
		if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
			t.Errorf("%s: a refused export left %v, %v", label, left, err)
		}
		res, err := write(t, dir, out, export.Options{BuiltIn: true})
		if err != nil || !slices.ContainsFunc(res.Notes, func(s string) bool { return strings.Contains(s, pipeline.BuiltInModel) }) {
			t.Fatalf("%s: %+v, %v", label, res, err)
		}
		mark, err := os.ReadFile(filepath.Join(res.Dir, export.MarkerName))
		if want := fmt.Sprintf("\"author\": \"%s\",\n  \"built_in_questions\": %d", pipeline.BuiltInModel, n); err != nil || !strings.Contains(string(mark), want) {
			t.Errorf("%s: the marker is %s, %v", label, mark, err)
		}
	}
}

// TestWhatLiesBeside writes a layout of two folders, replaces it, and leaves a
// folder alone that somebody else put in the root's place.
func TestWhatLiesBeside(t *testing.T) {
	dir, out := newRelease(t), t.TempDir()
	format := plain()
	format.Beside = "data/plain-more"
	layout, media := format.Layout, ""
	format.Layout = func(c release.Contents) (export.Tree, error) {
		tree, err := layout(c)
		tree.BesideFiles = []export.File{{Path: "more.txt", Data: []byte("more")}}
		media = tree.Media[0].MediaID
		tree.BesideMedia, tree.Media = []export.MediaFile{{Path: "v/x.mp4", MediaID: media}}, tree.Media[1:]
		return tree, err
	}
	put := func(opts export.Options) error {
		_, err := export.Write(t.Context(), format, dir, out, opts)
		return err
	}
	if err := put(export.Options{}); err != nil {
		t.Fatal(err)
	}
	listed := func(name string) string {
		var names []string
		entries, err := os.ReadDir(filepath.Join(out, "data", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, e.Name())
		}
		return strings.Join(names, " ")
	}
	if got := listed("plain") + " | " + listed("plain-more"); got != "a empty v | memforge-export.json more.txt v" {
		t.Errorf("written: %s", got)
	}
	var exists *export.ExistsError
	if err := put(export.Options{}); !errors.As(err, &exists) || !exists.Ours {
		t.Errorf("again without force: %v", err)
	}
	if err := put(export.Options{Force: true}); err != nil {
		t.Errorf("again with force: %v", err)
	}
	theirs := filepath.Join(out, "data", "plain", "a", "b.txt")
	if err := os.Remove(theirs); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(theirs, []byte("theirs"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := put(export.Options{Force: true}); !errors.As(err, &exists) || exists.Ours {
		t.Errorf("over a stranger's files: %v", err)
	}
	if err := os.RemoveAll(filepath.Join(out, "data", "plain")); err != nil {
		t.Fatal(err)
	}
	if err := put(export.Options{Force: true}); err != nil {
		t.Errorf("after the root was removed: %v", err)
	}
	format.Beside = ""
	if err := put(export.Options{Force: true}); err == nil {
		t.Error("files beside the root of a format that has no such folder were taken")
	}
	noLeftovers(t, out)
}
