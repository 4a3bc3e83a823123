package temporal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/memforge/memforge/pipeline/engine/cluster"
)

// Work handles what comes to the queues until ctx ends. Then builds end at once and
// parcels when they are done, or when Options.Drain is over.
func (e *Engine) Work(ctx context.Context, queues []cluster.Queue, h cluster.Handlers) error {
	if err := check(queues); err != nil {
		return fmt.Errorf("work for a cluster: %w", err)
	}
	fatal := make(chan error, len(queues))
	end, now := context.WithCancelCause(context.WithoutCancel(ctx))
	defer now(nil)
	d := &handlerSet{engine: e, handlers: h, leaving: ctx, end: end}
	var workers []worker.Worker
	var err error
	for _, q := range queues {
		w := worker.New(e.client, q.Name, e.settings(q, fatal))
		d.register(w, q)
		if err = w.Start(); err != nil {
			err = fmt.Errorf("work on queue %s: %w", q.Name, err)
			break
		}
		workers = append(workers, w)
	}
	if err == nil {
		select {
		case <-ctx.Done():
		case err = <-fatal:
		}
	}
	if err != nil {
		now(cluster.ErrMoved)
	}
	defer time.AfterFunc(e.drain, func() { now(cluster.ErrMoved) }).Stop()
	var stops sync.WaitGroup
	for _, w := range workers {
		stops.Go(w.Stop)
	}
	stops.Wait()
	return err
}

func check(queues []cluster.Queue) error {
	if len(queues) == 0 {
		return errors.New("no queue is named")
	}
	for i, q := range queues {
		if q.Slots < 1 || q.Name == "" || slices.ContainsFunc(queues[:i], func(o cluster.Queue) bool { return o.Name == q.Name }) {
			return fmt.Errorf("queue %q with %d slots has no name, no slots or comes twice", q.Name, q.Slots)
		}
	}
	return nil
}

// settings are those of the worker of a queue. Few calls ask for work: what is handled is
// long compared with asking for it, and each call of a worker that stands still takes
// something with it until that counts as lost.
func (e *Engine) settings(q cluster.Queue, fatal chan<- error) worker.Options {
	asks := min(q.Slots, 2)
	if q.Drives {
		asks = 1
	}
	return worker.Options{
		MaxConcurrentActivityExecutionSize: q.Slots,
		MaxConcurrentActivityTaskPollers:   asks,
		MaxConcurrentWorkflowTaskPollers:   2,
		WorkerStopTimeout:                  e.drain + 10*time.Second,
		DisableRegistrationAliasing:        true,
		OnFatalError:                       func(err error) { fatal <- fmt.Errorf("work on queue %s: %w", q.Name, err) },
	}
}

// handlerSet is where a worker's orders are handled.
type handlerSet struct {
	engine   *Engine
	handlers cluster.Handlers
	leaving  context.Context // ends when the worker takes nothing new
	end      context.Context // ends when what is at work must end
}

func (d *handlerSet) register(w worker.Worker, q cluster.Queue) {
	if q.Drives {
		w.RegisterWorkflowWithOptions(buildWorkflow, workflow.RegisterOptions{Name: buildFlow})
		w.RegisterActivityWithOptions(d.drive, activity.RegisterOptions{Name: driveStep})
		return
	}
	w.RegisterWorkflowWithOptions(batchWorkflow, workflow.RegisterOptions{Name: parcelFlow})
	w.RegisterActivityWithOptions(d.handle, activity.RegisterOptions{Name: handleStep})
}
