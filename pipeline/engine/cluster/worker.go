package cluster

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/pipeline/store"
)

// WorkerOptions of a worker.
type WorkerOptions struct {
	Registry *pipeline.Registry
	Store    store.Store
	State    *clusterstate.SharedState
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
	id       string
	program  Program
	slots    map[pipeline.Resource]chan struct{}
	mu       sync.Mutex
	runtimes map[string]*buildRuntime // by run
	broken   context.CancelCauseFunc
	leaving  chan struct{} // closed once the worker takes nothing new
}

// NewWorker makes a worker. It does no I/O but asks tools for their versions.
func NewWorker(ctx context.Context, o WorkerOptions) (*Worker, error) {
	program, err := ProgramOf(ctx, o.Registry, o.State)
	if err != nil {
		return nil, err
	}
	id, err := newID()
	if err != nil {
		return nil, err
	}
	w := &Worker{WorkerOptions: o, id: id, program: program, slots: map[pipeline.Resource]chan struct{}{}, runtimes: map[string]*buildRuntime{}, leaving: make(chan struct{})}
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
	beat.Go(func() { w.heartbeat(ctx) })
	w.Log.Info("worker is ready", "id", w.id, "program", w.program.Name, "slots", w.Slots, "drives", w.Drives)
	err := w.Engine.Work(ctx, w.queues(), w)
	var unfit *unfitError
	if cause := context.Cause(ctx); errors.As(cause, &unfit) {
		err = errors.Join(unfit, err)
	}
	broken(nil)
	beat.Wait()
	return errors.Join(err, w.withdraw(ctx), w.close())
}

// farewell is how long a worker that ends waits for the database: it is taken for gone
// soon after anyway.
const farewell = 5 * time.Second

func (w *Worker) withdraw(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	return w.State.Leave(ctx, w.id)
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
	return w.State.Announce(ctx, clusterstate.Worker{ID: w.id, Program: w.program.Name, Versions: w.program.Versions, Slots: w.Slots, Drives: w.Drives}, announced)
}

