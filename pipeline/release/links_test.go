package release

import (
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// putFile writes a file and the folders above it.
func putFile(t *testing.T, name, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// snapshotOf moves the files of a release into the layout that huggingface_hub gives its
// cache: blobs by SHA-256 (large files) or SHA-1 (of git), and a snapshot of relative links.
func snapshotOf(t *testing.T, dir string) (snapshot string) {
	t.Helper()
	repo := filepath.Join(t.TempDir(), "datasets--lab--films")
	snapshot = filepath.Join(repo, "snapshots", "0123456789abcdef0123456789abcdef01234567")
	putFile(t, filepath.Join(repo, "refs", "main"), "0123456789abcdef0123456789abcdef01234567")
	putFile(t, filepath.Join(dir, ".gitattributes"), "*.parquet filter=lfs diff=lfs merge=lfs -text\n")
	for name, data := range files(t, dir) {
		git := sha1.Sum(data)
		blob := hex.EncodeToString(git[:])
		putFile(t, filepath.Join(repo, "blobs", blob), string(data))
		link := filepath.Join(snapshot, filepath.FromSlash(name))
		to := strings.Repeat("../", strings.Count(name, "/")+2) + "blobs/" + blob
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.Symlink(to, link)); err != nil {
			t.Fatal(err)
		}
	}
	return snapshot
}

func TestSnapshotsOfTheHubsCacheVerify(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	dir := write(t, store, t.TempDir(), in).Dir
	n := len(files(t, dir))
	snapshot := snapshotOf(t, dir)
	rep, err := Verify(t.Context(), snapshot)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Links != n || !strings.Contains(rep.LinkTarget, "../blobs/") || !slices.Equal(rep.Added, []string{".gitattributes"}) {
		t.Errorf("%d links to %q and %q added; want %d links to blobs and .gitattributes", rep.Links, rep.LinkTarget, rep.Added, n)
	}
	c, err := Limits{}.Read(t.Context(), snapshot)
	if err != nil {
		t.Fatal(err)
	}
	for id := range c.Files {
		if err := c.ReadMedium(t.Context(), id, func(*os.File) error { return nil }); err != nil {
			t.Error(err)
		}
	}
	p, err := OpenInPlace(t.Context(), snapshot, func(manifest.FileInfo) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, f := range p.Manifest.Files {
		opened, err := p.OpenFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if info, err := opened.Stat(); err != nil || info.Size() != f.Size {
			t.Errorf("%s has %v, want %d bytes: %v", f.Path, info, f.Size, err)
		}
		opened.Close()
	}
	card := filepath.Join(snapshot, "README.md")
	blob, err := filepath.EvalSymlinks(card)
	if err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "card")
	putFile(t, outside, "# Card")
	relink := func(to string) func() error {
		return func() error { return errors.Join(os.Remove(card), os.Symlink(to, card)) }
	}
	for _, tc := range []struct {
		what string
		put  func() error
		want string
	}{
		{"other bytes", func() error { return os.WriteFile(blob, []byte("# Other"), 0o644) }, "has digest"},
		{"no blob", func() error { return os.Remove(blob) }, "which is missing"},
		{"a pipe", func() error { return syscall.Mkfifo(blob, 0o644) }, "not a regular file"},
		{"a file outside", relink(outside), "outside the release"},
		{"a device", relink("/dev/zero"), "outside the release"},
		{"a folder outside", relink(filepath.Dir(outside)), "outside the release"},
		{"a folder of blobs", relink("../../blobs"), "outside the release"},
		{"itself", relink("README.md"), "too many links"},
	} {
		if err := tc.put(); err != nil {
			t.Fatal(tc.what, err)
		}
		ends(t, tc.what, func() { finds(t, snapshot, "README.md", tc.want) })
		if f, err := p.OpenFile("README.md"); err == nil && tc.what != "other bytes" {
			f.Close()
			t.Errorf("%s: it is opened in place", tc.what)
		}
	}
}

// TestLeftoversAreListedAndNeverTakenForContent uses what real clients leave.
func TestLeftoversAreListedAndNeverTakenForContent(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	dir := write(t, store, t.TempDir(), in).Dir
	for _, tc := range []struct {
		client string
		put    []string
		want   []string
	}{
		{"hf download --local-dir", []string{".cache/huggingface/.gitignore", ".cache/huggingface/CACHEDIR.TAG", ".cache/huggingface/download/data/questions/test-00000-of-00001.parquet.metadata", ".cache/huggingface/download/README.md.lock", ".gitattributes"}, []string{".cache", ".gitattributes"}},
		{"an older hf download", []string{".huggingface/download/README.md.metadata"}, []string{".huggingface"}},
		{"git clone", []string{".git/HEAD", ".git/lfs/objects/ab/cd", ".gitattributes"}, []string{".git", ".gitattributes"}},
		{"a worktree", []string{".git", ".gitignore"}, []string{".git", ".gitignore"}},
		{"aws s3 sync from a Mac", []string{".DS_Store", "data/.DS_Store", "media/videos/.DS_Store"}, []string{".DS_Store", "data/.DS_Store", "media/videos/.DS_Store"}},
	} {
		for _, name := range tc.put {
			putFile(t, filepath.Join(dir, name), "PAR1")
		}
		if rep, err := Verify(t.Context(), dir); err != nil || !slices.Equal(rep.Added, tc.want) {
			t.Errorf("%s: added %q, %v; want %q", tc.client, rep.Added, err, tc.want)
		}
		for _, name := range tc.want {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, at := range map[string]string{
		"data/questions/test-00000-of-00001.parquet.6eA3f2C1": "", "data/questions/.more.parquet": "", "data/.cache/more.parquet": "data/.cache",
		"media/videos/.git/x.mp4": "media/videos/.git", ".aws/credentials": ".aws", ".cachet": "",
	} {
		putFile(t, filepath.Join(dir, name), "PAR1")
		if at == "" {
			finds(t, dir, name, "does not belong")
		} else {
			finds(t, dir, at, "a folder without a file")
		}
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if at != "" {
			if err := os.RemoveAll(filepath.Join(dir, at)); err != nil {
				t.Fatal(err)
			}
		}
	}
	mustVerify(t, dir)

	// A release that lists such a path has a stray file, which is read as all others.
	putFile(t, filepath.Join(dir, ".cache", "more.parquet"), "PAR1")
	reseal(t, dir, func(m *manifest.Manifest) {
		m.Files = append(m.Files, manifest.FileInfo{Path: ".cache/more.parquet", SHA256: pipeline.DigestOf([]byte("PAR1")), Size: 4})
		slices.SortFunc(m.Files, manifest.ComparePaths)
	})
	finds(t, dir, ".cache/more.parquet", "no file that a release has")
}
