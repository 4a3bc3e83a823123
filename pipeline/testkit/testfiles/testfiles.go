// Package testfiles finds files that tests read: those of the repository, wherever the
// package of the test lies, and real inputs that stand beside the checkout.
package testfiles

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// Repo returns the path of a file or folder of the repository, given from its root.
func Repo(t testing.TB, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return filepath.Join(at, filepath.FromSlash(name))
		}
		if at == filepath.Dir(at) {
			t.Fatalf("no go.mod at or above %s", dir)
		}
	}
}

// Real returns the path of a real input that is not in the repository: below
// MEMFORGE_FIXTURES, else below shared/fixtures beside the checkout. The test skips
// where it is absent, and, unless it measures, at small size, which tries the same on
// every machine.
func Real(t testing.TB, name string) string {
	t.Helper()
	if _, measures := t.(*testing.B); !measures && !testsize.Full() {
		t.Skip("tries real input, which make test-all does")
	}
	root := os.Getenv("MEMFORGE_FIXTURES")
	if root == "" {
		root = Repo(t, "../shared/fixtures")
	}
	path := filepath.Join(root, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("needs the real input %s in shared/fixtures beside the checkout, or in MEMFORGE_FIXTURES", name)
	}
	return path
}
