package cluster

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/pipeline/store"
)

// WorkerOptions of a worker.
type WorkerOptions struct {
	Registry *pipeline.Registry
	Store    store.Store
	Board    *clusterstate.SharedState
	Engine   Engine
	// Ledger is the place of the ledger that all workers share.
	Ledger string
	// Slots is how many tasks run at once, by resource: those of a resource that is not
	// in it go to other workers. Drives says that it drives builds too.
	Slots  map[pipeline.Resource]int
	Drives bool
	// Getenv reads the keys of models.
	Getenv func(string) string
	// Code is the exit code of an error.
	Code func(error) int
	// Log is told what the worker does. No text of a dataset is in it, except in errors.
	Log *slog.Logger
}

// Worker executes tasks, and drives builds. It is Handlers.
type Worker struct {
	WorkerOptions
	id      string
	program Program
	slots   map[pipeline.Resource]chan struct{}
	mu      sync.Mutex
	sites   map[string]*buildRuntime // by run
	broken  context.CancelCauseFunc
	leaving chan struct{} // closed once the worker takes nothing new
}

// NewWorker makes a worker. It does no I/O but asks tools for their versions.
func NewWorker(ctx context.Context, o WorkerOptions) (*Worker, error) {
	program, err := ProgramOf(ctx, o.Registry, o.Board)
	if err != nil {
		return nil, err
	}
	id, err := newID()
	if err != nil {
		return nil, err
	}
	w := &Worker{WorkerOptions: o, id: id, program: program, slots: map[pipeline.Resource]chan struct{}{}, sites: map[string]*buildRuntime{}, leaving: make(chan struct{})}
	for r, n := range o.Slots {
		w.slots[r] = make(chan struct{}, n)
	}
	return w, nil
}

// newID names a process: what the machine is called, for people, and chance.
func newID() (string, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	var b [6]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return host + "-" + hex.EncodeToString(b[:]), nil
}

// announced is how long a worker counts that says nothing.
const announced = 20 * time.Second

// Run serves queues until ctx ends, or until the machine turns out to be unfit, such as
// when its disk is full: that is an error, and the tasks go to other workers.
func (w *Worker) Run(ctx context.Context) error {
	ctx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	w.broken = broken
	context.AfterFunc(ctx, func() { close(w.leaving) })
	if err := w.announce(ctx); err != nil {
		return err
	}
	var beat sync.WaitGroup
	beat.Go(func() { w.beat(ctx) })
	w.Log.Info("worker is ready", "id", w.id, "program", w.program.Name, "slots", w.Slots, "drives", w.Drives)
	err := w.Engine.Work(ctx, w.queues(), w)
	var unfit *unfitError
	if cause := context.Cause(ctx); errors.As(cause, &unfit) {
		err = errors.Join(unfit, err)
	}
	broken(nil)
	beat.Wait()
	return errors.Join(err, w.leaveBoard(ctx), w.close())
}

// farewell is how long a worker that ends waits for the database: it is taken for gone
// soon after anyway.
const farewell = 5 * time.Second

func (w *Worker) leaveBoard(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	return w.Board.Leave(ctx, w.id)
}

func (w *Worker) queues() (all []Queue) {
	for _, r := range resources {
		if w.Slots[r] > 0 {
			all = append(all, Queue{Name: w.program.queue(string(r)), Slots: held})
		}
	}
	if w.Drives {
		all = append(all, Queue{Name: w.program.queue(drives), Drives: true, Slots: 4})
	}
	return all
}

func (w *Worker) announce(ctx context.Context) error {
	return w.Board.Announce(ctx, clusterstate.Worker{ID: w.id, Program: w.program.Name, Versions: w.program.Versions, Slots: w.Slots, Drives: w.Drives}, announced)
}

// beat says again and again that the worker lives.
func (w *Worker) beat(ctx context.Context) {
	tick := time.NewTicker(announced / 4)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if err := w.announce(ctx); err != nil && ctx.Err() == nil {
				w.Log.Warn("announce the worker", "error", err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// unfitError says that a worker ended because of its machine.
type unfitError struct{ err error }

func (e *unfitError) Error() string {
	return fmt.Sprintf("this machine cannot go on, so its tasks go to other workers: %v", e.err)
}

func (e *unfitError) Unwrap() error { return e.err }
