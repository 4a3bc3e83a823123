package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
)

// Client orders builds and waits for them.
type Client struct {
	Board  *clusterstate.SharedState
	Engine Engine
}

// Submit has the workers carry an order out, unless they do already, and gives the id of
// the build: the same for the same order. name is for people.
func (c Client) Submit(ctx context.Context, name string, o assemble.BuildSpec) (id string, err error) {
	body, err := o.Encode()
	if err != nil {
		return "", err
	}
	id = idOf(body)
	queue := Program{Name: o.Program}.queue(drives)
	if err := c.Board.Submit(ctx, id, name, queue, body); err != nil {
		return id, err
	}
	return id, c.Engine.Start(ctx, queue, id)
}

// idOf is the id of an order.
func idOf(body []byte) string { return string(pipeline.DigestOf(body)[:16]) }

const (
	// looks is how often a client asks how far a build is.
	looks = 250 * time.Millisecond
	// pushes is how often it starts a build anew that nobody drives.
	pushes = 10 * time.Second
)

// Spec is what a build was ordered with.
func (c Client) Spec(ctx context.Context, id string) (assemble.BuildSpec, error) {
	body, err := c.Board.Spec(ctx, id)
	if err != nil {
		return assemble.BuildSpec{}, err
	}
	return assemble.DecodeBuildSpec(body)
}

// Wait waits until a build has ended, and gives its outcome; observe, if set, is told of
// its progress. That the build failed is in the outcome. The build goes on when ctx ends.
func (c Client) Wait(ctx context.Context, id string, observe func(Progress)) (Outcome, error) {
	tick := time.NewTicker(looks)
	defer tick.Stop()
	pushed := time.Now()
	for {
		b, err := c.Board.Build(ctx, id)
		if err != nil {
			return Outcome{}, err
		}
		show(b.Progress, observe)
		if b.State.Ended() {
			return outcomeOf(b)
		}
		if b.State == clusterstate.Queued && time.Since(pushed) > pushes {
			pushed = time.Now()
			// It may have been ordered while the engine ended the one before.
			if err := c.Engine.Start(ctx, b.Queue, id); err != nil {
				return Outcome{}, err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return Outcome{}, context.Cause(ctx)
		}
	}
}

func show(progress []byte, observe func(Progress)) {
	if observe == nil || len(progress) == 0 {
		return
	}
	var p Progress
	if json.Unmarshal(progress, &p) == nil { // it is only shown
		observe(p)
	}
}

func outcomeOf(b clusterstate.Build) (Outcome, error) {
	if b.State == clusterstate.Cancelled && len(b.Outcome) == 0 {
		return Outcome{}, ErrCancelled
	}
	return decode[Outcome](b.Outcome)
}

// Cancel ends a build.
func (c Client) Cancel(ctx context.Context, id string) error {
	if err := c.Board.Cancel(ctx, id); err != nil {
		return err
	}
	return c.Engine.Cancel(ctx, id)
}

// Missing says what no worker offers that the tasks of an order may need: "" when all is
// there. It is no error, for workers come and go.
func (c Client) Missing(ctx context.Context, p Program, needs []pipeline.Resource) (string, error) {
	workers, err := c.Board.Workers(ctx)
	if err != nil {
		return "", err
	}
	return missingFor(p, workers, needs), nil
}

// Err is the error with which the build ended, or nil.
func (o Outcome) Err() error {
	if o.Fault == nil {
		return nil
	}
	return fmt.Errorf("build on the cluster: %w", o.Fault.err())
}
