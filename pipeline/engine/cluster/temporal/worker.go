//go:build temporal

package temporal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
)

// Work handles what comes to the queues until ctx ends. Then builds end at once and
// batches when they are done, or when Options.Drain is over.
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

// settings returns those of the worker of a queue. Few calls ask for work: what is handled is
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
	w.RegisterWorkflowWithOptions(batchWorkflow, workflow.RegisterOptions{Name: batchFlow})
	w.RegisterActivityWithOptions(d.handle, activity.RegisterOptions{Name: handleStep})
}

// handle returns what a worker does for a batch.
func (d *handlerSet) handle(ctx context.Context, batch string) (a cluster.BatchAnswer, err error) {
	digest, err := pipeline.ParseDigest(batch)
	if err != nil {
		return a, temporal.NewNonRetryableApplicationError("a batch without a digest", refused, nil)
	}
	a.Batch = digest
	err = d.alive(ctx, d.end, batch, func(ctx context.Context) error {
		a.Reply, err = d.handlers.Handle(ctx, digest)
		return err
	})
	return a, err
}

// drive is what a worker does for a build.
func (d *handlerSet) drive(ctx context.Context, build string) error {
	return d.alive(ctx, d.leaving, build, func(ctx context.Context) error { return d.handlers.Coordinate(ctx, build) })
}

// alive does something while it tells the server that this worker lives. The context of
// do ends with until and when the server wants it to: its cause is cluster.ErrCancelled
// where the work was cancelled, and cluster.ErrMoved where it goes on elsewhere. What do
// returns goes to the log, and in fixed words to the server.
func (d *handlerSet) alive(ctx, until context.Context, subject string, do func(context.Context) error) error {
	work, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(until, func() { end(cluster.ErrMoved) })()
	defer context.AfterFunc(ctx, func() {
		if temporal.IsCanceledError(context.Cause(ctx)) {
			end(cluster.ErrCancelled)
			return
		}
		end(cluster.ErrMoved)
	})()
	done := make(chan error, 1)
	info := activity.GetInfo(ctx)
	log := d.engine.log.With("step", info.ActivityType.Name, "of", subject, "queue", info.TaskQueue, "attempt", info.Attempt)
	go func() { done <- cluster.RunLogged(log, func() error { return do(work) }) }()
	beat := time.NewTicker(d.engine.rhythm.beat)
	defer beat.Stop()
	for {
		select {
		case err := <-done:
			return d.public(work, err)
		case <-beat.C:
			d.engine.beat(ctx, end)
		}
	}
}

// public is what the server learns of an error: nothing that stands in it.
func (d *handlerSet) public(work context.Context, err error) error {
	var permanent *cluster.PermanentError
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(work), cluster.ErrCancelled):
		return temporal.NewCanceledError()
	case work.Err() != nil:
		return temporal.NewApplicationErrorWithOptions("the worker ends, or another one is at it", "moved", temporal.ApplicationErrorOptions{NextRetryDelay: 100 * time.Millisecond})
	case errors.As(err, &permanent):
		return temporal.NewNonRetryableApplicationError("trying again cannot mend it; the worker's log says what", refused, nil)
	}
	return temporal.NewApplicationError("it failed; the worker's log says why", "failed")
}

// beat tells the server that the work of an activity goes on, and ends it when the server
// says so. It asks the server itself, for the SDK ends an activity that could not tell
// for one beat, and a server that restarts is away for longer.
func (e *Engine) beat(ctx context.Context, end context.CancelCauseFunc) {
	ctx, cancel := context.WithTimeout(ctx, e.rhythm.silence/2)
	defer cancel()
	r, err := e.client.WorkflowService().RecordActivityTaskHeartbeat(ctx, &workflowservice.RecordActivityTaskHeartbeatRequest{
		Namespace: e.namespace, TaskToken: activity.GetInfo(ctx).TaskToken,
	})
	var gone *serviceerror.NotFound
	switch {
	case err == nil && r.GetCancelRequested():
		end(cluster.ErrCancelled)
	case errors.As(err, &gone):
		// The workflow has ended, or another worker is at it.
		end(cluster.ErrMoved)
	case err != nil:
		e.log.Warn("the server did not hear that work goes on", "error", err)
	}
}
