package store

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

func TestCachedFile(t *testing.T) { eachKind(t, testCachedFile) }

func testCachedFile(t *testing.T, k kind) {
	ctx := context.Background()
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, c := range []struct {
		name string
		// age is the time stamp of the first version.
		age time.Time
		// change is made between the two calls; the digest of want is expected.
		change func(t *testing.T, d anyStore, path string)
		want   string
	}{
		{"unchanged", old, func(*testing.T, anyStore, string) {}, "one"},
		// Same size, time and inode: this is what the cache cannot see, and
		// shows that it is used.
		{"trusted", old, func(t *testing.T, _ anyStore, path string) { rewrite(t, path, "two", old) }, "one"},
		{"new time", old, func(t *testing.T, _ anyStore, path string) { rewrite(t, path, "two", old.Add(time.Second)) }, "two"},
		{"new size", old, func(t *testing.T, _ anyStore, path string) { rewrite(t, path, "three", old) }, "three"},
		{"new inode", old, func(t *testing.T, _ anyStore, path string) {
			rewrite(t, path+".new", "two", old)
			storetest.MustDo(t, os.Rename(path+".new", path))
		}, "two"},
		{"racy", time.Now().Add(time.Minute), func(t *testing.T, _ anyStore, path string) {
			info, err := os.Stat(path)
			storetest.MustDo(t, err)
			rewrite(t, path, "two", info.ModTime())
		}, "two"},
		{"blob gone", old, func(t *testing.T, d anyStore, path string) {
			k.lose(t, d, pipeline.DigestOf([]byte("one")))
		}, "one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := k.open(t)
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
			if got, err := storetest.ReadBlob(d, b.Digest); got != c.want || err != nil {
				t.Errorf("blob reads %q, %v", got, err)
			}
		})
	}
}

func rewrite(t *testing.T, path, text string, at time.Time) {
	t.Helper()
	storetest.MustDo(t, os.WriteFile(path, []byte(text), 0o644))
	storetest.MustDo(t, os.Chtimes(path, at, at))
}

// meddler is a context that lets somebody write to the file which is being read.
// The database asks contexts too, when it likes, from goroutines of its own: only what
// this module asks counts.
type meddler struct {
	context.Context
	reads  atomic.Int64
	meddle func()
}

func (m *meddler) Err() error {
	pc, _, _, _ := runtime.Caller(1)
	if strings.Contains(runtime.FuncForPC(pc).Name(), "memforge/") && m.reads.Add(1) == 2 {
		m.meddle()
	}
	return nil
}

// A file that is put while it is written to is refused, also when its length stays
// what it was.
func TestPutFileRefusesAFileThatIsWrittenTo(t *testing.T) {
	eachKind(t, testPutFileRefusesAFileThatIsWrittenTo)
}

func testPutFileRefusesAFileThatIsWrittenTo(t *testing.T, k kind) {
	d := k.open(t)
	text := strings.Repeat("words of a film ", 40_000)
	for name, put := range map[string]func(ctx context.Context, path string) error{
		"moved":  func(ctx context.Context, path string) error { _, err := d.PutFile(ctx, path, true); return err },
		"cached": func(ctx context.Context, path string) error { _, err := d.CachedFile(ctx, path); return err },
	} {
		for change, meddle := range map[string]func(path string){
			"same length": func(path string) {
				storetest.MustDo(t, os.WriteFile(path, []byte(strings.ToUpper(text)), 0o644))
				storetest.MustDo(t, os.Chtimes(path, time.Now(), time.Unix(1, 0)))
			},
			"shorter": func(path string) { storetest.MustDo(t, os.Truncate(path, 300_000)) },
		} {
			path := filepath.Join(d.ScratchRoot(), name+change)
			storetest.MustDo(t, os.WriteFile(path, []byte(text), 0o644))
			ctx := &meddler{Context: t.Context(), meddle: func() { meddle(path) }}
			if err := put(ctx, path); err == nil || !strings.Contains(err.Error(), "changed while it was read") || ctx.reads.Load() < 2 {
				t.Errorf("%s, %s: %v after %d reads", name, change, err, ctx.reads.Load())
			}
		}
	}
}
