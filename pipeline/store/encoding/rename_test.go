package encoding

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestWhichFilesBecomeBlobs: a plain file of one name; through a second name others could
// change the blob.
func TestWhichFilesBecomeBlobs(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(
		os.WriteFile(file("plain"), nil, 0o644), os.WriteFile(file("one"), nil, 0o644),
		os.Link(file("one"), file("two")), os.Symlink(file("plain"), file("symlink")), os.Mkdir(file("folder"), 0o755),
	); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"plain": true, "one": false, "two": false, "symlink": false, "folder": false, "absent": false} {
		if got := canRename(file(name), dir); got != want {
			t.Errorf("%s: %t, want %t", name, got, want)
		}
	}
	if err := os.Remove(file("two")); err != nil {
		t.Fatal(err)
	}
	if !canRename(file("one"), dir) || canRename(file("plain"), file("absent")) {
		t.Error("a file whose second name is gone is refused, or one taken into a folder that is not there")
	}
}
