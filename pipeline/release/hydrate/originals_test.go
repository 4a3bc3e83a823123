package hydrate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// TestKindsOfFiles: a container is told by its first bytes, and by the ending of a name.
func TestKindsOfFiles(t *testing.T) {
	for head, want := range map[string]string{
		"\x00\x00\x00\x20ftypisom": kinds[".mp4"], "\x00\x00\x00\x20ftyp": kinds[".mp4"], "\x00\x00\x00\x20fty": "", "....moov": kinds[".mp4"], "....mdat": kinds[".mp4"], "....wide": kinds[".mp4"], "....free": kinds[".mp4"], ".....free": "",
		"\x1a\x45\xdf\xa3": kinds[".mkv"], "RIFF....AVI ": kinds[".avi"], "RIFF....WAVE": "", "RIFF....AVI": "", "\x89PNG": kinds[".png"], "\xff\xd8\xff": kinds[".jpg"], "GIF89a": kinds[".gif"], "<!doctype html><HTML>": "a web page", "": "", "text": "",
	} {
		if got := kindOfBytes([]byte(head)); got != want {
			t.Errorf("%q is %q, want %q", head, got, want)
		}
	}
	for name, want := range map[string]string{"a/b.MP4": kinds[".mp4"], "b.webm": kinds[".mkv"], "b.jpeg": kinds[".jpg"], "b.txt": "", "mp4": ""} {
		if got := kindOfName(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestWhatStandsInPlaceOfOriginals is found by digest, the first path of several, and else described.
func TestWhatStandsInPlaceOfOriginals(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var sources []schemas.Source
	wanted := map[string]bool{}
	source := func(name, text, url string) string {
		digest := string(pipeline.DigestOf([]byte(text)))
		sources = append(sources, schemas.Source{ID: "films", Path: "films/" + name, SHA256: digest, Bytes: int64(len(text)), URL: url})
		wanted[digest] = true
		return digest
	}
	const mp4 = "\x00\x00\x00\x20ftypisom"
	good := source("good.mp4", mp4+"good", "")
	write("z/renamed", mp4+"good")
	first := write("a/Other name.mp4", mp4+"good")
	want := map[string]string{
		source("edited.mp4", mp4+"edited", ""):      "has the right size and other bytes",
		source("page.mp4", mp4+"page", ""):          "is a web page, want MP4 or QuickTime",
		source("text.mp4", mp4+"text", ""):          "is no video or picture, want MP4 or QuickTime",
		source("pointer.mp4", mp4+"pointer", ""):    "is a pointer of Git LFS",
		source("empty.mp4", mp4+"empty", ""):        "is empty",
		source("folder.mp4", mp4+"folder", ""):      "is a folder",
		source("link.mp4", mp4+"link", ""):          "is a symbolic link",
		source("sparse.mp4", mp4+"sparse", ""):      "is a sparse file of 1000000 bytes",
		source("gone.mp4", mp4+"gone", "https://x"): "is missing: no file has its digest or name; get it from https://x",
		source("lost.mp4", mp4+"lost", ""):          "is missing: no file has its digest or name",
		source("TWICE.mp4", mp4+"twice", ""):        "z/twice.mp4 is empty",
		string(pipeline.DigestOf([]byte("unsaid"))): "the release does not say which file it is",
	}
	wanted[string(pipeline.DigestOf([]byte("unsaid")))] = true
	sources = append(sources, schemas.Source{ID: "others", Path: "unwanted.mp4", SHA256: string(pipeline.DigestOf([]byte("unwanted"))), Bytes: 8})
	write("edited.mp4", mp4+"EDITED")
	write("page.mp4", "<html>")
	write("text.mp4", "text")
	write("pointer.mp4", "version https://git-lfs.github.com/spec/v1\n")
	write("empty.mp4", "")
	write("folder.mp4/x", "x")
	write("twice.mp4", "")
	write("z/twice.mp4", "")
	sparse := write("sparse.mp4", mp4)
	if err := errors.Join(os.Symlink(first, filepath.Join(dir, "link.mp4")), os.Truncate(sparse, 1_000_000)); err != nil {
		t.Fatal(err)
	}
	h := &hydration{Options: Options{Jobs: 2}, rel: release.Hydration{}, tools: media.Lazy(), files: map[string]string{}, problems: map[string]string{}}
	h.rel.Sources = sources
	if err := h.findOriginals(t.Context(), wanted, []string{dir}); err != nil {
		t.Fatal(err)
	}
	if len(h.files) != 1 || h.files[good] != first {
		t.Errorf("found %v, want %s alone", h.files, first)
	}
	if len(h.problems) != len(want) {
		t.Errorf("%d problems, want %d: %v", len(h.problems), len(want), h.problems)
	}
	for digest, text := range want {
		if !strings.Contains(h.problems[digest], text) {
			t.Errorf("%q, want %q", h.problems[digest], text)
		}
	}
	var folder *FolderError
	for _, bad := range []string{filepath.Join(dir, "none"), first} {
		if err := h.findOriginals(t.Context(), wanted, []string{bad}); !errors.As(err, &folder) || folder.Dir != bad {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestStepsThatNoToolDoes: a step has as many inputs and outputs as its operation takes.
func TestStepsThatNoToolDoes(t *testing.T) {
	h := &hydration{tools: media.Lazy(), files: map[string]string{"a": "a", "b": "b", "s": "s"}}
	in := func(n int) []schemas.HydrationInput { return make([]schemas.HydrationInput, n) }
	for name, s := range map[string]schemas.HydrationStep{
		"no inputs": {Operation: schemas.OperationJoin}, "two to normalise": {Operation: schemas.OperationNormalise, Inputs: in(2), Second: "x"}, "one to split": {Operation: schemas.OperationSplit, Inputs: in(1), Second: "x"}, "three to split": {Operation: schemas.OperationSplit, Inputs: in(3), Second: "x"},
		"two outputs of a join": {Operation: schemas.OperationJoin, Inputs: in(1), Second: "x"}, "one output of a reel": {Operation: schemas.OperationReel, Inputs: in(1)}, "one output of a split": {Operation: schemas.OperationSplit, Inputs: in(2)},
	} {
		if _, err := h.operate(t.Context(), &s, t.TempDir()); err == nil || !strings.Contains(err.Error(), "table hydration gives it") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := h.operate(t.Context(), &schemas.HydrationStep{Operation: "fly", Inputs: in(1), Second: "x"}, t.TempDir()); err == nil || !strings.Contains(err.Error(), "is not known") {
		t.Errorf("another operation: %v", err)
	}
	for name, tc := range map[string]struct {
		in   []schemas.HydrationInput
		want bool
	}{
		"files that are there": {[]schemas.HydrationInput{{File: "a"}, {File: "b", Sound: "s"}}, true}, "a file that is not": {[]schemas.HydrationInput{{File: "a"}, {File: "c"}}, false}, "a sound that is not": {[]schemas.HydrationInput{{File: "a", Sound: "c"}}, false}, "nothing": {nil, true},
	} {
		if got := h.hasInputs(&schemas.HydrationStep{Inputs: tc.in}); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
