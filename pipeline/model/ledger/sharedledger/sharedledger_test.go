package sharedledger

import (
	"os"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

func TestMain(m *testing.M) { os.Exit(testpostgres.RunTests(m)) }

func take(t *testing.T, c *leases, want bool, key pipeline.Key) {
	t.Helper()
	if got, err := c.Claim(t.Context(), []pipeline.Key{key}); got != want || err != nil {
		t.Errorf("claimed %t, want %t (%v)", got, want, err)
	}
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
	time.Sleep(900 * time.Millisecond)
	take(t, next, false, one)
	// One that was killed or stopped renews nothing.
	close(stopped.end)
	<-stopped.ended
	stopped.end = nil
	take(t, next, false, one)
	time.Sleep(700 * time.Millisecond)
	take(t, next, true, one)
	take(t, next, false, two)
	// It comes back: the claim is another's now.
	take(t, stopped, false, one)
	if err := stopped.Release(t.Context(), []pipeline.Key{one}); err != nil {
		t.Fatal(err)
	}
	take(t, alive, false, one)
}
