package catalog_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/pipeline/web/catalog"
)

// replace writes other bytes of a file, with a manifest that names their digest: as a hostile
// release has them.
func replace(t testing.TB, dir, name string, data []byte) {
	t.Helper()
	old, err := os.Open(filepath.Join(dir, manifest.FileName))
	if err != nil {
		t.Fatal(err)
	}
	m, err := manifest.Parse(old, func(f manifest.FileInfo) (manifest.FileInfo, bool) { return f, true })
	if err = errors.Join(err, old.Close()); err != nil {
		t.Fatal(err)
	}
	i, _ := m.File(name)
	m.Files[i].SHA256, m.Files[i].Size = pipeline.DigestOf(data), int64(len(data))
	sums, err := manifest.SumsDigest(m.Files)
	if err != nil {
		t.Fatal(err)
	}
	m.ID = manifest.ReleaseID(m.Name, m.Version, sums)
	var b bytes.Buffer
	if err := errors.Join(m.Encode(&b), os.WriteFile(filepath.Join(dir, manifest.FileName), b.Bytes(), 0o644), os.WriteFile(filepath.Join(dir, name), data, 0o644)); err != nil {
		t.Fatal(err)
	}
}

func questionsFile(t testing.TB, dir string) (name string, data []byte) {
	t.Helper()
	name = "data/questions/test-00000-of-00001.parquet"
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return name, data
}

// TestDamagedBytesEndNoServer changes bytes all over a table, under a digest that fits. What is
// read may be anything; a table that cannot be read is named, and other tables can.
func TestDamagedBytesEndNoServer(t *testing.T) {
	dir := sample(t)
	name, data := questionsFile(t, dir)
	rnd := rand.New(rand.NewPCG(1, 2))
	unread := 0
	for n := range testsize.Choose(24, 60) {
		other := bytes.Clone(data)
		at := (n*len(data)/testsize.Choose(24, 60) + rnd.IntN(16)) % len(data)
		other[at] ^= byte(1 + rnd.IntN(255))
		replace(t, dir, name, other)
		c := open(t, dir)
		_, err := c.Search(t.Context(), catalog.Query{})
		var broken *catalog.TableError
		switch {
		case errors.As(err, &broken):
			unread++
			if broken.Table != pipeline.TableQuestions {
				t.Errorf("byte %d: %v", at, err)
			}
		case err != nil:
			t.Errorf("byte %d: %v", at, err)
		}
		if page, err := c.Table(t.Context(), pipeline.TableSources, catalog.TableQuery{}); err != nil || len(page.Cells) == 0 {
			t.Errorf("byte %d: another table: %v", at, err)
		}
		_ = c.WaitIndexed(t.Context()) // it may well fail
	}
	if unread == 0 {
		t.Error("no change made the table unreadable")
	}
	replace(t, dir, name, data)
	if page, err := open(t, dir).Search(t.Context(), catalog.Query{}); err != nil || len(page.Rows) == 0 {
		t.Errorf("restored: %v", err)
	}
}

// TestOtherBytesAreNotRead changes a byte without the manifest.
func TestOtherBytesAreNotRead(t *testing.T) {
	dir := sample(t)
	name, data := questionsFile(t, dir)
	other := bytes.Clone(data)
	other[len(other)/3] ^= 1
	if err := os.WriteFile(filepath.Join(dir, name), other, 0o644); err != nil {
		t.Fatal(err)
	}
	c := open(t, dir)
	var broken *catalog.TableError
	if _, err := c.Search(t.Context(), catalog.Query{}); !errors.As(err, &broken) || !strings.Contains(err.Error(), "digest") {
		t.Errorf("a changed table: %v", err)
	}
	if err := c.WaitIndexed(t.Context()); err == nil {
		t.Error("an index of a changed table")
	}
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
		t.Fatal(err)
	}
	if page, err := c.Search(t.Context(), catalog.Query{}); err != nil || len(page.Rows) == 0 {
		t.Errorf("the next request, once it is restored: %v", err)
	}
}

// TestDamagedMediaAreNotOpened changes a byte of one medium and removes another.
func TestDamagedMediaAreNotOpened(t *testing.T) {
	dir := sample(t)
	c := open(t, dir)
	var digests []string
	page, err := c.Table(t.Context(), pipeline.TableMedia, catalog.TableQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range page.Cells {
		digests = append(digests, cells[0].(string))
	}
	place := func(digest string) string {
		name, ok := c.MediumPath(digest)
		if !ok {
			t.Fatalf("medium %s has no path", digest)
		}
		return filepath.Join(dir, filepath.FromSlash(name))
	}
	data, err := os.ReadFile(place(digests[0]))
	if err != nil {
		t.Fatal(err)
	}
	data[0] ^= 1
	if err := errors.Join(os.WriteFile(place(digests[0]), data, 0o644), os.Remove(place(digests[1]))); err != nil {
		t.Fatal(err)
	}
	if err := c.CheckMedia(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, d := range digests {
		f, err := c.OpenMedium(d)
		if (err != nil) != (i < 2) {
			t.Errorf("medium %d: %v", i, err)
		}
		if err == nil {
			f.Close()
		}
	}
}

// TestKilledChildIsReplaced kills the process that reads.
func TestKilledChildIsReplaced(t *testing.T) {
	c := indexed(t, sample(t))
	for range 3 {
		if _, err := c.Item(t.Context(), "q-0001"); err != nil {
			t.Fatal(err)
		}
		killChildren(t)
		var broken *catalog.TableError
		if _, err := c.Table(t.Context(), pipeline.TableTasks, catalog.TableQuery{}); !errors.As(err, &broken) || broken.Table != pipeline.TableTasks {
			t.Errorf("the request after the kill: %v", err)
		}
		if page, err := c.Search(t.Context(), catalog.Query{Text: "video"}); err != nil || len(page.Rows) == 0 {
			t.Errorf("the one after that: %v", err)
		}
	}
}

// killChildren kills the child processes of this one and waits until they are gone.
func killChildren(t testing.TB) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil || len(tasks) == 0 {
		t.Skip("no list of child processes here")
	}
	var pids []string
	for _, name := range tasks {
		list, _ := os.ReadFile(name) // a thread may have ended
		pids = append(pids, strings.Fields(string(list))...)
	}
	if len(pids) != 1 {
		t.Fatalf("children %v, want the reader", pids)
	}
	if out, err := exec.Command("kill", "-9", pids[0]).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestMissingProgramIsSaid has no program to start.
func TestMissingProgramIsSaid(t *testing.T) {
	c, err := catalog.Open(t.Context(), sample(t), catalog.Options{Command: []string{filepath.Join(t.TempDir(), "none")}, Cache: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Search(t.Context(), catalog.Query{}); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a list: %v", err)
	}
	if err := c.WaitIndexed(t.Context()); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("the index: %v", err)
	}
}
