package sharedlimit

import (
	"context"
	"encoding/binary"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/model/limit"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

func TestMain(m *testing.M) { os.Exit(testpostgres.RunTests(m)) }

func open(t *testing.T, url string) *State {
	t.Helper()
	b, err := Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// count adds one to a number on a board.
func count(ctx context.Context, b *State) (n uint64, err error) {
	err = b.Change(ctx, "number", func(kept []byte, _ time.Time) ([]byte, error) {
		n = 1
		if kept != nil {
			n = binary.BigEndian.Uint64(kept) + 1
		}
		return binary.BigEndian.AppendUint64(nil, n), nil
	})
	return n, err
}

// Changes by several who change at once are all made, none on what another replaced.
func TestChangesFollowEachOther(t *testing.T) {
	url := testpostgres.URL(t)
	const boards, times = 4, 25
	var work sync.WaitGroup
	all := make([]*State, boards)
	for i := range all {
		all[i] = open(t, url)
	}
	for _, b := range all {
		work.Go(func() {
			for range times {
				if _, err := count(t.Context(), b); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	if n, err := count(t.Context(), open(t, url)); n != boards*times+1 || err != nil {
		t.Errorf("%d changes, %v, want %d", n, err, boards*times+1)
	}
}

// A change is made again when another one came between its reading and its writing: also
// when both are the first.
func TestAChangeInBetweenIsSeen(t *testing.T) {
	url := testpostgres.URL(t)
	a, b := open(t, url), open(t, url)
	for range 3 {
		var seen [][]byte
		err := a.Change(t.Context(), "letters", func(kept []byte, _ time.Time) ([]byte, error) {
			seen = append(seen, kept)
			if len(seen) == 1 {
				err := b.Change(t.Context(), "letters", func(kept []byte, _ time.Time) ([]byte, error) { return append(kept, 'b'), nil })
				if err != nil {
					t.Error(err)
				}
			}
			return append(kept, 'a'), nil
		})
		if err != nil || len(seen) != 2 || string(seen[1]) != string(seen[0])+"b" {
			t.Errorf("it was made on %q, %v, want on what was there and on that of the other", seen, err)
		}
	}
	err := a.Change(t.Context(), "letters", func(kept []byte, _ time.Time) ([]byte, error) {
		if string(kept) != "bababa" {
			t.Errorf("%q is kept, want bababa", kept)
		}
		return kept, nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A server that restarts is waited for. What was changed right before may be changed
// once more, and nothing is lost.
func TestServerRestarts(t *testing.T) {
	b := open(t, testpostgres.URL(t))
	back, ended := make(chan struct{}), make(chan struct{})
	var made atomic.Uint64
	var over atomic.Bool
	go func() {
		defer close(ended)
		defer over.Store(true)
		var last uint64
		for more := 3; more > 0; made.Add(1) {
			select {
			case <-back:
				more--
			default:
			}
			n, err := count(t.Context(), b)
			if err != nil || n <= last {
				t.Errorf("%d after %d, %v", n, last, err)
				return
			}
			last = n
		}
		if last > made.Load()+1 {
			t.Errorf("%d changes were made of %d", last, made.Load())
		}
	}()
	testwait.Until(t, "changes before the restart", func() bool { return made.Load() >= 10 || over.Load() })
	testpostgres.Restart(t, 200*time.Millisecond)
	close(back)
	<-ended
}

// No table holds a key of a server, and all who share a database name it alike.
func TestSecretsAreConcealed(t *testing.T) {
	const secret = "sk-0123456789"
	url := testpostgres.URL(t)
	a, b := open(t, url), open(t, url)
	if got := a.Conceal(secret); got != b.Conceal(secret) || got == a.Conceal("another") || strings.Contains(got, secret) || len(got) != 8 {
		t.Errorf("named %s and %s", got, b.Conceal(secret))
	}
	if other := open(t, testpostgres.URL(t)); other.Conceal(secret) == a.Conceal(secret) {
		t.Error("two databases have one salt")
	}
}

func TestForFolder(t *testing.T) {
	b, closeBoard, err := OpenFor(t.Context(), t.TempDir())
	if b != nil || err != nil {
		t.Fatalf("%v, %v", b, err)
	}
	if err := closeBoard(); err != nil {
		t.Error(err)
	}
}

const childVariable = "MEMFORGE_TEST_ALLOWANCE"

// limiter is one that allows 20 requests a second.
func limiter(b *State) *limit.Limiter {
	return limit.New(limit.Config{Shared: b, Name: "server", RequestsPerMinute: 1200})
}

// ask sends requests as quickly as they are let through, for a while.
func ask(ctx context.Context, t *testing.T, l *limit.Limiter, d time.Duration) (n int) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for {
		p, err := l.Wait(ctx, 1)
		if err != nil {
			if ctx.Err() == nil {
				t.Error(err)
			}
			return n
		}
		n++
		p.Answered(limit.Signal{}, 1)
	}
}

// While the database is away nobody goes beyond what it holds, and all go on when it is
// back.
func TestLimitHoldsThroughARestart(t *testing.T) {
	url := testpostgres.URL(t)
	var asked [2]int
	var work sync.WaitGroup
	began := time.Now()
	for i := range asked {
		l := limiter(open(t, url))
		work.Go(func() { asked[i] = ask(t.Context(), t, l, 4*time.Second) })
	}
	time.Sleep(time.Second)
	testpostgres.Restart(t, 1500*time.Millisecond)
	back := time.Since(began)
	work.Wait()
	sent, most := asked[0]+asked[1], 20*time.Since(began).Seconds()
	// It was away for 1.5 seconds, and what was held is that of one.
	if float64(sent) > most-5 || float64(sent) < 25 {
		t.Errorf("%v requests in %v at 20 a second, with the database back after %v", asked, time.Since(began), back)
	}
}

// What a process held that was killed is the others' after a moment; until then it is
// part of what all have.
func TestKilledProcessGivesItsPartBack(t *testing.T) {
	url := os.Getenv(childVariable)
	if url != "" {
		ask(t.Context(), t, limiter(open(t, url)), time.Minute)
		return
	}
	url = testpostgres.URL(t)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledProcessGivesItsPartBack$")
	child.Env = append(os.Environ(), childVariable+"="+url)
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	l := limiter(open(t, url))
	ask(t.Context(), t, l, 2*time.Second) // until both ask
	both := ask(t.Context(), t, l, 2*time.Second)
	_ = child.Process.Kill()
	_ = child.Wait()
	ask(t.Context(), t, l, 3*time.Second) // until its part has run out
	alone := ask(t.Context(), t, l, 2*time.Second)
	if both < 14 || both > 26 || alone < 30 || alone > 44 {
		t.Errorf("%d requests in 2 seconds beside another process, and %d after it was killed; want 20 and 40", both, alone)
	}
}
