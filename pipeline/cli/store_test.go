package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store"
)

type nothing struct{}

func (nothing) Spec() pipeline.Spec    { return pipeline.Spec{Emits: []string{"media"}} }
func (nothing) Needs() []pipeline.Need { return nil }
func (nothing) Read(context.Context, *pipeline.Scope, []pipeline.Asset, func(pipeline.Record) error) error {
	return nil
}

// TestStoreCommands damages a real store and lets the commands find and mend it.
func TestStoreCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "version: 1\nrelease: {name: demo, from: [n]}\nsources: {n: {use: nothing}}\n"
	if err := os.WriteFile("pipeline.yaml", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	r := pipeline.NewRegistry()
	pipeline.AddSource(r, "nothing", "1", "", func(struct{}) (pipeline.Source, error) { return nothing{}, nil })
	command := func(want int, args ...string) string {
		t.Helper()
		var out, errOut bytes.Buffer
		if code := Main(r, args, nil, &out, &errOut, os.Getenv); code != want {
			t.Fatalf("%v: exit code %d, want %d: %s", args, code, want, &errOut)
		}
		return out.String() + errOut.String()
	}
	blob := fillStore(t, "out/store")
	if got := command(0, "store", "check"); !strings.Contains(got, "checked 1 blobs (5 bytes)") {
		t.Errorf("check says %q", got)
	}
	flip(t, "out/store", blob.Digest)
	if got := command(exitStore, "store", "check"); !strings.Contains(got, "corrupt blob "+string(blob.Digest)) || !strings.Contains(got, "--repair") {
		t.Errorf("check of a damaged store says %q", got)
	}
	command(0, "store", "check", "--repair")
	command(0, "store", "check")
	if got := command(0, "store", "gc"); !strings.Contains(got, "removed 0 builds") {
		t.Errorf("gc says %q", got)
	}
	held, err := store.Open(t.Context(), "out/store")
	if err != nil {
		t.Fatal(err)
	}
	command(exitStore, "store", "gc")
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
}

func fillStore(t *testing.T, dir string) pipeline.Blob {
	t.Helper()
	d, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	blob, err := d.PutBlob(t.Context(), strings.NewReader("bytes"))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return blob
}

// flip changes the blob's first byte wherever the store keeps it.
func flip(t *testing.T, dir string, d pipeline.Digest) {
	t.Helper()
	var found bool
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(path, string(d)[4:]) {
			return err
		}
		found = true
		if err := os.Chmod(path, 0o644); err != nil {
			return err
		}
		return os.WriteFile(path, []byte("Bytes"), 0o644)
	})
	if err != nil || !found {
		t.Fatalf("blob %s not found below %s: %v", d, dir, err)
	}
}
