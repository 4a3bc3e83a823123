//go:build river

package river

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/internal/postgres"
	"github.com/memforge/memforge/pipeline/testkit/enginetest"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

func TestMain(m *testing.M) {
	enginetest.Setup{Dial: dial}.Child()
	os.Exit(testpostgres.RunTests(m))
}

// silence is when a worker is dead in tests.
const silence = 3 * time.Second

func dial(ctx context.Context, address string, log slog.Handler) (cluster.Engine, error) {
	e, err := Dial(ctx, address, log, 2*time.Second)
	if err != nil {
		return nil, err
	}
	e.beat, e.silence = silence/6, silence
	return e, nil
}

func started(t testing.TB) enginetest.Setup {
	s := enginetest.Setup{Address: "river" + strings.TrimPrefix(testpostgres.URL(t), "postgres"), Dial: dial, Restart: testpostgres.Restart, Silence: silence}
	s.Ended = func(t testing.TB, queue, name string) (bool, error) {
		state := ""
		e := connect(t, s)
		var err error
		testwait.Poll(time.Minute, func() bool {
			err = e.pool.QueryRow(t.Context(), `SELECT state::text FROM river_job WHERE queue = $1 AND $2 IN (args->>'parcel', args->>'build') ORDER BY id DESC LIMIT 1`, queue, name).Scan(&state)
			return err != nil || state == "completed" || state == "cancelled"
		})
		return state == "cancelled", err
	}
	return s
}

func connect(t testing.TB, s enginetest.Setup) *Engine {
	t.Helper()
	e, err := dial(t.Context(), s.Address, slog.DiscardHandler)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e.(*Engine)
}

func TestCarryByTwoWorkers(t *testing.T) { enginetest.CarryByTwoWorkers(t, started(t)) }

func TestCarryWhenWorkersFail(t *testing.T) { enginetest.CarryWhenWorkersFail(t, started(t)) }

func TestCarryWhenTheServerRestarts(t *testing.T) {
	enginetest.CarryWhenTheServerRestarts(t, started(t))
}

func TestCarryTheSameTwice(t *testing.T) { enginetest.CarryTheSameTwice(t, started(t)) }

func TestCarryMoves(t *testing.T) { enginetest.CarryMoves(t, started(t)) }

func TestDriverFails(t *testing.T) { enginetest.DriverFails(t, started(t)) }

func TestBuildIsCancelled(t *testing.T) { enginetest.BuildIsCancelled(t, started(t)) }

func TestDriverOutlivesTheServer(t *testing.T) { enginetest.DriverOutlivesTheServer(t, started(t)) }

func TestCarryErrors(t *testing.T) {
	s := started(t)
	batches := enginetest.CarryErrors(t, s)
	var rows int
	var told bool
	err := connect(t, s).pool.QueryRow(t.Context(), `SELECT count(*), bool_or(to_jsonb(j)::text LIKE '%green%') FROM river_job j`).Scan(&rows, &told)
	if err != nil || rows != len(batches) || told {
		t.Errorf("%d jobs for %d batches, text of an error in one: %t, %v", rows, len(batches), told, err)
	}
}

