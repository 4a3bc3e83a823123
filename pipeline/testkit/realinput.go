package testkit

import (
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testfiles"
)

// ReadRealInput reads a real input that is not in the repository, and skips where it is not
// there either.
func ReadRealInput(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(testfiles.Real(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
