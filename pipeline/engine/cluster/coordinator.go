package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/cluster/clusterstate"
	"github.com/memforge/memforge/pipeline/model/client"
)

// leased is how long a driver counts that says nothing.
const leased = 20 * time.Second

// Coordinate implements Handlers: it drives a build to its end, however it ends. Nothing of
// where it is lies in this process: the next driver of the build finds in the store
// what is done.
func (w *Worker) Coordinate(ctx context.Context, id string) error {
	lease, err := w.State.TakeLease(ctx, id, w.id, leased)
	switch {
	case errors.Is(err, clusterstate.ErrEnded):
		return nil
	case is[*clusterstate.UnknownError](err):
		return &PermanentError{err}
	case err != nil:
		return err
	}
	w.Log.Info("drive", "build", id)
	d := &coordinator{Worker: w, id: id, lease: lease}
	err = d.run(ctx)
	if err != nil && !errors.Is(err, clusterstate.ErrLost) {
		err = errors.Join(err, d.yield(ctx))
	}
	if err != nil && ctx.Err() == nil {
		w.failed(err)
	}
	return err
}

func (d *coordinator) yield(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	return d.lease.Yield(ctx)
}

// coordinator is one worker's turn at driving a build.
type coordinator struct {
	*Worker
	id     string
	lease  *clusterstate.Lease
	send   *dispatcher
	mu     sync.Mutex
	counts []engine.Count
	slots  map[pipeline.Resource]int
}

// run carries the order out and says how that ended. An error is that of the machine,
// or of a turn that was taken away.
func (d *coordinator) run(ctx context.Context) error {
	order, err := d.order(ctx, d.id)
	if err != nil {
		return d.end(ctx, nil, err, context.Cause(ctx))
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.send = &dispatcher{
		build: d.id, run: fmt.Sprintf("%s/%d", d.id, d.lease.Times), program: d.program, state: d.State, carrier: d.Engine,
		rt:     engine.Runtime{Registry: d.Registry, Store: d.Store},
		gather: map[pipeline.Resource]*pendingBatch{}, most: map[pipeline.Resource]int{}, spent: map[string]client.Total{},
	}
	if err := d.countSlots(ctx); err != nil {
		return err
	}
	var beat sync.WaitGroup
	beat.Go(func() { d.heartbeat(ctx, cancel) })
	nodes, err := order.Run(ctx, d.Registry, d.Store, d.Ledger, assemble.Options{
		Getenv: d.Getenv, Observe: d.observe, RunTask: d.send.runTask, Slots: d.allowed,
	})
	cause := context.Cause(ctx)
	cancel(nil)
	beat.Wait()
	d.send.wait()
	return d.end(ctx, nodes, err, cause)
}

// end says how the build ended, unless it has not.
func (d *coordinator) end(ctx context.Context, nodes []engine.StepRun, err, cause error) error {
	state, o := clusterstate.Done, Outcome{}
	if d.send != nil {
		o.Spent = d.send.total()
	}
	switch {
	case errors.Is(cause, ErrCancelled):
		state, err = clusterstate.Cancelled, ErrCancelled
	case cause != nil:
		return cause
	case err != nil && isMachineFault(err):
		return err
	case err != nil:
		state = clusterstate.Failed
	}
	if err != nil {
		o.Fault = faultOf(err, d.Code)
		o.Fault.Text = err.Error()
	}
	var failed error
	if o.Runs, failed = engine.EncodeRuns(nodes); failed != nil {
		return failed
	}
	outcome, failed := encode(o)
	if failed != nil {
		return failed
	}
	d.Log.Info("driven to its end", "build", d.id, "state", state)
	return d.lease.End(context.WithoutCancel(ctx), state, d.progress(), outcome)
}

// Outcome of a build that was driven.
type Outcome struct {
	// Runs are the steps that ended, see engine.EncodeRuns.
	Runs  json.RawMessage `json:"runs"`
	Fault *Fault          `json:"fault,omitempty"`
	// Spent is what the workers told of what they asked models, by step. What one asked
	// that was killed before it told is not in it.
	Spent map[string]client.Total `json:"spent,omitempty"`
}

func (d *coordinator) observe(counts []engine.Count) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts = counts
}

func (d *coordinator) progress() []byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	b, err := json.Marshal(progressOf(d.counts, d.send.total()))
	if err != nil {
		return nil // it is only shown
	}
	return b
}

// allowed is called as local.Options.Slots.
func (d *coordinator) allowed() map[pipeline.Resource]int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.slots
}

// countSlots counts the slots of the workers that can do tasks of this build.
func (d *coordinator) countSlots(ctx context.Context) error {
	workers, err := d.State.Workers(ctx)
	if err != nil {
		return err
	}
	slots, n := map[pipeline.Resource]int{}, map[pipeline.Resource]int{}
	for _, w := range workers {
		if w.Program != d.program.Name {
			continue
		}
		for r, has := range w.Slots {
			slots[r] += ahead * max(fewest, has)
			n[r]++
		}
	}
	d.send.setBatchSizes(slots, n)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.slots = slots
	return nil
}

// beats is how often a driver says that it lives, and looks for workers.
const beats = time.Second

// heartbeat keeps the lease, shows the progress and counts the workers. It ends the turn when
// the build is to end, or when another worker may drive it.
func (d *coordinator) heartbeat(ctx context.Context, end context.CancelCauseFunc) {
	tick := time.NewTicker(beats)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		cancel, err := d.lease.Renew(ctx, d.progress())
		if err == nil {
			err = d.countSlots(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			end(fmt.Errorf("drive build %s: %w (%w)", d.id, err, ErrMoved))
		case cancel:
			end(ErrCancelled)
		}
	}
}
