package temporal

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
)

// maxOutage is how long a server may be away before a call fails.
const maxOutage = 10 * time.Minute

// stepLasts is after how long a worker that was to take a workflow a step on counts as
// lost. A step takes a millisecond; one that stands still takes up to two of them with it.
const stepLasts = 5 * time.Second

// Names of workflows: a parcel's is its queue and digest, so whatever has the same name
// is the same work. Digests are of one length, so no two pairs give one name.
func batchName(queue string, parcel pipeline.Digest) string {
	return "memforge-parcel:" + queue + ":" + string(parcel)
}

func buildName(build string) string { return "memforge-build:" + build }

// Start begins a build unless it runs.
func (e *Engine) Start(ctx context.Context, queue, build string) error {
	_, err := e.begin(ctx, buildFlow, buildName(build), queue, build)
	if err != nil {
		return fmt.Errorf("start build %s on queue %s: %w", build, queue, err)
	}
	return nil
}

// Cancel asks that a build ends.
func (e *Engine) Cancel(ctx context.Context, build string) error {
	err := e.retry(ctx, func() error { return e.client.CancelWorkflow(ctx, buildName(build), "") })
	var none *serviceerror.NotFound
	if err != nil && !errors.As(err, &none) {
		return fmt.Errorf("cancel build %s: %w", build, err)
	}
	return nil
}

// SendBatch has a worker of the queue handle a parcel. When ctx ends the parcel is given up,
// unless it ends because the driver moves to another worker (cluster.ErrMoved): that one
// finds the parcel on its way.
func (e *Engine) SendBatch(ctx context.Context, queue string, parcel pipeline.Digest) (pipeline.Digest, error) {
	name := batchName(queue, parcel)
	return cluster.SendUntilAnswered(ctx, queue, parcel, func() (cluster.BatchAnswer, error) {
		a, err := e.runWorkflow(ctx, queue, name, parcel)
		if by := refusedBy(err); by != "" {
			return cluster.BatchAnswer{Refused: by}, nil
		}
		if stopped(err) {
			// Another driver that had the same parcel on its way was cancelled, or the
			// server lost what it knew.
			e.log.Warn("a parcel was stopped; it is sent again", "parcel", parcel, "queue", queue, "error", err)
			return cluster.BatchAnswer{}, nil
		}
		return a, err
	}, func(ctx context.Context) error { return e.client.CancelWorkflow(ctx, name, "") })
}

func (e *Engine) runWorkflow(ctx context.Context, queue, name string, parcel pipeline.Digest) (a cluster.BatchAnswer, err error) {
	run, err := e.begin(ctx, parcelFlow, name, queue, string(parcel))
	if err != nil {
		return a, err
	}
	err = e.retry(ctx, func() error { return e.client.GetWorkflow(ctx, name, run).Get(ctx, &a) })
	return a, err
}

// stopped reports whether a workflow ended without a word of its own.
func stopped(err error) bool {
	var cancelled *temporal.CanceledError
	var terminated *temporal.TerminatedError
	var none *serviceerror.NotFound
	return errors.As(err, &cancelled) || errors.As(err, &terminated) || errors.As(err, &none)
}

// begin starts a workflow, or finds the one of the name that runs. One that is something
// else is refused.
func (e *Engine) begin(ctx context.Context, flow, name, queue, subject string) (run string, err error) {
	o := client.StartWorkflowOptions{
		ID: name, TaskQueue: queue,
		WorkflowTaskTimeout:                      stepLasts,
		WorkflowIDReusePolicy:                    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy:                 enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}
	var runs *serviceerror.WorkflowExecutionAlreadyStarted
	err = e.retry(ctx, func() error {
		began, err := e.client.ExecuteWorkflow(ctx, o, flow, order{Name: subject, Silence: e.rhythm.silence.Seconds()})
		if err == nil {
			run = began.GetRunID()
		}
		return err
	})
	if !errors.As(err, &runs) {
		return run, err
	}
	return runs.RunId, e.recognise(ctx, flow, name, runs.RunId)
}

func (e *Engine) recognise(ctx context.Context, flow, name, run string) error {
	return e.retry(ctx, func() error {
		d, err := e.client.DescribeWorkflow(ctx, name, run)
		if err != nil {
			return err
		}
		if is := d.WorkflowType.Name; is != flow {
			return &cluster.PermanentError{Err: fmt.Errorf("the name %s is taken by a workflow of type %s, not %s", name, is, flow)}
		}
		return nil
	})
}

// retry calls try again while the server is away. A call may wait for hours and then
// find that the server restarts, so patience is counted from when it began to fail: a
// call to a server that is away ends within a minute.
func (e *Engine) retry(ctx context.Context, try func() error) error {
	var since time.Time
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		began := time.Now()
		err := try()
		if err == nil || ctx.Err() != nil || !isTransient(err) {
			return err
		}
		if since.IsZero() || time.Since(began) > 90*time.Second {
			since, pause = time.Now(), 100*time.Millisecond
		}
		if time.Since(since) > e.patience {
			return fmt.Errorf("the server is away for %s: %w", time.Since(since).Round(time.Second), err)
		}
		e.log.Warn("the server is away", "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// isTransient reports whether an error says that the same may go well later.
func isTransient(err error) bool {
	var away *serviceerror.Unavailable
	var late *serviceerror.DeadlineExceeded
	var busy *serviceerror.ResourceExhausted
	var broken *serviceerror.Internal
	var aborted *serviceerror.Aborted
	return errors.As(err, &away) || errors.As(err, &late) || errors.As(err, &busy) || errors.As(err, &broken) ||
		errors.As(err, &aborted) || errors.Is(err, context.DeadlineExceeded)
}
