// Package local is the in-process executor: it runs the tasks of an engine.Scheduler
// with a bounded number of workers per resource and stops cleanly. All work and
// all durability live in package engine; this one only decides what runs when.
package local

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// Options of one run.
type Options struct {
	// Limits is how many tasks run at once per resource; at least 1 each.
	Limits map[pipeline.Resource]int
	// Observe, if set, is called with the progress of all steps, from one
	// goroutine, about ten times a second and once at the end.
	Observe func([]engine.Count)
	// Partial and Limit are those of engine.SchedulerOptions.
	Partial bool
	Limit   int
	// Drain, when closed, lets running tasks end and starts no more.
	Drain <-chan struct{}
	// RunTask runs a task, as engine.Execute does for nil. Another executor may send it to
	// another machine.
	RunTask TaskRunner
	// Slots, if set, is asked for the limits again and again, in the place of Limits:
	// workers come and go.
	Slots func() map[pipeline.Resource]int
}

// TaskRunner runs one task, which occupies a resource, and gives its results as
// engine.Execute does. It returns soon after ctx ends.
type TaskRunner func(ctx context.Context, t pipeline.Task, r pipeline.Resource) ([]pipeline.Result, error)

// ErrInterrupted says that a drain was asked for: running tasks ended and were
// kept, nothing new was started. Running again goes on from there.
var ErrInterrupted = errors.New("interrupted: what was finished is kept, run the same command again to go on")

// Execute runs the steps of a plan to the end and returns its steps in
// topological order. On error the steps are those that did finish.
func Execute(ctx context.Context, rt engine.Runtime, steps []engine.Step, fetch pipeline.Fetcher, opt Options) ([]engine.StepRun, error) {
	tuner := startGCTuner()
	defer tuner.stop()
	scheduler, err := engine.NewScheduler(ctx, rt, steps, fetch, engine.SchedulerOptions{Partial: opt.Partial, Limit: opt.Limit, ConcurrentFetches: opt.Limits[pipeline.Network]})
	if err != nil {
		return nil, err
	}
	err = run(ctx, rt, scheduler, opt)
	return scheduler.EndedSteps(), err
}

type runner struct {
	scheduler *engine.Scheduler
	opt       Options
	running   map[pipeline.Resource]int
	active    int
	draining  bool
	errs      []error
	results   chan taskDone
}

type taskDone struct {
	task     pipeline.Task
	resource pipeline.Resource
	results  []pipeline.Result
	err      error
}

// run starts tasks and takes their results until all is done, something failed or a drain
// was asked for; then it waits for what still runs.
func run(ctx context.Context, rt engine.Runtime, scheduler *engine.Scheduler, opt Options) error {
	if opt.RunTask == nil {
		opt.RunTask = func(ctx context.Context, t pipeline.Task, _ pipeline.Resource) ([]pipeline.Result, error) {
			return engine.Execute(ctx, rt, t)
		}
	}
	if opt.Slots == nil {
		opt.Slots = func() map[pipeline.Resource]int { return opt.Limits }
	}
	if opt.Observe == nil {
		opt.Observe = func([]engine.Count) {}
	}
	r := &runner{scheduler: scheduler, opt: opt, running: map[pipeline.Resource]int{}, results: make(chan taskDone)}
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	drain := opt.Drain
	for r.startReady(ctx); r.active > 0; r.startReady(ctx) {
		select {
		case d := <-r.results:
			r.running[d.resource]--
			r.active--
			if d.err != nil {
				d.err = scheduler.Fail(d.task, d.err)
			} else {
				d.err = scheduler.Complete(ctx, d.task, d.results)
			}
			if d.err != nil {
				r.stop(d.err)
			}
		case <-drain:
			r.draining, drain = true, nil
		case <-tick.C:
			opt.Observe(scheduler.Counts())
		}
	}
	opt.Observe(scheduler.Counts())
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("build stopped: %w", context.Cause(ctx))
	case len(r.errs) > 0:
		return errors.Join(r.errs...)
	case r.draining && !scheduler.Done():
		return ErrInterrupted
	}
	return scheduler.End()
}

// startReady starts the tasks that are ready and for which there is a slot.
func (r *runner) startReady(ctx context.Context) {
	if r.draining || ctx.Err() != nil {
		return
	}
	free, slots := map[pipeline.Resource]int{}, r.opt.Slots()
	for _, res := range []pipeline.Resource{pipeline.CPU, pipeline.FFmpeg, pipeline.Model, pipeline.Network} {
		free[res] = max(1, slots[res]) - r.running[res]
	}
	for _, t := range r.scheduler.Next(free) {
		res := r.scheduler.Resource(t.Step)
		r.running[res]++
		r.active++
		go func() {
			results, err := r.opt.RunTask(ctx, t, res)
			r.results <- taskDone{task: t, resource: res, results: results, err: err}
		}()
	}
}

// stop keeps an error and starts nothing new. Cancellations follow from
// something else and add nothing, nor does a cause that many tasks meet.
func (r *runner) stop(err error) {
	r.draining = true
	same := func(other error) bool { return rootCause(other).Error() == rootCause(err).Error() }
	if !errors.Is(err, context.Canceled) && !slices.ContainsFunc(r.errs, same) {
		r.errs = append(r.errs, err)
	}
}

// rootCause returns the end of an error's chain; of several errors at once, of the first.
func rootCause(err error) error {
	for {
		next := errors.Unwrap(err)
		if several, ok := err.(interface{ Unwrap() []error }); ok && len(several.Unwrap()) > 0 {
			next = several.Unwrap()[0]
		}
		if next == nil {
			return err
		}
		err = next
	}
}