// A worker that stood still and comes back changes nothing of what another one has.
func TestLateWorkerIsIgnored(t *testing.T) {
	s := started(t)
	silent, other := connect(t, s), connect(t, s)
	silent.beat = time.Hour
	late, begun, done := make(chan struct{}), make(chan struct{}, 2), make(chan struct{})
	works := func(e *Engine, until <-chan struct{}, reply func(pipeline.Digest) pipeline.Digest) (end func()) {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		h := enginetest.Handlers{OnHandle: func(_ context.Context, p pipeline.Digest) (pipeline.Digest, error) {
			begun <- struct{}{}
			<-until
			return reply(p), nil
		}}
		go func() { ended <- e.Work(ctx, []cluster.Queue{{Name: "late", Slots: 1}}, h) }()
		end = sync.OnceFunc(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
		t.Cleanup(end)
		return end
	}
	endSilent := works(silent, late, func(pipeline.Digest) pipeline.Digest { return pipeline.DigestOf([]byte("late")) })
	p := pipeline.DigestOf([]byte(t.Name()))
	replies := make(chan pipeline.Digest, 1)
	go func() {
		reply, err := other.SendBatch(t.Context(), "late", p)
		if err != nil {
			t.Error(err)
		}
		replies <- reply
	}()
	<-begun
	works(other, done, enginetest.ReplyTo)
	<-begun
	close(late)
	endSilent() // a worker that ends writes down what it did
	var running int
	if err := other.pool.QueryRow(t.Context(), `SELECT count(*) FROM river_job WHERE state = 'running'`).Scan(&running); err != nil || running != 1 {
		t.Errorf("%d jobs are at work, want that of the other worker: %v", running, err)
	}
	close(done)
	if reply := <-replies; reply != enginetest.ReplyTo(p) {
		t.Errorf("the reply is %s, not that of the other worker", reply)
	}
}

// Nobody counts as silent because the server was away for longer than silence lasts.
func TestLongRestart(t *testing.T) {
	s := started(t)
	slow, fast := connect(t, s), connect(t, s)
	slow.beat, fast.beat = silence*5/6, silence/30
	begun, end := make(chan *Engine, 9), make(chan struct{})
	for _, e := range []*Engine{slow, fast} {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		h := enginetest.Handlers{OnDrive: func(ctx context.Context, _ string) error {
			begun <- e
			select {
			case <-end:
			case <-ctx.Done():
			}
			return ctx.Err()
		}}
		go func() { ended <- e.Work(ctx, []cluster.Queue{{Name: "long", Drives: true, Slots: 1}}, h) }()
		t.Cleanup(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
		if e == slow {
			if err := e.Start(t.Context(), "long", "b"); err != nil {
				t.Fatal(err)
			}
			if by := <-begun; by != slow {
				t.Fatal("the only worker does not drive")
			}
		}
	}
	beats := map[time.Time]bool{} // the first comes before a worker has begun, one may be that of the slow one
	testwait.Until(t, "heartbeats of both workers", func() bool {
		var known int
		var last time.Time
		if err := fast.pool.QueryRow(t.Context(), `SELECT count(*), max(at) FROM workers`).Scan(&known, &last); err != nil {
			t.Fatal(err)
		}
		beats[last] = known == 2
		return known == 2 && len(beats) > 4
	})
	testpostgres.Restart(t, silence+time.Second)
	time.Sleep(2 * silence) // the time after which a worker counts as dead must pass
	close(end)
	if stopped, err := s.Ended(t, "long", "b"); stopped || err != nil || len(begun) != 0 {
		t.Errorf("the build was stopped: %t, and begun %d times more: %v", stopped, len(begun), err)
	}
}

func TestDialRefuses(t *testing.T) {
	var open *postgres.OpenError
	if _, err := Dial(t.Context(), "river://m@127.0.0.1:1/db", slog.DiscardHandler, 0); !errors.As(err, &open) {
		t.Errorf("no server: %v", err)
	}
	if _, err := Dial(t.Context(), "river://m:hush@h/db", slog.DiscardHandler, 0); err == nil || strings.Contains(err.Error(), "hush") {
		t.Errorf("a password in a URL: %v", err)
	}
}

func BenchmarkCarry(b *testing.B) {
	started(b).Benchmark(b, func() time.Duration { return serverTime(b) })
}

// serverTime is that of PostgreSQL: its first process counts those that ended.
func serverTime(b *testing.B) (d time.Duration) {
	text, err := os.ReadFile(filepath.Join(testpostgres.Folder(), "data", "postmaster.pid"))
	if err != nil {
		b.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		b.Fatal(err)
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		pid, rest, _ := strings.Cut(string(text), " ")
		_, rest, _ = strings.Cut(rest, ") ")
		fields := strings.Fields(rest)
		take := fields[11:13]
		if pid == first {
			take = fields[11:15]
		} else if fields[1] != first {
			continue
		}
		for _, f := range take {
			ticks, err := strconv.Atoi(f)
			if err != nil {
				b.Fatal(err)
			}
			d += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return d
}
