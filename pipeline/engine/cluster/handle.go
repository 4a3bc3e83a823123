package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
)

// Handle implements Handlers: it executes the tasks of a parcel, as many at once as the
// worker has slots for all of its parcels.
func (w *Worker) Handle(ctx context.Context, name pipeline.Digest) (pipeline.Digest, error) {
	said, err := w.handle(ctx, name)
	switch {
	case err == nil, ctx.Err() != nil:
	case errors.Is(err, clusterstate.ErrNoBatch):
		err = &PermanentError{err}
	default:
		w.failed(err)
	}
	return said, err
}

// failed ends a worker whose machine is unfit.
func (w *Worker) failed(err error) {
	w.Log.Warn("a parcel or build goes to another worker", "error", err)
	if isUnfitWorker(err) {
		w.broken(&unfitError{err})
	}
}

func (w *Worker) handle(ctx context.Context, name pipeline.Digest) (pipeline.Digest, error) {
	body, err := w.Board.Batch(ctx, name)
	if err != nil {
		return "", err
	}
	p, err := decode[taskBatch](body)
	if err == nil && pipeline.DigestOf(body) != name {
		err = fmt.Errorf("parcel %s was changed in the database", name)
	}
	if err != nil {
		return "", &PermanentError{err}
	}
	r, err := w.reply(ctx, p)
	if err != nil {
		return "", err
	}
	r.Parcel = name
	answer, err := encode(r)
	if err != nil {
		return "", err
	}
	return w.Board.PutReply(ctx, name, answer)
}

// reply opens what the run of a parcel needs and executes its tasks. What no machine can
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
	defer w.leave(p.Run, s, runtimeIdle)
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

// take takes a slot, unless the context ends.
func take(ctx context.Context, slots chan struct{}) bool {
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

// execute runs the tasks of a parcel. An error is that of the machine; those of tasks
// are in the reply.
func (w *Worker) execute(ctx context.Context, rt engine.Runtime, p taskBatch) (reply, error) {
	slots, ok := w.slots[p.Resource]
	if !ok {
		return reply{}, fmt.Errorf("a parcel for %s came to a worker that has no slots for it", p.Resource)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results, faults := make([][]pipeline.Result, len(p.Tasks)), make([]error, len(p.Tasks))
	begun := 0
	var work sync.WaitGroup
	for i, t := range p.Tasks {
		if w.leaves() || !take(ctx, slots) {
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
