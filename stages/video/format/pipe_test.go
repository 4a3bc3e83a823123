package format

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// TestAPipeAmongTheQuestionsIsNotOpened: its writer may never come.
func TestAPipeAmongTheQuestionsIsNotOpened(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := filepath.Join(dir, filepath.FromSlash(files()[0].path))
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), syscall.Mkfifo(at, 0o644)); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Load(dir)
		done <- err
	}()
	select {
	case err := <-done:
		var kind *atomicfile.FileTypeError
		if !errors.As(err, &kind) {
			t.Errorf("error %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it waits")
	}
}
