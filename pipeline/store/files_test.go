package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
)

func TestCachedFile(t *testing.T) {
	ctx := context.Background()
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, c := range []struct {
		name string
		// age is the time stamp of the first version.
		age time.Time
		// change is made between the two calls; the digest of want is expected.
		change func(t *testing.T, d *Disk, path string)
		want   string
	}{
		{"unchanged", old, func(*testing.T, *Disk, string) {}, "one"},
		// Same size, time and inode: this is what the cache cannot see, and
		// shows that it is used.
		{"trusted", old, func(t *testing.T, _ *Disk, path string) { rewrite(t, path, "two", old) }, "one"},
		{"new time", old, func(t *testing.T, _ *Disk, path string) { rewrite(t, path, "two", old.Add(time.Second)) }, "two"},
		{"new size", old, func(t *testing.T, _ *Disk, path string) { rewrite(t, path, "three", old) }, "three"},
		{"new inode", old, func(t *testing.T, _ *Disk, path string) {
			rewrite(t, path+".new", "two", old)
			mustDo(t, os.Rename(path+".new", path))
		}, "two"},
		{"racy", time.Now().Add(time.Minute), func(t *testing.T, _ *Disk, path string) {
			info, err := os.Stat(path)
			mustDo(t, err)
			rewrite(t, path, "two", info.ModTime())
		}, "two"},
		{"blob gone", old, func(t *testing.T, d *Disk, path string) {
			mustDo(t, os.Remove(d.blobFile(pipeline.DigestOf([]byte("one")))))
		}, "one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := open(t, t.TempDir())
			path := filepath.Join(t.TempDir(), "file")
			rewrite(t, path, "one", c.age)
			if b, err := d.CachedFile(ctx, path); err != nil || b.Digest != pipeline.DigestOf([]byte("one")) || b.Size != 3 {
				t.Fatalf("first call: %+v, %v", b, err)
			}
			c.change(t, d, path)
			b, err := d.CachedFile(ctx, path)
			if err != nil || b.Digest != pipeline.DigestOf([]byte(c.want)) || b.Size != int64(len(c.want)) {
				t.Errorf("second call: %+v, %v, want the digest of %q", b, err, c.want)
			}
			if got, err := readBlob(d, b.Digest); got != c.want || err != nil {
				t.Errorf("blob reads %q, %v", got, err)
			}
		})
	}
}

func rewrite(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	mustDo(t, os.WriteFile(path, []byte(text), 0o644))
	mustDo(t, os.Chtimes(path, at, at))
}
