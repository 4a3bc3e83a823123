package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestNewFoldersAreSyncedUpToTheFirstThatWasThere makes three levels and asks for
// them again: every folder that got a new entry is synced after it has it.
func TestNewFoldersAreSyncedUpToTheFirstThatWasThere(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	var synced []string
	note := func(dir string) error {
		entries, err := os.ReadDir(dir)
		rel, _ := filepath.Rel(root, dir)
		for _, e := range entries {
			synced = append(synced, rel+" with "+e.Name())
		}
		return err
	}
	deep := filepath.Join(root, "out", "store", "blobs")
	if err := makeFolder(deep, 0o755, note); err != nil {
		t.Fatal(err)
	}
	if want := []string{". with out", "out with store", "out/store with blobs"}; !slices.Equal(synced, want) {
		t.Errorf("synced %q, want %q", synced, want)
	}
	synced = nil
	if err := makeFolder(deep, 0o755, note); err != nil || len(synced) > 0 {
		t.Errorf("again: %v, synced %q", err, synced)
	}
	failed := errors.New("no sync")
	if err := makeFolder(filepath.Join(deep, "aa"), 0o755, func(string) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("a folder that cannot be synced: %v", err)
	}
	if err := MakeFolder(filepath.Join(root, "a", "b"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"file", "file/below"} {
		if err := MakeFolder(filepath.Join(root, dir), 0o755); err == nil {
			t.Errorf("%s is made, where a file stands", dir)
		}
	}
}

// TestOnlyFilesAreOpened would wait for ever at the pipe.
func TestOnlyFilesAreOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("file"), []byte("12345"), 0o644), syscall.Mkfifo(at("pipe"), 0o644), os.Symlink("file", at("link")),
		os.Symlink("pipe", at("to-pipe")), os.Symlink("/dev/zero", at("zero"))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "link"} {
		if data, err := Read(at(name), 5); err != nil || string(data) != "12345" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	if _, err := Read(at("file"), 4); err == nil || !strings.Contains(err.Error(), "larger than 4 bytes") {
		t.Errorf("a file that is too large: %v", err)
	}
	for name, what := range map[string]string{"pipe": "a named pipe", "to-pipe": "a named pipe", "zero": "a device", ".": "a folder"} {
		var kind *FileTypeError
		if _, err := Open(at(name)); !errors.As(err, &kind) || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(at("nothing")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

// A lock may lie in a folder of releases, which are the same bytes whoever wrote
// them.
func TestALockThatIsGivenBackNamesNoProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	lock, err := TakeLock(path)
	if err != nil {
		t.Fatal(err)
	}
	var held *LockedError
	if _, err := TakeLock(path); !errors.As(err, &held) || held.PID != strconv.Itoa(os.Getpid()) {
		t.Errorf("a lock that is held gave %v, want this process named", err)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || len(b) != 0 {
		t.Errorf("the file holds %q, %v; want nothing", b, err)
	}
}
