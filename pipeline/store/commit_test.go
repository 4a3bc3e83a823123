package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/storetest"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

func TestCommitRefuses(t *testing.T) { eachKind(t, testCommitRefuses) }

func testCommitRefuses(t *testing.T, k kind) {
	absent := pipeline.DigestOf([]byte("absent"))
	good := storetest.Outcome(t, "good")
	for name, bad := range map[string]pipeline.Committed{
		"result's blob absent":   {Result: pipeline.Result{Key: storetest.KeyOf("bad"), Blobs: []pipeline.Digest{absent}}},
		"record's blob absent":   storetest.Outcome(t, "bad", absent),
		"record nowhere":         {Result: pipeline.Result{Key: storetest.KeyOf("bad"), Outputs: []pipeline.Ref{{ID: "x", Digest: absent}}}},
		"key is no key":          {Result: pipeline.Result{Key: "bad"}},
		"blob is no digest":      {Result: pipeline.Result{Key: storetest.KeyOf("bad"), Blobs: []pipeline.Digest{"../x"}}},
		"output is no digest":    {Result: pipeline.Result{Key: storetest.KeyOf("bad"), Outputs: []pipeline.Ref{{ID: "x", Digest: "y"}}}},
		"record data is no JSON": {Result: pipeline.Result{Key: storetest.KeyOf("bad")}, Records: []pipeline.Record{{ID: "x", Schema: "y", Data: []byte("{")}}},
	} {
		t.Run(name, func(t *testing.T) {
			d := k.open(t)
			if err := d.Commit(context.Background(), []pipeline.Committed{good, bad}); err == nil {
				t.Error("no error")
			}
			if got := storetest.LookUp(t, d, "good", "bad"); len(got) != 0 {
				t.Errorf("half a commit: %+v", got)
			}
			storetest.CommitAll(t, d, []pipeline.Committed{good})
		})
	}
}

func TestCommitOfEarlierRecord(t *testing.T) { eachKind(t, testCommitOfEarlierRecord) }

func testCommitOfEarlierRecord(t *testing.T, k kind) {
	d := k.open(t)
	blob := storetest.Put(t, d, "blob")
	first := storetest.Outcome(t, "first", blob)
	storetest.CommitAll(t, d, []pipeline.Committed{first})
	passed := pipeline.Committed{Result: pipeline.Result{Key: storetest.KeyOf("gate"), Outputs: first.Result.Outputs}}
	storetest.CommitAll(t, d, []pipeline.Committed{passed})
	if got := storetest.LookUp(t, d, "gate"); len(got) != 1 {
		t.Fatal("the second result is absent")
	}
	k.lose(t, d, blob)
	if got := storetest.LookUp(t, d, "gate"); len(got) != 0 {
		t.Error("the second result does not depend on the record's blob")
	}
}

func TestCancelledCommit(t *testing.T) { eachKind(t, testCancelledCommit) }

func testCancelledCommit(t *testing.T, k kind) {
	d := k.open(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := d.Commit(ctx, []pipeline.Committed{storetest.Outcome(t, "one")}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if got := storetest.LookUp(t, d, "one"); len(got) != 0 {
		t.Error("a cancelled commit left a result")
	}
}

// Commits that wait for another share a transaction; one that cannot be made
// takes none with it.
func TestCommitsShareATransaction(t *testing.T) {
	d := open(t, t.TempDir())
	cancelled, cancel := context.WithCancelCause(context.Background())
	why := errors.New("not wanted any more")
	const n = 6
	errs := make([]error, n)
	var work sync.WaitGroup
	d.write.mu.Lock()
	for i := range n {
		work.Go(func() {
			ctx := context.Background()
			if i == 2 {
				ctx = cancelled
			}
			errs[i] = d.Commit(ctx, []pipeline.Committed{storetest.Outcome(t, fmt.Sprint(i)), storetest.Outcome(t, "of all")})
		})
	}
	testwait.Until(t, "all commits to wait", func() bool {
		d.write.queue.Lock()
		defer d.write.queue.Unlock()
		return len(d.write.shares) == n
	})
	cancel(why)
	d.write.mu.Unlock()
	work.Wait()
	for i, err := range errs {
		got, lookErr := d.Results(context.Background(), []pipeline.Key{storetest.KeyOf(fmt.Sprint(i))})
		if lookErr != nil {
			t.Fatal(lookErr)
		}
		if i == 2 {
			if !errors.Is(err, why) || len(got) != 0 {
				t.Errorf("the cancelled commit gave %v and %d results", err, len(got))
			}
			continue
		}
		if err != nil || len(got) != 1 {
			t.Errorf("commit %d gave %v and %d results", i, err, len(got))
		}
	}
	if _, err := d.Records(context.Background(), []pipeline.Digest{storetest.Outcome(t, "of all").Result.Outputs[0].Digest}); err != nil {
		t.Error(err)
	}
}

// What comes again at once is not synced by itself; whatever stands beside it is.
func TestOnlyInstantResultsGoUnsynced(t *testing.T) {
	d := open(t, t.TempDir())
	instant := func(name string) pipeline.Committed {
		o := storetest.Outcome(t, name)
		o.Instant = true
		return o
	}
	const normal, full = 1, 2
	for _, step := range []struct {
		name string
		add  []pipeline.Committed
		want int
	}{
		{"slow", []pipeline.Committed{storetest.Outcome(t, "a")}, full},
		{"instant", []pipeline.Committed{instant("b"), instant("c")}, normal},
		{"both", []pipeline.Committed{instant("d"), storetest.Outcome(t, "e")}, full},
		{"instant again", []pipeline.Committed{instant("f")}, normal},
	} {
		storetest.CommitAll(t, d, step.add)
		if got := synced(t, d); got != step.want {
			t.Errorf("%s: committed with synchronous=%d, want %d", step.name, got, step.want)
		}
	}
	if err := d.SaveBuild(context.Background(), pipeline.Build{}); err != nil {
		t.Fatal(err)
	}
	if got := synced(t, d); got != full {
		t.Errorf("a build was saved with synchronous=%d", got)
	}
}

// synced is the mode of the last transaction.
func synced(t *testing.T, d *Disk) (mode int) {
	t.Helper()
	if err := d.write.conn.QueryRowContext(context.Background(), `PRAGMA synchronous`).Scan(&mode); err != nil {
		t.Fatal(err)
	}
	return mode
}
