package export_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/eval/export"
)

// TestPipesAreNotOpened puts one in the place of the release's SHA256SUMS, and
// one where an earlier export has its marker.
func TestPipesAreNotOpened(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"SHA256SUMS", export.MarkerName} {
		dir, out := newRelease(t), t.TempDir()
		at := filepath.Join(dir, name)
		if name == export.MarkerName {
			at = filepath.Join(out, "data", "plain", name)
		}
		if err := errors.Join(os.RemoveAll(at), os.MkdirAll(filepath.Dir(at), 0o755), syscall.Mkfifo(at, 0o644)); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := write(t, dir, out, export.Options{Force: true})
			done <- err
		}()
		select {
		case err := <-done:
			if err == nil || !strings.Contains(err.Error(), "a named pipe") {
				t.Errorf("%s: error %v", name, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: it waits", name)
		}
	}
}
