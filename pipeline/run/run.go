// Package run is the in-process executor: it drives pipeline.State with a
// bounded number of workers per resource, remembers what is done and stops
// cleanly. All work and all durability live in pipeline.Execute; this package
// only decides what runs when.
package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// ErrInterrupted says that a drain was asked for: running tasks ended and were
// kept, nothing new was started. Running again goes on from there.
var ErrInterrupted = errors.New("interrupted: what was finished is kept, run the same command again to go on")

// LossError says that a node lost more of its items than max_loss allows.
type LossError struct {
	Node    string
	Kind    pipeline.Kind
	Summary pipeline.Summary
	Max     float64
}

func (e *LossError) Error() string {
	reasons := ""
	for _, c := range e.Summary.ReasonCodes() {
		reasons += fmt.Sprintf(" %s=%d", c, e.Summary.Reasons[c])
	}
	return fmt.Sprintf("node %s lost %d items, %.1f %% of its input, more than max_loss %.1f %%:%s; mend the input or raise max_loss of the node (what was built is kept)",
		e.Node, e.Summary.Lost, 100*e.Summary.LossShare(e.Kind), 100*e.Max, reasons)
}

// Options of one run.
type Options struct {
	// Limits is how many tasks run at once per resource; at least 1 each.
	Limits map[pipeline.Resource]int
	// Observe, if set, is called with the progress of all nodes, from one
	// goroutine, about ten times a second and once at the end.
	Observe func([]pipeline.Count)
	// Partial is for runs that only find out what there is to ask: a loss that
	// another attempt may not suffer ends nothing, and folds whose input lacks such
	// items wait for another run.
	Partial bool
	// Drain, when closed, lets running tasks end and starts no more.
	Drain <-chan struct{}
}

// Node is one finished node of a run.
type Node struct {
	Step    pipeline.Step
	Summary pipeline.Summary
	// Units is the blob with the node's units.
	Units  pipeline.Digest
	Assets []pipeline.Asset
}

// Built is how many units were computed rather than found.
func (n Node) Built() int { return n.Summary.Units - n.Summary.Reused }

// Execute runs the steps of a plan to the end and returns its nodes in
// topological order. On error the nodes are those that did finish.
func Execute(ctx context.Context, rt pipeline.Runtime, steps []pipeline.Step, fetch pipeline.Fetcher, opt Options) ([]Node, error) {
	c := newCollector()
	defer c.stop()
	state, err := pipeline.NewState(steps)
	if err != nil {
		return nil, err
	}
	r := &runner{collector: c, rt: rt, state: state, opt: opt, nodes: make([]Node, len(steps)), index: map[string]int{}, partial: map[string]bool{}, running: map[pipeline.Resource]int{}}
	for i, s := range steps {
		r.nodes[i].Step = s
		r.index[s.Name] = i
	}
	if err := r.fetchAll(ctx, fetch); err != nil {
		return nil, err
	}
	if err := r.restore(ctx); err != nil {
		return nil, err
	}
	err = r.loop(ctx)
	r.observe()
	return r.finished(), err
}

type runner struct {
	collector *collector
	rt        pipeline.Runtime
	state     *pipeline.State
	opt       Options
	nodes     []Node
	index     map[string]int
	running   map[pipeline.Resource]int
	active    int
	draining  bool
	partial   map[string]bool // nodes whose output is not complete
	errs      []error
	results   chan taskDone
}

type taskDone struct {
	task     pipeline.Task
	resource pipeline.Resource
	results  []pipeline.Result
	err      error
}

// loop starts tasks and takes their results until all is done, something
// failed or a drain was asked for; then it waits for what still runs.
func (r *runner) loop(ctx context.Context) error {
	r.results = make(chan taskDone)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	drain := r.opt.Drain
	r.startSources(ctx)
	for {
		r.startReady(ctx)
		if r.active == 0 {
			return r.ending(ctx)
		}
		select {
		case d := <-r.results:
			r.take(ctx, d)
		case <-drain:
			r.draining, drain = true, nil
		case <-tick.C:
			r.collector.adjust()
			r.observe()
		}
	}
}

// ending says how the run ended once nothing runs any more.
func (r *runner) ending(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("build stopped: %w", context.Cause(ctx))
	case len(r.errs) > 0:
		return errors.Join(r.errs...)
	case r.state.Done(), r.opt.Partial && !r.draining:
		return nil
	case r.draining:
		return ErrInterrupted
	}
	return errors.New("the build cannot go on although nodes are unfinished; this is a bug in the executor")
}

