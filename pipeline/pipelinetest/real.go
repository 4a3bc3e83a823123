package pipelinetest

import (
	"os"
	"path/filepath"
	"testing"
)

// Real reads a real input that is not in the repository, and skips where it is not
// there either. It is for packages two folders below the root.
func Real(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "fixtures", filepath.FromSlash(name)))
	if err != nil {
		t.Skipf("the real input is not there: %v", err)
	}
	return b
}
