//go:build temporal

package temporal

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/cluster"
	"github.com/memforge/memforge/pipeline/testkit/enginetest"
)

// flows runs workflows in memory, with the activities of a worker.
func flows(h cluster.Handlers) *testsuite.TestWorkflowEnvironment {
	e := &Engine{log: slog.New(slog.DiscardHandler), rhythm: defaultRhythm()}
	d := &handlerSet{engine: e, handlers: h, leaving: context.Background(), end: context.Background()}
	env := new(testsuite.WorkflowTestSuite).NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions(batchWorkflow, workflow.RegisterOptions{Name: batchFlow})
	env.RegisterWorkflowWithOptions(buildWorkflow, workflow.RegisterOptions{Name: buildFlow})
	env.RegisterActivityWithOptions(d.handle, activity.RegisterOptions{Name: handleStep})
	env.RegisterActivityWithOptions(d.drive, activity.RegisterOptions{Name: driveStep})
	return env
}

func TestParcelFlow(t *testing.T) {
	p, tries := pipeline.DigestOf([]byte("p")), 0
	env := flows(enginetest.Handlers{OnHandle: func(_ context.Context, got pipeline.Digest) (pipeline.Digest, error) {
		switch tries++; tries {
		case 1:
			return "", errors.New("a green hat")
		case 2:
			panic("a green hat")
		}
		return enginetest.ReplyTo(got), nil
	}})
	env.ExecuteWorkflow(batchFlow, order{Name: string(p), Silence: 20})
	var a cluster.BatchAnswer
	if err := env.GetWorkflowResult(&a); err != nil || a != (cluster.BatchAnswer{Batch: p, Reply: enginetest.ReplyTo(p)}) || tries != 3 {
		t.Errorf("after %d tries: %+v, %v", tries, a, err)
	}
}

func TestFlowsAreRefused(t *testing.T) {
	for flow, name := range map[string]string{batchFlow: string(pipeline.DigestOf(nil)), buildFlow: "b"} {
		tries := 0
		refuse := func() error {
			tries++
			return &cluster.PermanentError{Err: errors.New("a green hat")}
		}
		env := flows(enginetest.Handlers{
			OnHandle: func(context.Context, pipeline.Digest) (pipeline.Digest, error) { return "", refuse() },
			OnDrive:  func(context.Context, string) error { return refuse() },
		})
		env.ExecuteWorkflow(flow, order{Name: name, Silence: 20})
		err := env.GetWorkflowError()
		if refusedBy(err) == "" || tries != 1 || strings.Contains(err.Error(), "green") {
			t.Errorf("%s: after %d tries: %v", flow, tries, err)
		}
	}
}

func TestBuildFlowIsCancelled(t *testing.T) {
	env := flows(enginetest.Handlers{OnDrive: func(ctx context.Context, _ string) error {
		<-ctx.Done()
		return errors.New("it also failed")
	}})
	env.RegisterDelayedCallback(env.CancelWorkflow, time.Millisecond)
	env.ExecuteWorkflow(buildFlow, order{Name: "b", Silence: 20})
	if err := env.GetWorkflowError(); !temporal.IsCanceledError(err) {
		t.Errorf("the build ended with %v", err)
	}
}

// What a driver is told of its end, and the server of what the driver made of it.
func TestDriverEnds(t *testing.T) {
	server, now := context.WithCancelCause(t.Context())
	leaving, leave := context.WithCancel(t.Context())
	for _, tc := range []struct {
		name  string
		ends  func()
		fails error
		cause error
		want  string
	}{
		{"done", func() {}, nil, nil, ""},
		{"failed", func() {}, errors.New("a green hat"), nil, "it failed"},
		{"leaving", leave, errors.New("a green hat"), cluster.ErrMoved, "the worker ends"},
		{"cancelled", func() { now(temporal.NewCanceledError()) }, errors.New("a green hat"), cluster.ErrCancelled, "canceled"},
	} {
		var cause error
		d := &handlerSet{engine: &Engine{log: slog.New(slog.DiscardHandler), rhythm: defaultRhythm()}, leaving: leaving}
		d.handlers = enginetest.Handlers{OnDrive: func(ctx context.Context, _ string) error {
			if tc.ends(); tc.cause != nil {
				<-ctx.Done()
			}
			cause = context.Cause(ctx)
			return tc.fails
		}}
		env := new(testsuite.WorkflowTestSuite).NewTestActivityEnvironment()
		env.SetWorkerOptions(worker.Options{BackgroundActivityContext: server})
		if tc.name == "cancelled" {
			d.leaving = t.Context()
		}
		env.RegisterActivityWithOptions(d.drive, activity.RegisterOptions{Name: driveStep})
		_, err := env.ExecuteActivity(driveStep, "b")
		var said *temporal.ApplicationError
		if soon := errors.As(err, &said) && said.NextRetryDelay() > 0; soon != (tc.name == "leaving") {
			t.Errorf("%s: another worker tries soon: %t", tc.name, soon)
		}
		if cause != tc.cause || (err == nil) != (tc.want == "") || err != nil && (!strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "green")) {
			t.Errorf("%s: the driver was told %v and the server %v", tc.name, cause, err)
		}
	}
}

func TestPatience(t *testing.T) {
	e := &Engine{log: slog.New(slog.DiscardHandler), patience: 250 * time.Millisecond}
	tries := 0
	err := e.retry(t.Context(), func() error {
		if tries++; tries == 2 {
			return nil
		}
		return serviceerror.NewUnavailable("restarts")
	})
	if err != nil || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
	var away *serviceerror.Unavailable
	if err := e.retry(t.Context(), func() error { return serviceerror.NewUnavailable("gone") }); !errors.As(err, &away) {
		t.Errorf("a server that stays away: %v", err)
	}
	tries = 0
	var refused *serviceerror.PermissionDenied
	err = e.retry(t.Context(), func() error {
		tries++
		return serviceerror.NewPermissionDenied("no", "")
	})
	if !errors.As(err, &refused) || tries != 1 {
		t.Errorf("what time does not mend: %d tries, %v", tries, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := e.retry(ctx, func() error { return ctx.Err() }); !errors.Is(err, context.Canceled) {
		t.Errorf("who gave up: %v", err)
	}
}

func TestNamesDiffer(t *testing.T) {
	d := pipeline.DigestOf(nil)
	names := map[string]bool{batchName("a", d): true, batchName("a:"+string(d), d): true, batchName("b", d): true, buildName("a:" + string(d)): true}
	if len(names) != 4 {
		t.Errorf("%d names of 4 things", len(names))
	}
}

func TestWorkWants(t *testing.T) {
	e := &Engine{}
	for _, queues := range [][]cluster.Queue{nil, {{Name: "a"}}, {{Slots: 1}}, {{Name: "a", Slots: 1}, {Name: "a", Slots: 1, Drives: true}}} {
		if err := e.Work(t.Context(), queues, enginetest.Handlers{}); err == nil {
			t.Errorf("%v was taken", queues)
		}
	}
}
