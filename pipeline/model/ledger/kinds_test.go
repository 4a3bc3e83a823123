package ledger

import (
	"context"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// OpenPlace opens the ledger of any kind that a URL names; TestMain sets it, for only
// tests outside of this package can import all kinds.
var OpenPlace func(ctx context.Context, url string) (*Ledger, error)

// EachKind runs a test for ledgers of every kind; fresh gives the place of a new one.
func EachKind(t *testing.T, test func(t *testing.T, fresh func() string)) {
	t.Run("file", func(t *testing.T) { test(t, t.TempDir) })
	// A server is started for tests of everything only.
	if testsize.Full() {
		t.Run("postgres", func(t *testing.T) { test(t, func() string { return testpostgres.URL(t) }) })
	}
}

// openAt is Open for tests.
func openAt(tb testing.TB, place string) *Ledger {
	tb.Helper()
	l, err := OpenPlace(tb.Context(), place)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = l.Close() })
	return l
}
