package ledger

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

// sharing opens a ledger several times: owners of claims of their own.
func sharing(t *testing.T, place string, n int) []*Ledger {
	t.Helper()
	all := make([]*Ledger, n)
	for i := range all {
		all[i] = openAt(t, place)
	}
	return all
}

func claim(t *testing.T, l *Ledger, want bool, keys ...pipeline.Key) {
	t.Helper()
	if got, err := l.Claim(t.Context(), keys...); (got != nil) != want || err != nil {
		t.Errorf("claimed %t, want %t (%v)", got != nil, want, err)
	}
}

func keyOf(sample int) pipeline.Key {
	return Key(pipeline.Request{Host: "h", Task: "t", Sample: sample})
}

func TestAClaimIsHeldByOne(t *testing.T) { EachKind(t, testAClaimIsHeldByOne) }

func testAClaimIsHeldByOne(t *testing.T, fresh func() string) {
	both := sharing(t, fresh(), 2)
	a, b := both[0], both[1]
	one, two, three := keyOf(1), keyOf(2), keyOf(3)
	claim(t, a, true, one, two)
	claim(t, a, true, one) // its own
	claim(t, b, false, two)
	claim(t, b, false, three, two) // all or none
	claim(t, a, true, three)
	if err := a.Release(t.Context(), one, two, three); err != nil {
		t.Fatal(err)
	}
	claim(t, b, true, one, two)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	claim(t, a, true, one)
}

// TestAClaimOutlivesItsLeaseWhileItsOwnerLives and is taken over once it does not.
func TestAClaimOutlivesItsLeaseWhileItsOwnerLives(t *testing.T) {
	all := sharing(t, t.TempDir(), 3)
	stopped, killed, next := all[0], all[1], all[2]
	for _, l := range all {
		claimsOf(l).lease = 600 * time.Millisecond
	}
	one, two := keyOf(1), keyOf(2)
	claim(t, stopped, true, one)
	claim(t, killed, true, two)
	first := claimedUntil(t, stopped, one)
	testwait.Until(t, "a renewal and what would have been the end", func() bool {
		return claimedUntil(t, stopped, one).After(first) && time.Now().After(first)
	})
	claim(t, next, false, one)
	// The kernel takes the lock of a process that was killed.
	if err := claimsOf(killed).lock.Release(); err != nil {
		t.Fatal(err)
	}
	claim(t, next, true, two)
	// One that was stopped renews nothing and keeps its lock.
	close(claimsOf(stopped).end)
	<-claimsOf(stopped).ended
	claim(t, next, false, one)
	last := claimedUntil(t, stopped, one)
	testwait.Until(t, "the last lease to be over", func() bool { return time.Now().After(last) })
	claim(t, next, true, one)
	for _, l := range []*Ledger{stopped, killed} {
		claimsOf(l).db = nil // as after their end
	}
}

// claimedUntil returns when the lease of a claim ends.
func claimedUntil(t *testing.T, l *Ledger, key pipeline.Key) time.Time {
	t.Helper()
	raw, err := encodeKey(key)
	if err != nil {
		t.Fatal(err)
	}
	var until int64
	if err := claimsOf(l).db.QueryRow(`SELECT until FROM claims WHERE key = ?`, raw).Scan(&until); err != nil {
		t.Fatal(err)
	}
	return time.UnixMilli(until)
}

// TestABatchIsBegunOnce: marks are set for all requests or none, and not for what a
// build is asking.
func TestABatchIsBegunOnce(t *testing.T) { EachKind(t, testABatchIsBegunOnce) }

