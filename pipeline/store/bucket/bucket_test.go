package bucket

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

func folder(t *testing.T) *Bucket {
	t.Helper()
	b, err := Open(t.Context(), "file://"+filepath.ToSlash(t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func put(t *testing.T, b *Bucket, text string) pipeline.Digest {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := pipeline.DigestOf([]byte(text))
	if err := b.Put(t.Context(), d, f); err != nil {
		t.Fatal(err)
	}
	return d
}

func get(b *Bucket, d pipeline.Digest) (string, error) {
	r, err := b.Get(context.Background(), d)
	if err != nil {
		return "", err
	}
	defer r.Close()
	text, err := io.ReadAll(r)
	return string(text), err
}

func TestObjects(t *testing.T) {
	testObjects(t, folder(t))
}

func testObjects(t *testing.T, b *Bucket) {
	t.Helper()
	for _, text := range []string{"", "a", strings.Repeat("long ", 100_000)} {
		d := put(t, b, text)
		if put(t, b, text) != d {
			t.Error("put again")
		}
		if got, err := get(b, d); got != text || err != nil {
			t.Errorf("%d bytes read as %d, %v", len(text), len(got), err)
		}
		for range 2 {
			if err := b.Remove(t.Context(), d); err != nil {
				t.Errorf("%v", err)
			}
		}
		if _, err := get(b, d); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("an object that is gone: %v", err)
		}
	}
}

func TestPutIsCancelled(t *testing.T) {
	b := folder(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := pipeline.DigestOf([]byte("x"))
	if err := b.Put(ctx, d, f); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(b.File(d)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half of it is there: %v", err)
	}
}

func TestBucketsThatAreNone(t *testing.T) {
	for _, url := range []string{"", "relative/folder", "file://host/x", "nobody://x"} {
		if b, err := Open(t.Context(), url); err == nil {
			t.Errorf("opened %q: %v", url, b)
		}
	}
}
