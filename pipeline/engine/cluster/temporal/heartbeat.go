package temporal

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
)

// handle is what a worker does for a parcel.
func (d *handlerSet) handle(ctx context.Context, parcel string) (a cluster.BatchAnswer, err error) {
	digest, err := pipeline.ParseDigest(parcel)
	if err != nil {
		return a, temporal.NewNonRetryableApplicationError("a parcel without a digest", refused, nil)
	}
	a.Batch = digest
	err = d.alive(ctx, d.end, parcel, func(ctx context.Context) error {
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
