package encoding_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/store/encoding"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
)

func open(t *testing.T, dir string) store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

// TestGoldenStore shows what a store on a disk keeps, finds wrong and removes: rows are
// encoded, blobs hashed and garbage marked by this package.
func TestGoldenStore(t *testing.T) {
	var out strings.Builder
	dir := t.TempDir()
	st := open(t, dir)
	ctx := context.Background()
	first := storetest.Build(t, st, "a", "b", "c")
	second := storetest.Build(t, st, "b", "d")
	crash, err := storetest.CrashOutcome("e", func(s string) (pipeline.Digest, error) { return storetest.Put(t, st, s), nil })
	if err != nil {
		t.Fatal(err)
	}
	crash.Result.Rejections = []pipeline.Rejection{{ID: "x", Code: "odd", Reason: "it is odd", Flagged: true}, {ID: "y", Code: "late", Reason: "not yet"}}
	storetest.CommitAll(t, st, []pipeline.Committed{crash, crash})
	for _, n := range []string{"a", "b", "e", "none"} {
		for key, r := range storetest.LookUp(t, st, n) {
			fmt.Fprintf(&out, "%s %.8s: %s\n", n, key, golden.JSON(t, r))
			for _, ref := range r.Outputs {
				records, err := st.Records(ctx, []pipeline.Digest{ref.Digest})
				fmt.Fprintf(&out, " %s %s %s %s %v\n", records[0].Schema, records[0].ID, records[0].Data, records[0].Blobs, err)
			}
		}
	}
	_, err = st.Records(ctx, []pipeline.Digest{pipeline.DigestOf(nil)})
	fmt.Fprintln(&out, err)
	builds, err := st.Builds(ctx, 10)
	for _, b := range builds {
		fmt.Fprintf(&out, "build with %.8s, steps %d %v\n", b.Steps[0].UnitList, len(b.Steps), err)
	}
	missing, err := st.MissingBlobs(ctx, []pipeline.Digest{first, pipeline.DigestOf([]byte("none")), second})
	fmt.Fprintf(&out, "missing %d: %.8s %v\n", len(missing), missing[0], err)
	disk := st.(*store.Disk)
	for _, keep := range []int{1, 0, 2} {
		report, err := disk.GC(ctx, keep)
		fmt.Fprintf(&out, "keeping %d builds: %s %v\n", keep, golden.JSON(t, report), err)
	}
	checked, err := disk.Check(ctx)
	fmt.Fprintf(&out, "checked: %s ok %t %v\n", golden.JSON(t, checked), checked.OK(), err)
	path, err := st.BlobPath(ctx, second)
	if err != nil {
		t.Fatal(err)
	}
	storetest.Damage(t, path, storetest.Flip)
	_, err = storetest.ReadBlob(st, second)
	fmt.Fprintf(&out, "a damaged blob is corrupt: %t\n", storetest.IsCorrupt(err, second))
	checked, err = disk.Check(ctx)
	fmt.Fprintf(&out, "checked: ok %t, %d corrupt blobs %v\n", checked.OK(), strings.Count(golden.JSON(t, checked), string(second)), err)
	golden.Check(t, "store", out.String())
}

// TestFilesBecomeBlobs: a file is copied or moved, and is refused where it changes while it
// is read or is no file.
func TestFilesBecomeBlobs(t *testing.T) {
	dir := t.TempDir()
	st := open(t, filepath.Join(dir, "store"))
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, move := range map[string]bool{"moved": true, "copied": false} {
		path := write(name, "text of "+name)
		b, err := st.PutFile(t.Context(), path, move)
		if err != nil || b.Digest != pipeline.DigestOf([]byte("text of "+name)) || b.Size != int64(len("text of "+name)) {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
		if _, err := os.Stat(path); !move && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if text, err := storetest.ReadBlob(st, b.Digest); err != nil || text != "text of "+name {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	for _, bad := range []string{dir, filepath.Join(dir, "none")} {
		if _, err := st.PutFile(t.Context(), bad, false); err == nil {
			t.Errorf("%s becomes a blob", bad)
		}
	}
	big := strings.Repeat("0123456789", 40_000)
	b, err := st.PutFile(t.Context(), write("big", big), false)
	if text, err2 := storetest.ReadBlob(st, b.Digest); err != nil || err2 != nil || text != big {
		t.Errorf("%d bytes: %v, %v", len(text), err, err2)
	}
	r, err := st.OpenBlob(t.Context(), b.Digest)
	if err != nil {
		t.Fatal(err)
	}
	part := make([]byte, 15)
	if _, err := io.ReadFull(r, part); err != nil || string(part) != "012345678901234" {
		t.Errorf("%q, %v", part, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := st.PutBlob(ctx, strings.NewReader("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	for _, n := range []int{-1, 0, 1, 7} {
		if got := encoding.AtLeastOne(n); (got != nil) != (n < 1) {
			t.Errorf("%d builds: %v", n, got)
		}
	}
}
