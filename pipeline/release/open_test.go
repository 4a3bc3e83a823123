package release

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/release/manifest"
)

// ends fails when f does not return: opening a pipe waits for its writer.
func ends(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatalf("%s waits", what)
	}
}

// TestPipesInAReleaseAreNotOpened puts a named pipe in the place of each file,
// and beside them, one at a time.
func TestPipesInAReleaseAreNotOpened(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	root := t.TempDir()
	dir := write(t, store, root, in).Dir
	for _, name := range []string{manifest.SumsName, manifest.FileName, SignatureName, "README.md", tablePath(tableQuestions, "test"), "unlisted"} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		data, err := os.ReadFile(at)
		if err == nil {
			err = os.Remove(at)
		}
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(at, 0o644); err != nil {
			t.Fatal(err)
		}
		ends(t, name, func() {
			_, err := Verify(t.Context(), dir)
			var damaged *DamagedError
			if !errors.As(err, &damaged) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: error %v", name, err)
			}
			_, _, _ = Latest(root, "demo")
			_, _ = List(root)
			_, _, _ = FindBuilt(root, "demo", "key-1")
			_ = AddSignature(dir, []byte("a signature"))
			if name != manifest.SumsName {
				return
			}
			if _, err := Write(t.Context(), store, root, in, Options{Gallery: gallery(t, in)}); err == nil {
				t.Error("a release with a pipe in it counts as written")
			}
		})
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
		_ = os.Remove(filepath.Join(dir, SignatureName))
		if data != nil {
			overwrite(t, dir, name, data)
		}
	}
	mustVerify(t, dir)
}

// TestLinksInTheirPlaceAreNoFilesOfARelease: SHA256SUMS too is held against what
// it is.
func TestLinksInTheirPlaceAreNoFilesOfARelease(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	dir := write(t, store, t.TempDir(), in).Dir
	at, elsewhere := filepath.Join(dir, manifest.SumsName), filepath.Join(t.TempDir(), "sums")
	if err := errors.Join(os.Rename(at, elsewhere), os.Symlink(elsewhere, at)); err != nil {
		t.Fatal(err)
	}
	finds(t, dir, manifest.SumsName, "outside the release")
}

// TestDevicesAndSocketsAreNotOpened uses what every machine has: nothing ends
// /dev/zero.
func TestDevicesAndSocketsAreNotOpened(t *testing.T) {
	t.Parallel()
	store, in := sample(t, 12)
	dir := write(t, store, t.TempDir(), in).Dir
	at := filepath.Join(dir, manifest.SumsName)
	socket := func() error {
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		// A path may be long and the name of a socket not.
		short, err := os.MkdirTemp("", "s")
		if err != nil {
			return err
		}
		defer os.RemoveAll(short)
		err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: filepath.Join(short, "s")})
		return errors.Join(err, os.Rename(filepath.Join(short, "s"), at), syscall.Close(fd))
	}
	for what, put := range map[string]func() error{
		"a device": func() error { return os.Symlink("/dev/zero", at) },
		"a socket": socket,
		"a folder": func() error { return os.Mkdir(at, 0o755) },
	} {
		if err := errors.Join(os.Remove(at), put()); err != nil {
			t.Fatal(fmt.Errorf("%s: %w", what, err))
		}
		ends(t, what, func() { finds(t, dir, manifest.SumsName, what) })
	}
}
