package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/memforge/memforge/pipeline/engine/assemble"
)

// buildRuntime is what tasks of one build are executed with.
type buildRuntime struct {
	*assemble.TaskRuntime
	ready chan struct{} // closed once opened
	err   error
	users int
	idle  *time.Timer
}

// runtimeIdle is how long a site that nobody uses stays open.
const runtimeIdle = time.Minute

// buildRuntime opens what a run of a build needs, once for all of its parcels. Whoever has it
// leaves it.
func (w *Worker) buildRuntime(ctx context.Context, p taskBatch) (*buildRuntime, error) {
	w.mu.Lock()
	s := w.sites[p.Run]
	if s == nil {
		s = &buildRuntime{ready: make(chan struct{})}
		w.sites[p.Run] = s
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
		w.leave(p.Run, s, runtimeIdle)
		return nil, ctx.Err()
	}
	if s.err != nil {
		w.leave(p.Run, s, 0)
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
	body, err := w.Board.Spec(ctx, id)
	if err != nil {
		return assemble.BuildSpec{}, err
	}
	if idOf(body) != id {
		return assemble.BuildSpec{}, fmt.Errorf("the order of build %s was changed in the database", id)
	}
	return assemble.DecodeBuildSpec(body)
}

// leave gives a site up. Once nobody has it, it is closed after a while.
func (w *Worker) leave(run string, s *buildRuntime, after time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.users--; s.users == 0 {
		s.idle = time.AfterFunc(after, func() { w.shut(run, s) })
	}
}

// shut closes a site that nobody uses.
func (w *Worker) shut(run string, s *buildRuntime) {
	<-s.ready
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.users > 0 || w.sites[run] != s {
		return
	}
	delete(w.sites, run)
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
	for id, s := range w.sites {
		<-s.ready
		if s.idle != nil {
			s.idle.Stop()
		}
		if s.TaskRuntime != nil {
			errs = append(errs, s.Close())
		}
		delete(w.sites, id)
	}
	return errors.Join(errs...)
}
