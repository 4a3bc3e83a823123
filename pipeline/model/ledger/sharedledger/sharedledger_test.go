package sharedledger

import (
	"database/sql"
	"os"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

func TestMain(m *testing.M) { os.Exit(testpostgres.RunTests(m)) }

func take(t *testing.T, c *leases, want bool, key pipeline.Key) {
	t.Helper()
	if got, err := c.Claim(t.Context(), []pipeline.Key{key}); got != want || err != nil {
		t.Errorf("claimed %t, want %t (%v)", got, want, err)
	}
}

// claimedUntil returns when the lease of a claim ends, by the clock of the database.
func claimedUntil(t *testing.T, db *sql.DB, key pipeline.Key) (until time.Time) {
	t.Helper()
	raw, err := distinctKeys([]pipeline.Key{key})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRowContext(t.Context(), `SELECT until FROM claims WHERE key = $1`, raw[0]).Scan(&until); err != nil {
		t.Fatal(err)
	}
	return until
}

// isPast reports whether the clock of the database is past a moment.
func isPast(t *testing.T, db *sql.DB, at time.Time) (past bool) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), `SELECT clock_timestamp() > $1`, at).Scan(&past); err != nil {
		t.Fatal(err)
	}
	return past
}

// TestALeaseOutlivesItsTimeWhileItsOwnerLives and is taken over once it does not.
func TestALeaseOutlivesItsTimeWhileItsOwnerLives(t *testing.T) {
	place, err := postgres.Parse(testpostgres.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	db, err := postgres.OpenSQL(t.Context(), place, tables())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := make([]*leases, 3)
	for i := range all {
		if all[i], err = newLeases(db, 600*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		defer all[i].Close()
	}
	stopped, alive, next := all[0], all[1], all[2]
	one, two := pipeline.Key(pipeline.DigestOf([]byte("one"))), pipeline.Key(pipeline.DigestOf([]byte("two")))
	take(t, stopped, true, one)
	take(t, alive, true, two)
	first := claimedUntil(t, db, one)
	testwait.Until(t, "a renewal and what would have been the end", func() bool {
		return claimedUntil(t, db, one).After(first) && isPast(t, db, first)
	})
	take(t, next, false, one)
	// One that was killed or stopped renews nothing.
	close(stopped.end)
	<-stopped.ended
	stopped.end = nil
	take(t, next, false, one)
	last := claimedUntil(t, db, one)
	testwait.Until(t, "the last lease to be over", func() bool { return isPast(t, db, last) })
	take(t, next, true, one)
	take(t, next, false, two)
	// It comes back: the claim is another's now.
	take(t, stopped, false, one)
	if err := stopped.Release(t.Context(), []pipeline.Key{one}); err != nil {
		t.Fatal(err)
	}
	take(t, alive, false, one)
}
