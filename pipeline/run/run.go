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

// Options of one run.
type Options struct {
	// Limits is how many tasks run at once per resource; at least 1 each.
	Limits map[pipeline.Resource]int
	// Observe, if set, is called with the progress of all nodes, from one
	// goroutine, about ten times a second and once at the end.
	Observe func([]pipeline.Count)
	// Partial is for runs that only find out what there is to ask: a loss ends
	// nothing, and folds whose input lacks items wait for another run. What would
	// have ended a whole run is a *LostError at the end.
	Partial bool
	// Limit is how many records of each schema sources hand on; 0 means all. What a
	// node loses is then no reason to end the run.
	Limit int
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
	state.Limit(opt.Limit)
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
	lost      []error // of a partial run
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
	case r.draining && !r.state.Done():
		return ErrInterrupted
	case len(r.lost) > 0:
		return &LostError{errors.Join(r.lost...)}
	case r.state.Done(), r.opt.Partial:
		return nil
	case len(r.partial) > 0:
		return ErrWaiting
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

// fail ends the run over a task, unless an answer is still to come for it, or the
// run is partial and the task lost what it works on.
func (r *runner) fail(d taskDone) {
	var lost *pipeline.Rejection
	if !errors.As(d.err, &lost) || !lost.Waiting && !r.opt.Partial {
		r.stop(d.err)
		return
	}
	if !lost.Transient {
		r.lost = append(r.lost, d.err)
	}
	r.state.Hold(d.task.Node)
	r.holdAfter(d.task.Node)
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
	if err := r.countVerdicts(ctx, node.Step, &done); err != nil {
		return fmt.Errorf("node %s: %w", name, err)
	}
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
	if r.incomplete(node) {
		r.holdAfter(name)
		return nil
	}
	if err := r.remember(ctx, node, done, blob); err != nil {
		return fmt.Errorf("node %s: remember the run: %w", name, err)
	}
	return r.bounded(node)
}

// bounded holds a node to its bounds. In a partial run, what a node lost ends
// nothing but the folds after it, and in a trial nothing at all.
func (r *runner) bounded(n *Node) error {
	if r.opt.Limit > 0 {
		return nil
	}
	err := checkBounds(n)
	if err == nil || !r.opt.Partial {
		return err
	}
	r.lost = append(r.lost, err)
	r.holdAfter(n.Step.Name)
	return nil
}

// incomplete reports whether another run will give more of a node than this one.
func (r *runner) incomplete(n *Node) bool {
	return n.Summary.Waiting > 0 || r.opt.Partial && n.Summary.Transient > 0 ||
		slices.ContainsFunc(n.Step.From, func(up string) bool { return r.partial[up] })
}

// countVerdicts adds to what a gate has done what its verdicts amount to.
func (r *runner) countVerdicts(ctx context.Context, s pipeline.Step, done *pipeline.Finished) (err error) {
	if s.Kind != pipeline.KindGate {
		return nil
	}
	done.Summary.Verdicts, err = pipeline.VerdictsOf(ctx, r.rt.Store, done.Units)
	r.state.Tell(s.Name, done.Summary.Verdicts)
	return err
}

// checkBounds says whether a node lost too much, or judged too little. Neither
// bound is part of any key, so a remembered run is judged afresh. The copies of a
// gate that judge what was rewritten see few items and may judge none of them.
func checkBounds(n *Node) error {
	if s := n.Summary; s.LossShare(n.Step.Kind) > n.Step.MaxLoss {
		return &LossError{Node: n.Step.Name, Kind: n.Step.Kind, Summary: s, Max: n.Step.MaxLoss}
	}
	if _, round := pipeline.SplitRound(n.Step.Name); n.Summary.Verdicts == nil || round > 0 {
		return nil
	}
	return n.Summary.Verdicts.Check(n.Step.Name, n.Step.MaxInsufficient)
}

func (r *runner) remember(ctx context.Context, node *Node, done pipeline.Finished, units pipeline.Blob) error {
	if done.Summary.Transient > 0 || r.forgets(node.Step) {
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

// forgets reports whether a node's run is not to be remembered, nor recalled: a
// limited source hands on less than its key says.
func (r *runner) forgets(s pipeline.Step) bool {
	return r.opt.Limit > 0 && s.Kind == pipeline.KindSource
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
