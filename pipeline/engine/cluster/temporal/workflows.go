//go:build temporal

package temporal

import (
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/memforge/memforge/pipeline/engine/cluster"
)

// The names under which a server knows what is done here. Histories are replayed by
// whatever worker is there: what a workflow does is changed under a new name only.
const (
	batchFlow  = "memforge-parcel-1"
	buildFlow  = "memforge-build-1"
	handleStep = "memforge-handle-1"
	driveStep  = "memforge-drive-1"
)

// lastsForever is a time limit where there must be one: silence ends what hangs, and a
// film or a build may take as long as it takes.
const lastsForever = 10 * 365 * 24 * time.Hour

// refused is the type of an error that trying again cannot mend.
const refused = "refused"

// order is what a workflow is started with.
type order struct {
	// Name is the digest of a batch, or the id of a build.
	Name string `json:"name"`
	// Silence is after how many seconds a worker counts as dead.
	Silence float64 `json:"silence"`
}

func (o order) step() workflow.ActivityOptions {
	return workflow.ActivityOptions{
		StartToCloseTimeout: lastsForever,
		HeartbeatTimeout:    time.Duration(o.Silence * float64(time.Second)),
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second,
			NonRetryableErrorTypes: []string{refused},
		},
	}
}

// batchWorkflow has a batch handled by a worker of the queue that the workflow is on.
func batchWorkflow(ctx workflow.Context, o order) (a cluster.BatchAnswer, err error) {
	err = workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, o.step()), handleStep, o.Name).Get(ctx, &a)
	return a, err
}

// buildWorkflow has a build driven until it ends. When it is cancelled it waits for the
// driver to say that it stopped: then a build of the same id may start.
func buildWorkflow(ctx workflow.Context, o order) error {
	step := o.step()
	step.WaitForCancellation = true
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, step), driveStep, o.Name).Get(ctx, nil)
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // the driver may have failed while it stopped
	}
	return err
}

// refusedBy says which worker refused something, whose log says why, or nothing when err
// is something else.
func refusedBy(err error) string {
	var why *temporal.ApplicationError
	if !errors.As(err, &why) || why.Type() != refused {
		return ""
	}
	var step *temporal.ActivityError
	if errors.As(err, &step) && step.Identity() != "" {
		return "worker " + step.Identity()
	}
	return "a worker"
}
