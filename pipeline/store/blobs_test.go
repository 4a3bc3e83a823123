package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

func extend(b []byte) []byte { return append(b, 0) }
func replace([]byte) []byte  { return []byte("other bytes") }

// damage rewrites a blob behind the store's back.
func damage(tb testing.TB, d *Disk, digest pipeline.Digest, how func([]byte) []byte) {
	tb.Helper()
	path := d.blobFile(digest)
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), os.WriteFile(path, how(b), 0o444)); err != nil {
		tb.Fatal(err)
	}
}

func assertNoTemp(tb testing.TB, d Store) {
	tb.Helper()
	entries, err := os.ReadDir(d.ScratchRoot())
	if err != nil || len(entries) != 0 {
		tb.Errorf("%d temporary files are left (%v)", len(entries), err)
	}
}

func TestPutBlob(t *testing.T) { eachKind(t, testPutBlob) }

func testPutBlob(t *testing.T, k kind) {
	d := k.open(t)
	for _, text := range []string{"", "a", strings.Repeat("long ", 100_000)} {
		digest := storetest.Put(t, d, text)
		if again := storetest.Put(t, d, text); again != digest {
			t.Errorf("stored again under %s", again)
		}
		if got, err := storetest.ReadBlob(d, digest); got != text || err != nil {
			t.Errorf("%d bytes come back as %d, %v", len(text), len(got), err)
		}
		path, err := d.BlobPath(context.Background(), digest)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != 0o444 {
			t.Errorf("mode of the file is %v (%v), want read-only", info.Mode(), err)
		}
	}
	assertNoTemp(t, d)
}

func TestPutBlobFails(t *testing.T) { eachKind(t, testPutBlobFails) }

