//go:build unix

package fetch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/fetch"
)

// tree writes files below a new folder "base/clips".
func tree(t *testing.T, files map[string]string) (base, root string) {
	t.Helper()
	base = t.TempDir()
	root = filepath.Join(base, "clips")
	for name, text := range files {
		full := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return base, root
}

// oddTree holds everything a folder should not, and what it should.
func oddTree(t *testing.T) (base string) {
	t.Helper()
	base, root := tree(t, map[string]string{
		"b.mp4": "b", "a.mp4": "a", "sub/c.mp4": "c", "sub-1/d.mp4": "d", "notes.txt": "n", "raw/e.mp4": "e",
		".DS_Store": "j", "._a.mp4": "j", "__MACOSX/a.mp4": "j", "bad\xff.mp4": "x", "line\nbreak.mp4": "x", "ünï.mp4": "u",
		"../outside.mp4": "o", "big.mp4": "",
	})
	for name, target := range map[string]string{
		"leaves.mp4": "../outside.mp4", "passwd.mp4": "/etc/passwd", "inside.mp4": "a.mp4", "sub/absolute.mp4": filepath.Join(root, "b.mp4"),
		"broken.mp4": "nothing", "loop.mp4": "loop.mp4", "circle": root, "up.mp4": "..",
	} {
		if err := os.Symlink(target, filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(root, "pipe.mp4"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(root, "big.mp4"), 2<<30); err != nil {
		t.Fatal(err)
	}
	return base
}

func TestLocalWalk(t *testing.T) {
	w := newWorld(t)
	base := oddTree(t)
	w.opts.BaseDir = base
	assets := w.fetch(pipeline.Need{From: fetch.Local, Root: "clips", Include: []string{"**/*.mp4"}, Exclude: []string{"raw/**"}, MaxBytes: 100})
	want := `0 a.mp4 1 ok
0 b.mp4 1 ok
0 bad\xff.mp4 0 bad-name
0 big.mp4 0 too-large
0 broken.mp4 0 missing
0 inside.mp4 1 ok
0 leaves.mp4 0 symlink-outside
0 line\nbreak.mp4 0 bad-name
0 loop.mp4 0 unreadable
0 passwd.mp4 0 symlink-outside
0 pipe.mp4 0 not-a-regular-file
0 sub-1/d.mp4 1 ok
0 sub/absolute.mp4 1 ok
0 sub/c.mp4 1 ok
0 up.mp4 0 symlink-outside
0 ünï.mp4 1 ok
`
	if got := summary(assets); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	for _, a := range assets {
		if a.Problem != nil && strings.Contains(a.Problem.Reason, base) {
			t.Errorf("the reason %q holds a machine's path", a.Problem.Reason)
		}
	}
	if _, err := os.Stat(w.lockPath()); !os.IsNotExist(err) {
		t.Error("a local need was locked")
	}
}

func TestLocalUnreadable(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root reads everything: permissions cannot be tested")
	}
	w := newWorld(t)
	base, root := tree(t, map[string]string{"a.mp4": "a", "b.mp4": "b", "locked/c.mp4": "c"})
	for _, name := range []string{"a.mp4", "locked"} {
		if err := os.Chmod(filepath.Join(root, name), 0); err != nil {
			t.Fatal(err)
		}
		defer os.Chmod(filepath.Join(root, name), 0o755)
	}
	w.opts.BaseDir = base
	got := summary(w.fetch(pipeline.Need{From: fetch.Local, Root: "clips"}))
	if want := "0 a.mp4 0 unreadable\n0 b.mp4 1 ok\n0 locked 0 unreadable\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestLocalRootErrors(t *testing.T) {
	w := newWorld(t)
	base, _ := tree(t, map[string]string{"a.mp4": "a"})
	w.opts.BaseDir = base
	var folder *fetch.FolderError
	if _, err := fetch.ListLocal(t.Context(), base, pipeline.Need{Root: "none"}); !errors.As(err, &folder) {
		t.Errorf("a folder that is not there: %v", err)
	}
	w.fail(nil, pipeline.Need{From: fetch.Local, Root: "none"}, `source s: fetch folder "none"`, "no such file", "relative to pipeline.yaml")
	w.fail(nil, pipeline.Need{From: fetch.Local, Root: "clips/a.mp4"}, "not a folder")
	w.fail(nil, pipeline.Need{From: fetch.Local, Root: "clips", Include: []string{"["}}, "include pattern")
	w.fail(nil, pipeline.Need{From: "ftp"}, `unknown kind "ftp"`)
}

type cachingStore struct {
	*memStore
	asked []string
}

func (s *cachingStore) CachedFile(ctx context.Context, path string) (pipeline.Blob, error) {
	s.asked = append(s.asked, filepath.Base(path))
	return s.PutFile(ctx, path, false)
}

func TestLocalAsksTheStoreForCachedDigests(t *testing.T) {
	_, root := tree(t, map[string]string{"a.mp4": "a", "b.mp4": "b"})
	store := &cachingStore{memStore: newStore()}
	lock, err := fetch.LoadLock(filepath.Join(t.TempDir(), fetch.LockName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fetch.New(store, lock, fetch.Options{}).Fetch(t.Context(), "s", []pipeline.Need{{From: fetch.Local, Root: root}}); err != nil {
		t.Fatal(err)
	}
	if strings.Join(store.asked, " ") != "a.mp4 b.mp4" {
		t.Errorf("asked %q", store.asked)
	}
}

func TestCancelledFetch(t *testing.T) {
	w := newWorld(t)
	w.hub.SetRepo("o/d", dataset())
	_, root := tree(t, map[string]string{"a.mp4": "a"})
	lock, err := fetch.LoadLock(w.lockPath())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, need := range []pipeline.Need{hubNeed, {From: fetch.Local, Root: root}} {
		_, err := fetch.New(w.store, lock, w.opts).Fetch(ctx, "s", []pipeline.Need{need})
		if err == nil || !strings.Contains(err.Error(), "canceled") {
			t.Errorf("%s: error %v", need.From, err)
		}
	}
	if len(w.clock.slept) > 0 {
		t.Error("a cancelled fetch waited to try again")
	}
}
