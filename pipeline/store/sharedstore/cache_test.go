package sharedstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

func cacheIn(t testing.TB, dir string, most int64) *cache {
	t.Helper()
	c, err := openCache(dir, most)
	storetest.MustDo(t, err)
	t.Cleanup(func() { _ = c.close() })
	return c
}

// ofSize is a blob of n bytes that begins with a name.
func ofSize(name string, n int) (pipeline.Digest, string) {
	text := name + strings.Repeat(".", n-len(name))
	return pipeline.DigestOf([]byte(text)), text
}

// fill asks a cache for blobs, and says which of them had to be fetched.
func fill(t testing.TB, c *cache, names ...string) (fetched string) {
	t.Helper()
	for _, name := range names {
		digest, text := ofSize(name, 1000)
		path, err := c.get(t.Context(), digest, func(f *os.File) error {
			fetched += name
			_, err := f.WriteString(text)
			return err
		})
		storetest.MustDo(t, err)
		if b, err := os.ReadFile(path); string(b) != text || err != nil {
			t.Errorf("%s reads as %d bytes, %v", name, len(b), err)
		}
	}
	return fetched
}

// unused makes what a cache holds old, the first of names the oldest.
func unused(t testing.TB, c *cache, names ...string) {
	t.Helper()
	for i, name := range names {
		digest, _ := ofSize(name, 1000)
		at := time.Now().Add(time.Duration(i)*time.Second - 3*grace)
		storetest.MustDo(t, os.Chtimes(c.file(digest), at, at))
	}
}

func TestCacheKeepsWhatIsUsed(t *testing.T) {
	dir := t.TempDir()
	c := cacheIn(t, dir, 4000)
	if got := fill(t, c, "a", "b", "c", "d", "a"); got != "abcd" {
		t.Errorf("fetched %s", got)
	}
	unused(t, c, "a", "b", "c", "d")
	fill(t, c, "a") // asked for again, it is the last to go
	if got := fill(t, c, "e"); got != "e" {
		t.Errorf("fetched %s", got)
	}
	if got := fill(t, c, "a", "d", "e"); got != "" {
		t.Errorf("%s went, want the oldest two, b and c", got)
	}
	if got := fill(t, c, "b"); got != "b" {
		t.Error("the oldest stayed")
	}
	// What was asked for just now is more than may be held, and stays.
	fill(t, c, "f", "g", "h", "i")
	if got := fill(t, c, "b", "e", "f", "g", "h", "i"); got != "" {
		t.Errorf("%s went while it was in use", got)
	}
	_, held, err := c.list()
	if err != nil || held < 6000 {
		t.Errorf("%d bytes are held, %v", held, err)
	}
	unused(t, c, "b", "e", "f", "g", "h", "i", "a")
	if _, held, err := cacheIn(t, dir, 4000).list(); err != nil || held > 4000 {
		t.Errorf("after it was opened anew %d bytes are held of 4000, %v", held, err)
	}
}

// A failed fetch leaves nothing, and the next one is made.
func TestCacheTakesNoHalf(t *testing.T) {
	c := cacheIn(t, t.TempDir(), 1<<20)
	digest, text := ofSize("x", 1000)
	broken := errors.New("broken")
	_, err := c.get(t.Context(), digest, func(f *os.File) error {
		_, err := f.WriteString(text[:500])
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if left, err := os.ReadDir(c.scratch); len(left) != 0 || err != nil {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	if got := fill(t, c, "x"); got != "x" {
		t.Errorf("fetched %q", got)
	}
}

// Several processes fill and shrink one cache at once: each path reads what it should.
func TestCacheOfManyProcesses(t *testing.T) {
	dir := t.TempDir()
	var work sync.WaitGroup
	for p := range 4 {
		c := cacheIn(t, dir, 20_000)
		work.Go(func() {
			for n := range 60 {
				fill(t, c, fmt.Sprint((7*n+p)%40, "-"))
				if n%15 == 0 {
					storetest.MustDo(t, c.shrink())
				}
			}
		})
	}
	work.Wait()
}

// Scratch folders of processes that were killed go, those of others stay.
func TestCacheSweepsScratch(t *testing.T) {
	dir := t.TempDir()
	killed, alive := cacheIn(t, dir, 1<<20), cacheIn(t, dir, 1<<20)
	storetest.MustDo(t, os.WriteFile(filepath.Join(killed.scratch, "half"), nil, 0o644))
	storetest.MustDo(t, killed.lock.Release()) // as the kernel does
	next := cacheIn(t, dir, 1<<20)
	if _, err := os.Stat(killed.scratch); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the scratch folder of a killed process: %v", err)
	}
	if _, err := os.Stat(alive.scratch); err != nil {
		t.Errorf("that of one which lives: %v", err)
	}
	if next.id != alive.id || next.id == "" || next.id == cacheIn(t, t.TempDir(), 1).id {
		t.Errorf("names %q and %q of one folder", next.id, alive.id)
	}
	killed.lock = nil
}