func testABatchIsBegunOnce(t *testing.T, fresh func() string) {
	both := sharing(t, fresh(), 2)
	a, b := both[0], both[1]
	var keys []pipeline.Key
	for i := range 3 {
		r := pipeline.Request{Host: "h", Task: "t", Sample: i}
		keys = append(keys, Key(r))
		if err := a.AddPending(t.Context(), Pending{Key: Key(r), Name: "m", Request: r, Body: []byte(`{}`)}); err != nil {
			t.Fatal(err)
		}
	}
	begin := func(l *Ledger, id string, keys ...pipeline.Key) *TakenError {
		t.Helper()
		err := l.BeginBatch(t.Context(), Batch{ID: id, Name: "m", Requests: len(keys)}, keys)
		var taken *TakenError
		if err != nil && !errors.As(err, &taken) {
			t.Fatal(err)
		}
		return taken
	}
	claim(t, b, true, keys[2])
	if e := begin(a, "first", keys...); e == nil || e.Asked != 1 || e.Requests != 3 {
		t.Errorf("while a build asks one: %v", e)
	}
	if err := b.Release(t.Context(), keys[2]); err != nil {
		t.Fatal(err)
	}
	if e := begin(a, "first", keys[:2]...); e != nil {
		t.Error(e)
	}
	if e := begin(b, "second", keys...); e == nil || e.Taken != 2 || e.Batch != "first" {
		t.Errorf("a batch of requests that another one holds: %v", e)
	}
	if in, waits, err := b.FindBatch(t.Context(), keys[2]); in != "" || !waits || err != nil {
		t.Errorf("a batch that was refused left a mark: %q, %v", in, err)
	}
	if e := begin(b, "third", keyOf(99)); e == nil || e.Gone != 1 {
		t.Errorf("a request that does not wait: %v", e)
	}
	if err := a.ConfirmBatch(t.Context(), "first", Batch{ID: "batch_1", Name: "m", State: "validating", Requests: 2}); err != nil {
		t.Fatal(err)
	}
	if err := a.DropPending(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := b.Batches(t.Context())
	if err != nil || len(all) != 1 || all[0].ID != "batch_1" || all[0].Waiting != 2 {
		t.Errorf("batches %+v, %v", all, err)
	}
	if err := b.DropBatch(t.Context(), "batch_1"); err != nil {
		t.Fatal(err)
	}
	if e := begin(a, "fourth", keys[:2]...); e != nil {
		t.Errorf("after the batch was dropped: %v", e)
	}
}

// TestManyOpenANewLedgerAtOnce as builds do that start together.
func TestManyOpenANewLedgerAtOnce(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				l, err := Open(t.Context(), dir)
				if err != nil {
					t.Error(err)
					return
				}
				if _, err := l.Claim(t.Context(), keyOf(i)); err != nil {
					t.Error(err)
				}
				if err := l.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

func claimsOf(l *Ledger) *claims { return l.claims.(*claims) }

// Of many who claim overlapping lists at once each request has one owner at most, and
// nobody waits for one who waits.
func TestClaimsOfManyAtOnce(t *testing.T) { EachKind(t, testClaimsOfManyAtOnce) }

func testClaimsOfManyAtOnce(t *testing.T, fresh func() string) {
	all := sharing(t, fresh(), 4)
	var asked [10]atomic.Int64
	var work sync.WaitGroup
	for w, l := range all {
		work.Go(func() {
			for n := range 30 {
				a, b := (w+n)%10, (3*w+7*n+1)%10
				standing, err := l.Claim(t.Context(), keyOf(a), keyOf(b))
				if err != nil {
					t.Error(err)
					return
				}
				if standing == nil {
					continue
				}
				for _, k := range slices.Compact([]int{a, b}) {
					if asked[k].Add(1) > 1 {
						t.Errorf("request %d is asked by two", k)
					}
				}
				for _, k := range slices.Compact([]int{a, b}) {
					asked[k].Add(-1)
				}
				if err := l.Release(t.Context(), keyOf(a), keyOf(b)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
}

// What is asked while the server restarts is claimed, recorded and found.
func TestSharedLedgerWhileTheServerRestarts(t *testing.T) {
	l := openAt(t, testpostgres.URL(t))
	ended, enough := make(chan error, 1), make(chan struct{})
	var recorded atomic.Int64
	go func() { ended <- recordUntil(t, l, enough, &recorded) }()
	more := func() {
		t.Helper()
		before := recorded.Load()
		testwait.Until(t, "recorded calls", func() bool { return recorded.Load() >= before+5 || len(ended) > 0 })
	}
	for range 2 {
		more()
		testpostgres.Restart(t, 100*time.Millisecond)
	}
	more()
	close(enough)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// recordUntil records calls until it is enough, and then finds all of them.
func recordUntil(t *testing.T, l *Ledger, enough <-chan struct{}, recorded *atomic.Int64) error {
	var keys []pipeline.Key
	for going := true; going; recorded.Add(1) {
		select {
		case <-enough:
			going = false
		default:
		}
		r := pipeline.Request{Host: "h", Task: "t", Sample: len(keys)}
		keys = append(keys, Key(r))
		if standing, err := l.Claim(t.Context(), Key(r)); err != nil || standing == nil {
			return fmt.Errorf("claim: %t, %w", standing != nil, err)
		}
		e := Entry{Key: Key(r), Step: "n", Item: "i", Request: r, Reply: pipeline.Reply{Outcome: model.OK, Text: "x"}}
		_, err := l.Record(t.Context(), e)
		if err = errors.Join(err, l.Release(t.Context(), Key(r))); err != nil {
			return err
		}
	}
	for _, k := range keys {
		if _, ok, err := l.Find(t.Context(), k); !ok || err != nil {
			return fmt.Errorf("%s: %t, %w", k, ok, err)
		}
	}
	return nil
}
