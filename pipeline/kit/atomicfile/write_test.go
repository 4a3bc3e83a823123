package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWriteIsWholeOrNot wants the old file wherever writing the new one fails, and
// nothing beside it.
func TestWriteIsWholeOrNot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	write := func(path, text string, fault error) error {
		return Write(path, 0o640, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, fault)
		})
	}
	full := errors.New("the disk is full")
	if err := write(path, "old", nil); err != nil {
		t.Fatal(err)
	}
	if err := write(path, "half", full); !errors.Is(err, full) {
		t.Errorf("a writer that fails: %v", err)
	}
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "taken"), 0o755), os.WriteFile(filepath.Join(dir, "taken", "x"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := write(filepath.Join(dir, "taken"), "new", nil); err == nil {
		t.Error("a folder is replaced")
	}
	if err := Create(path, 0o644, []byte("new")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that is there is made: %v", err)
	}
	entries, _ := os.ReadDir(dir)
	info, _ := os.Stat(path)
	if data, _ := os.ReadFile(path); string(data) != "old" || len(entries) != 2 || info.Mode().Perm() != 0o640 {
		t.Errorf("%q with mode %v among %d entries", data, info.Mode(), len(entries))
	}
	if err := errors.Join(write(path, "new", nil), Create(filepath.Join(dir, "other"), 0o600, []byte("other"))); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(path); string(data) != "new" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestALockHasOneOwner(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	if _, err := IsLocked(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a lock that nobody took: %v", err)
	}
	for range 2 {
		lock, err := TakeLock(path)
		if err != nil {
			t.Fatal(err)
		}
		var held *LockedError
		if _, err := TakeLock(path); !errors.As(err, &held) || held.PID == "" || !strings.Contains(err.Error(), "holds "+path) {
			t.Errorf("taken twice: %v", err)
		}
		if is, err := IsLocked(path); !is || err != nil {
			t.Errorf("held: %v, %v", is, err)
		}
		if err := lock.Release(); err != nil {
			t.Error(err)
		}
		if is, err := IsLocked(path); is || err != nil {
			t.Errorf("held when released: %v, %v", is, err)
		}
	}
}