func testPutBlobFails(t *testing.T, k kind) {
	d := k.open(t)
	broken := errors.New("broken reader")
	_, err := d.PutBlob(context.Background(), io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("error of the reader: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := d.PutBlob(ctx, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	missing, err := d.MissingBlobs(context.Background(), []pipeline.Digest{pipeline.DigestOf([]byte("half")), pipeline.DigestOf([]byte("x"))})
	if err != nil || len(missing) != 2 {
		t.Errorf("a failed put left a blob: missing %v, %v", missing, err)
	}
	assertNoTemp(t, d)
}

func TestPutFile(t *testing.T) { eachKind(t, testPutFile) }

func testPutFile(t *testing.T, k kind) {
	ctx := context.Background()
	for _, c := range []struct {
		name  string
		move  bool
		make  func(t *testing.T, path string) // writes "text" so that path reads it
		stays bool
	}{
		{name: "copy", make: writeText, stays: true},
		{name: "move", move: true, make: writeText},
		{name: "move a read-only file", move: true, make: func(t *testing.T, path string) {
			writeText(t, path)
			if err := os.Chmod(path, 0o400); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "move a symbolic link", move: true, make: func(t *testing.T, path string) {
			writeText(t, path+".target")
			if err := os.Symlink(path+".target", path); err != nil {
				t.Fatal(err)
			}
		}},
		{name: "move a file with a second name", move: true, make: func(t *testing.T, path string) {
			writeText(t, path)
			if err := os.Link(path, path+".target"); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := k.open(t)
			path := filepath.Join(t.TempDir(), "file")
			c.make(t, path)
			b, err := d.PutFile(ctx, path, c.move)
			if err != nil {
				t.Fatal(err)
			}
			if b != (pipeline.Blob{Digest: pipeline.DigestOf([]byte("text")), Size: 4}) {
				t.Errorf("got %+v", b)
			}
			if _, err := os.Lstat(path); (err == nil) != c.stays {
				t.Errorf("file afterwards: %v, want it there: %v", err, c.stays)
			}
			// A second name must not reach the blob.
			if err := os.WriteFile(path+".target", []byte("evil"), 0o644); err != nil {
				t.Fatal(err)
			}
			if got, err := storetest.ReadBlob(d, b.Digest); got != "text" || err != nil {
				t.Errorf("reads %q, %v", got, err)
			}
			assertNoTemp(t, d)
		})
	}
}

func TestPutFileRefuses(t *testing.T) { eachKind(t, testPutFileRefuses) }

func testPutFileRefuses(t *testing.T, k kind) {
	d := k.open(t)
	dir := t.TempDir()
	if _, err := d.PutFile(context.Background(), dir, true); err == nil {
		t.Error("took a folder")
	}
	if _, err := d.PutFile(context.Background(), filepath.Join(dir, "absent"), true); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	path := filepath.Join(dir, "file")
	writeText(t, path)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := d.PutFile(ctx, path, true); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Errorf("a failed move lost the file: %v", err)
	}
}

func TestCorruptBlobIsSetAside(t *testing.T) { eachKind(t, testCorruptBlobIsSetAside) }

func testCorruptBlobIsSetAside(t *testing.T, k kind) {
	ctx := context.Background()
	text := strings.Repeat("some text ", 50_000)
	reads := map[string]func(anyStore, pipeline.Digest) error{
		"OpenBlob": func(d anyStore, digest pipeline.Digest) error { return storetest.Second(storetest.ReadBlob(d, digest)) },
		"BlobPath": func(d anyStore, digest pipeline.Digest) error { return storetest.Second(d.BlobPath(ctx, digest)) },
	}
	for how, change := range map[string]func([]byte) []byte{"flip": storetest.Flip, "truncate": storetest.Truncate, "extend": extend, "swap": replace} {
		for name, read := range reads {
			t.Run(how+"/"+name, func(t *testing.T) {
				d := k.open(t)
				digest := storetest.Put(t, d, text)
				k.damage(t, d, digest, change)
				if err := read(d, digest); !storetest.IsCorrupt(err, digest) {
					t.Fatalf("first read: %v, want a *CorruptError", err)
				}
				if err := read(d, digest); !errors.Is(err, pipeline.ErrNoBlob) {
					t.Errorf("second read: %v, want ErrNoBlob", err)
				}
				if disk, ok := d.(*Disk); ok {
					aside, err := os.ReadDir(disk.path(corruptDir))
					if err != nil || len(aside) != 1 {
						t.Errorf("%d files set aside (%v), want 1", len(aside), err)
					}
				}
				storetest.Put(t, d, text)
				if err := read(d, digest); err != nil {
					t.Errorf("after a rerun: %v", err)
				}
			})
		}
	}
}

func TestSetAsideSparesReplacement(t *testing.T) {
	d := open(t, t.TempDir())
	digest := storetest.Put(t, d, "text")
	damage(t, d, digest, storetest.Flip)
	r, err := d.OpenBlob(context.Background(), digest)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	damage(t, d, digest, storetest.Flip) // flipped back: sound bytes in a new file
	if _, err := io.ReadAll(r); !storetest.IsCorrupt(err, digest) {
		t.Errorf("reading the old file: %v", err)
	}
	if got, err := storetest.ReadBlob(d, digest); got != "text" || err != nil {
		t.Errorf("the new file reads %q, %v", got, err)
	}
}

func TestPutReplacesTruncatedBlob(t *testing.T) {
	d := open(t, t.TempDir())
	digest := storetest.Put(t, d, "text")
	damage(t, d, digest, storetest.Truncate)
	storetest.Put(t, d, "text")
	if got, err := storetest.ReadBlob(d, digest); got != "text" || err != nil {
		t.Errorf("reads %q, %v", got, err)
	}
}

func TestBadNames(t *testing.T) { eachKind(t, testBadNames) }

func testBadNames(t *testing.T, k kind) {
	d := k.open(t)
	for _, name := range []pipeline.Digest{"", "x", "../../../../etc/passwd", pipeline.Digest(strings.Repeat("A", 64)), pipeline.Digest(strings.Repeat("g", 64))} {
		if _, err := d.OpenBlob(context.Background(), name); err == nil {
			t.Errorf("opened %q", name)
		}
		if _, err := d.BlobPath(context.Background(), name); err == nil {
			t.Errorf("gave a path for %q", name)
		}
		if _, err := d.MissingBlobs(context.Background(), []pipeline.Digest{name}); err == nil {
			t.Errorf("looked for %q", name)
		}
	}
	if _, err := d.OpenBlob(context.Background(), pipeline.DigestOf([]byte("absent"))); !errors.Is(err, pipeline.ErrNoBlob) {
		t.Errorf("absent: %v", err)
	}
}

func TestConcurrentPutsOfOneBlob(t *testing.T) { eachKind(t, testConcurrentPutsOfOneBlob) }

func testConcurrentPutsOfOneBlob(t *testing.T, k kind) {
	d := k.open(t)
	scratch := t.TempDir()
	var group sync.WaitGroup
	for i := range 16 {
		group.Go(func() {
			text := bytes.Repeat([]byte{byte(i % 2)}, 200_000)
			path := filepath.Join(scratch, fmt.Sprint(i))
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Error(err)
			}
			b, err := d.PutFile(context.Background(), path, true)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := d.PutBlob(context.Background(), bytes.NewReader(text)); err != nil {
				t.Error(err)
			}
			if _, err := d.BlobPath(context.Background(), b.Digest); err != nil {
				t.Error(err)
			}
			if got, err := storetest.ReadBlob(d, b.Digest); got != string(text) || err != nil {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
	group.Wait()
	assertNoTemp(t, d)
	if disk, ok := d.(*Disk); ok {
		report, err := disk.Check(context.Background())
		if err != nil || !report.OK() || report.Blobs != 2 || len(report.Temp) != 0 {
			t.Errorf("check: %+v, %v", report, err)
		}
	}
}

// A file is hashed once a process, and again when anything about it changed.
func TestBlobPathRemembers(t *testing.T) {
	dir := t.TempDir()
	d, err := OpenDisk(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	digest := storetest.Put(t, d, "text")
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d = open(t, dir)
	if d.verified.Count() != 0 {
		t.Fatal("a new process trusts blobs it has not read")
	}
	if _, err := d.BlobPath(context.Background(), digest); err != nil {
		t.Fatal(err)
	}
	other := storetest.Put(t, d, "other")
	if d.verified.Count() != 2 {
		t.Errorf("%d blobs remembered, want %s and %s", d.verified.Count(), digest, other)
	}
	damage(t, d, digest, storetest.Flip) // same size, new inode and time
	if _, err := d.BlobPath(context.Background(), digest); !storetest.IsCorrupt(err, digest) {
		t.Errorf("changed file: %v", err)
	}
}

func writeText(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
}
