// Package enginetest is what every engine of a cluster must do: carry batches and keep
// builds going while workers, the server and drivers fail.
package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

// Setup is where an engine carries things in a test.
type Setup struct {
	// Address is what Dial of this package's user takes.
	Address string
	// Dial connects to it. What is dead is found dead within seconds, and batches at
	// work have two seconds when a worker ends.
	Dial func(ctx context.Context, address string, log slog.Handler) (cluster.Engine, error)
	// Restart kills the server as a crash does, and starts it again after a while.
	Restart func(t testing.TB, after time.Duration)
	// Ended waits for the end of a batch or build of a queue, and says whether it came
	// because somebody wanted it.
	Ended func(t testing.TB, queue, name string) (stopped bool, err error)
	// Silence is when a worker counts as dead.
	Silence time.Duration
}

// childVariable holds the orders of a child process that is a worker.
const childVariable = "MEMFORGE_ENGINE_WORKER"

func (s Setup) dial(t testing.TB) cluster.Engine {
	t.Helper()
	e, err := s.Dial(t.Context(), s.Address, slog.DiscardHandler)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// Queue is the name of a queue of the test.
func Queue(t testing.TB) string {
	return strings.Trim(regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(t.Name()), "-"), "-")
}

// workerOrders are what a child process is told.
type workerOrders struct {
	Address string
	Queues  []cluster.Queue
	Dir     string // where it writes what it does, and reads when a build may end
	Takes   time.Duration
}

// child starts a worker in a process of its own.
func child(t *testing.T, s Setup, o workerOrders) *exec.Cmd {
	t.Helper()
	o.Address = s.Address
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	if err := testpostgres.StartChild(cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Signal(syscall.SIGKILL)
	})
	return cmd
}

// Child is a worker if this process was started as one: then it ends the process. TestMain
// calls it first.
func (s Setup) Child() {
	text := os.Getenv(childVariable)
	if text == "" {
		return
	}
	if err := s.work(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func (s Setup) work(text string) error {
	var o workerOrders
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	e, err := s.Dial(ctx, o.Address, slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 1}))
	if err != nil {
		return err
	}
	return errors.Join(e.Work(ctx, o.Queues, workerLog{o.Dir, o.Takes}), e.Close())
}

// Handlers are a worker in this process.
type Handlers struct {
	OnHandle func(context.Context, pipeline.Digest) (pipeline.Digest, error)
	OnDrive  func(context.Context, string) error
}

// Handle does what the test says.
func (h Handlers) Handle(ctx context.Context, p pipeline.Digest) (pipeline.Digest, error) {
	return h.OnHandle(ctx, p)
}

// Coordinate does what the test says.
func (h Handlers) Coordinate(ctx context.Context, build string) error { return h.OnDrive(ctx, build) }

// startWorker starts a worker in this process, and gives what ends it.
func startWorker(t testing.TB, e cluster.Engine, q cluster.Queue, h cluster.Handlers) (end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- e.Work(ctx, []cluster.Queue{q}, h) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the worker ended with %v", err)
		}
	})
	t.Cleanup(end)
	return end
}

func taskBatch(t testing.TB, n int) pipeline.Digest {
	return pipeline.DigestOf(fmt.Appendf(nil, "%s %d", t.Name(), n))
}

// carryAll carries batches, a few at a time, and wants the answer to each.
func carryAll(t *testing.T, e cluster.Engine, queue string, count int) {
	t.Helper()
	var work sync.WaitGroup
	places := make(chan struct{}, 16)
	for n := range count {
		places <- struct{}{}
		work.Go(func() {
			defer func() { <-places }()
			p := taskBatch(t, n)
			if reply, err := e.SendBatch(t.Context(), queue, p); err != nil || reply != ReplyTo(p) {
				t.Errorf("batch %d: %s, %v", n, reply, err)
			}
		})
	}
	work.Wait()
}

// Benchmark tells what it takes to carry a batch that is handled in no time: the processor
// time of the server, and that of the driver and the worker, which are this process.
func (s Setup) Benchmark(b *testing.B, server func() time.Duration) {
	e := s.dial(b)
	queue := fmt.Sprintf("bench-%d", time.Now().UnixNano())
	startWorker(b, s.dial(b), cluster.Queue{Name: queue, Slots: 8}, Handlers{OnHandle: func(_ context.Context, p pipeline.Digest) (pipeline.Digest, error) {
		return ReplyTo(p), nil
	}})
	carry := func(from, to int) {
		var work sync.WaitGroup
		places := make(chan struct{}, 16)
		for n := from; n < to; n++ {
			places <- struct{}{}
			work.Go(func() {
				defer func() { <-places }()
				if _, err := e.SendBatch(b.Context(), queue, pipeline.DigestOf(fmt.Appendf(nil, "%s %d", queue, n))); err != nil {
					b.Error(err)
				}
			})
		}
		work.Wait()
	}
	carry(-50, 0)
	before, own := server(), ownProcessorTime(b)
	b.ResetTimer()
	carry(0, b.N)
	b.StopTimer()
	per := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(b.N) }
	b.ReportMetric(per(server()-before), "server-ms/op")
	b.ReportMetric(per(ownProcessorTime(b)-own), "own-ms/op")
}

func ownProcessorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ReplyTo is the reply to a batch.
func ReplyTo(batch pipeline.Digest) pipeline.Digest {
	return pipeline.DigestOf([]byte("reply to " + batch))
}