func (r *runner) startReady(ctx context.Context) {
	if r.draining || ctx.Err() != nil {
		return
	}
	free := map[pipeline.Resource]int{}
	for _, res := range []pipeline.Resource{pipeline.CPU, pipeline.FFmpeg, pipeline.Model, pipeline.Network} {
		free[res] = max(1, r.opt.Limits[res]) - r.running[res]
	}
	for _, t := range r.state.Next(free) {
		r.start(ctx, t)
	}
}

func (r *runner) start(ctx context.Context, t pipeline.Task) {
	res := r.nodes[r.index[t.Node]].Step.Spec.Resource
	r.running[res]++
	r.active++
	go func() {
		results, err := pipeline.Execute(ctx, r.rt, t)
		r.results <- taskDone{task: t, resource: res, results: results, err: err}
	}()
}

func (r *runner) take(ctx context.Context, d taskDone) {
	r.running[d.resource]--
	r.active--
	if d.err != nil {
		r.fail(d)
		return
	}
	complete, err := r.state.Complete(d.task, d.results)
	if err != nil {
		r.stop(err)
		return
	}
	for _, name := range complete {
		if err := r.complete(ctx, name); err != nil {
			r.stop(err)
		}
	}
}

// fail ends the run over a task, unless the run is partial and the task may fare
// better in another.
func (r *runner) fail(d taskDone) {
	var lost *pipeline.Rejection
	if r.opt.Partial && errors.As(d.err, &lost) && lost.Transient {
		r.state.Hold(d.task.Node)
		r.holdAfter(d.task.Node)
		return
	}
	r.stop(d.err)
}

// stop keeps an error and starts nothing new. Cancellations follow from
// something else and add nothing, nor does a cause that many tasks meet.
func (r *runner) stop(err error) {
	r.draining = true
	same := func(other error) bool { return cause(other).Error() == cause(err).Error() }
	if !errors.Is(err, context.Canceled) && !slices.ContainsFunc(r.errs, same) {
		r.errs = append(r.errs, err)
	}
}

// cause is the end of an error's chain.
func cause(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// holdAfter holds the folds that would miss what a node did not give.
func (r *runner) holdAfter(name string) {
	r.partial[name] = true
	for _, n := range r.nodes {
		if slices.Contains(n.Step.From, name) && !n.Step.Each {
			r.state.Hold(n.Step.Name)
		}
	}
}

// complete stores the units of a finished node and remembers the run.
func (r *runner) complete(ctx context.Context, name string) error {
	node := &r.nodes[r.index[name]]
	done := r.state.Take(name)
	node.Summary = done.Summary
	encoded, err := pipeline.EncodeUnits(done.Units)
	if err != nil {
		return fmt.Errorf("node %s: %w", name, err)
	}
	blob, err := r.rt.Store.PutBlob(ctx, bytes.NewReader(encoded))
	if err != nil {
		return fmt.Errorf("node %s: store its units: %w", name, err)
	}
	node.Units = blob.Digest
	if r.opt.Partial && (node.Summary.Transient > 0 || slices.ContainsFunc(node.Step.From, func(up string) bool { return r.partial[up] })) {
		r.holdAfter(name)
		return nil
	}
	if err := r.remember(ctx, node, done, blob); err != nil {
		return fmt.Errorf("node %s: remember the run: %w", name, err)
	}
	if s := node.Summary; s.LossShare(node.Step.Kind) > node.Step.MaxLoss {
		return &LossError{Node: name, Kind: node.Step.Kind, Summary: s, Max: node.Step.MaxLoss}
	}
	return nil
}

func (r *runner) remember(ctx context.Context, node *Node, done pipeline.Finished, units pipeline.Blob) error {
	if done.Summary.Transient > 0 {
		return nil
	}
	key, err := r.memoryKey(*node)
	if err != nil {
		return err
	}
	c, err := done.Remember(key, units)
	if err != nil {
		return err
	}
	return r.rt.Store.Commit(ctx, []pipeline.Committed{c})
}

// memoryKey needs the summaries of the node's upstreams.
func (r *runner) memoryKey(n Node) (pipeline.Key, error) {
	var upstream []pipeline.Digest
	for _, from := range n.Step.From {
		upstream = append(upstream, r.nodes[r.index[from]].Summary.Outputs)
	}
	return n.Step.MemoryKey(upstream, n.Assets)
}

func (r *runner) observe() {
	if r.opt.Observe != nil {
		r.opt.Observe(r.state.Counts())
	}
}

func (r *runner) finished() []Node {
	var done []Node
	for _, n := range r.nodes {
		if n.Units != "" {
			done = append(done, n)
		}
	}
	return done
}
