package cluster

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/cluster/board"
	"github.com/memforge/memforge/pipeline/engine"
)

// Handle implements Handlers: it executes the tasks of a parcel, as many at once as the
// worker has slots for all of its parcels.
func (w *Worker) Handle(ctx context.Context, name pipeline.Digest) (pipeline.Digest, error) {
	said, err := w.handle(ctx, name)
	switch {
	case err == nil, ctx.Err() != nil:
	case errors.Is(err, board.ErrNoParcel):
		err = &PermanentError{err}
	default:
		w.failed(err)
	}
	return said, err
}

// failed ends a worker whose machine is unfit.
func (w *Worker) failed(err error) {
	w.Log.Warn("a parcel or build goes to another worker", "error", err)
	if unfit(err) {
		w.broken(&unfitError{err})
	}
}

func (w *Worker) handle(ctx context.Context, name pipeline.Digest) (pipeline.Digest, error) {
	body, err := w.Board.Parcel(ctx, name)
	if err != nil {
		return "", err
	}
	p, err := decode[parcel](body)
	if err != nil {
		return "", &PermanentError{err}
	}
	s, err := w.site(ctx, p)
	if err != nil {
		return "", fmt.Errorf("open build %s: %w", p.Build, err)
	}
	defer w.leave(p.Run, s, siteIdle)
	r, err := w.execute(ctx, s.Runtime, p)
	if err != nil {
		return "", err
	}
	r.Parcel, r.Spent = name, s.Spent()
	answer, err := encode(r)
	if err != nil {
		return "", err
	}
	return w.Board.Answer(ctx, name, answer)
}

// execute runs the tasks of a parcel. An error is that of the machine; those of tasks
// are in the reply.
func (w *Worker) execute(ctx context.Context, rt engine.Runtime, p parcel) (reply, error) {
	slots, ok := w.slots[p.Resource]
	if !ok {
		return reply{}, fmt.Errorf("a parcel for %s came to a worker that has no slots for it", p.Resource)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results, faults := make([][]pipeline.Result, len(p.Tasks)), make([]error, len(p.Tasks))
	var work sync.WaitGroup
	for i, t := range p.Tasks {
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		work.Go(func() {
			defer func() { <-slots }()
			if results[i], faults[i] = engine.Execute(ctx, rt, t); faults[i] != nil && ofMachine(faults[i]) {
				cancel(faults[i])
			}
		})
	}
	work.Wait()
	if ctx.Err() != nil {
		return reply{}, context.Cause(ctx)
	}
	var r reply
	for i, err := range faults {
		if err != nil {
			r.fault(i, faultOf(err, w.Code))
			continue
		}
		r.Passing = append(r.Passing, engine.Passing(results[i])...)
	}
	return r, nil
}

func (r *reply) fault(i int, f *Fault) {
	if r.Faults == nil {
		r.Faults = map[int]*Fault{}
	}
	r.Faults[i] = f
}