func (w *Worker) heartbeat(ctx context.Context) {
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

// Handle implements Handlers: it executes the tasks of a batch, as many at once as the
// worker has slots for all of its batches.
func (w *Worker) Handle(ctx context.Context, name pipeline.Digest) (pipeline.Digest, error) {
	answer, err := w.handleBatch(ctx, name)
	switch {
	case err == nil, ctx.Err() != nil:
	case errors.Is(err, clusterstate.ErrNoBatch):
		err = &PermanentError{err}
	default:
		w.failed(err)
	}
	return answer, err
}

// failed ends a worker whose machine is unfit.
func (w *Worker) failed(err error) {
	w.Log.Warn("a batch or build goes to another worker", "error", err)
	if isUnfitWorker(err) {
		w.broken(&unfitError{err})
	}
}

func (w *Worker) handleBatch(ctx context.Context, name pipeline.Digest) (pipeline.Digest, error) {
	body, err := w.State.Batch(ctx, name)
	if err != nil {
		return "", err
	}
	p, err := decode[taskBatch](body)
	if err == nil && pipeline.DigestOf(body) != name {
		err = fmt.Errorf("batch %s was changed in the database", name)
	}
	if err != nil {
		return "", &PermanentError{err}
	}
	r, err := w.reply(ctx, p)
	if err != nil {
		return "", err
	}
	r.Batch = name
	answer, err := encode(r)
	if err != nil {
		return "", err
	}
	return w.State.PutReply(ctx, name, answer)
}

// reply opens what the run of a batch needs and executes its tasks. What no machine can
// open, as with a budget for a model without a price, is the error of each task.
func (w *Worker) reply(ctx context.Context, p taskBatch) (r reply, err error) {
	s, err := w.buildRuntime(ctx, p)
	switch {
	case err == nil:
	case ctx.Err() != nil || isMachineFault(err):
		return r, fmt.Errorf("open build %s: %w", p.Build, err)
	default:
		for i := range p.Tasks {
			r.fault(i, faultOf(err, w.Code))
		}
		return r, nil
	}
	defer w.releaseRuntime(p.Run, s, runtimeIdle)
	if r, err = w.execute(ctx, s.Runtime, p); err != nil {
		return r, err
	}
	r.Spent = s.TakeSpending()
	return r, nil
}

// leaves reports whether the worker ends. Models are asked nothing more then, and calls on
// their way have the order's grace to be answered.
func (w *Worker) leaves() bool {
	select {
	case <-w.leaving:
		return true
	default:
		return false
	}
}

// acquireSlot takes a slot, unless the context ends.
func acquireSlot(ctx context.Context, slots chan struct{}) bool {
	select {
	case slots <- struct{}{}:
	case <-ctx.Done():
		return false
	}
	if ctx.Err() != nil {
		<-slots
		return false
	}
	return true
}

// execute runs the tasks of a batch. An error is that of the machine; those of tasks
// are in the reply.
func (w *Worker) execute(ctx context.Context, rt engine.Runtime, p taskBatch) (reply, error) {
	slots, ok := w.slots[p.Resource]
	if !ok {
		return reply{}, fmt.Errorf("a batch for %s came to a worker that has no slots for it", p.Resource)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results, faults := make([][]pipeline.Result, len(p.Tasks)), make([]error, len(p.Tasks))
	begun := 0
	var work sync.WaitGroup
	for i, t := range p.Tasks {
		if w.leaves() || !acquireSlot(ctx, slots) {
			break
		}
		begun++
		work.Go(func() {
			defer func() { <-slots }()
			if results[i], faults[i] = engine.Execute(ctx, rt, t); faults[i] != nil && isMachineFault(faults[i]) {
				cancel(faults[i])
			}
		})
	}
	work.Wait()
	if ctx.Err() != nil {
		return reply{}, context.Cause(ctx)
	}
	interrupted := func(err error) bool { return errors.Is(err, context.Canceled) }
	if w.leaves() && (begun < len(p.Tasks) || slices.ContainsFunc(faults, interrupted)) {
		return reply{}, ErrMoved
	}
	var r reply
	for i, err := range faults {
		if err != nil {
			r.fault(i, faultOf(err, w.Code))
			continue
		}
		r.Passing = append(r.Passing, engine.TransientResults(results[i])...)
	}
	return r, nil
}

func (r *reply) fault(i int, f *Fault) {
	if r.Faults == nil {
		r.Faults = map[int]*Fault{}
	}
	r.Faults[i] = f
}

// buildRuntime is what tasks of one build are executed with.
type buildRuntime struct {
	*assemble.TaskRuntime
	ready chan struct{} // closed once opened
	err   error
	users int
	idle  *time.Timer
}

// runtimeIdle is how long an unused runtime stays open.
const runtimeIdle = time.Minute

// buildRuntime opens what a run of a build needs, once for all of its batches. Whoever has it
// leaves it.
func (w *Worker) buildRuntime(ctx context.Context, p taskBatch) (*buildRuntime, error) {
	w.mu.Lock()
	s := w.runtimes[p.Run]
	if s == nil {
		s = &buildRuntime{ready: make(chan struct{})}
		w.runtimes[p.Run] = s
		go w.open(context.WithoutCancel(ctx), p, s)
	}
	s.users++
	if s.idle != nil {
		s.idle.Stop()
		s.idle = nil
	}
	w.mu.Unlock()
	select {
	case <-s.ready:
	case <-ctx.Done():
		w.releaseRuntime(p.Run, s, runtimeIdle)
		return nil, ctx.Err()
	}
	if s.err != nil {
		w.releaseRuntime(p.Run, s, 0)
		return nil, s.err
	}
	return s, nil
}

func (w *Worker) open(ctx context.Context, p taskBatch, s *buildRuntime) {
	defer close(s.ready)
	order, err := w.order(ctx, p.Build)
	if err == nil {
		s.TaskRuntime, err = order.OpenRuntime(ctx, w.Registry, w.Store, w.Ledger, assemble.Options{Getenv: w.Getenv, Run: p.Run, Drain: w.leaving})
	}
	s.err = err
}

func (w *Worker) order(ctx context.Context, id string) (assemble.BuildSpec, error) {
	body, err := w.State.Spec(ctx, id)
	if err != nil {
		return assemble.BuildSpec{}, err
	}
	if idOf(body) != id {
		return assemble.BuildSpec{}, fmt.Errorf("the order of build %s was changed in the database", id)
	}
	return assemble.DecodeBuildSpec(body)
}

// releaseRuntime gives a runtime up. Unused, it is closed after a while.
func (w *Worker) releaseRuntime(run string, s *buildRuntime, after time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.users--; s.users == 0 {
		s.idle = time.AfterFunc(after, func() { w.closeIdle(run, s) })
	}
}

// closeIdle closes an unused runtime.
func (w *Worker) closeIdle(run string, s *buildRuntime) {
	<-s.ready
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.users > 0 || w.runtimes[run] != s {
		return
	}
	delete(w.runtimes, run)
	if s.TaskRuntime == nil {
		return
	}
	if err := s.Close(); err != nil {
		w.Log.Warn("close the ledger", "run", run, "error", err)
	}
}

// close closes all sites. Nobody uses any.
func (w *Worker) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for id, s := range w.runtimes {
		<-s.ready
		if s.idle != nil {
			s.idle.Stop()
		}
		if s.TaskRuntime != nil {
			errs = append(errs, s.Close())
		}
		delete(w.runtimes, id)
	}
	return errors.Join(errs...)
}
