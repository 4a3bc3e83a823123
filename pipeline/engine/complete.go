package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// holdFoldsAfter holds the folds that would miss what a node did not give.
func (d *Scheduler) holdFoldsAfter(name string) {
	d.partial[name] = true
	for _, n := range d.nodes {
		if slices.Contains(n.Step.From, name) && !n.Step.Each {
			d.state.Hold(n.Step.Name)
		}
	}
}

// complete stores the units of a finished node and remembers the run.
func (d *Scheduler) complete(ctx context.Context, name string) error {
	node := &d.nodes[d.index[name]]
	done, err := d.takeFinished(name)
	if err != nil {
		return fmt.Errorf("node %s: %w", name, err)
	}
	if err := d.countVerdicts(ctx, node.Step, &done); err != nil {
		return fmt.Errorf("node %s: %w", name, err)
	}
	node.Summary = done.Summary
	blob, err := d.storeUnits(ctx, done)
	if err != nil {
		return fmt.Errorf("node %s: store its units: %w", name, err)
	}
	if err := errors.Join(d.last[name].list.close(), d.kept.drop(name)); err != nil {
		return fmt.Errorf("node %s: give scratch files back: %w", name, err)
	}
	delete(d.last, name)
	node.Units = blob.Digest
	if d.incomplete(node) {
		d.holdFoldsAfter(name)
		return nil
	}
	if err := d.remember(ctx, node, done, blob); err != nil {
		return fmt.Errorf("node %s: remember the run: %w", name, err)
	}
	return d.checkLosses(node)
}

// storeUnits writes the list of a node's units: at once, unless it is large.
func (d *Scheduler) storeUnits(ctx context.Context, done StepResult) (pipeline.Blob, error) {
	const large = 1 << 16
	if done.kept != nil || done.known != nil && done.known.file != nil || len(done.New) == 1 && len(done.New[0].Out) > large {
		r, stop := done.reader()
		defer stop()
		return d.rt.Store.PutBlob(ctx, r)
	}
	encoded, err := done.Encode()
	if err != nil {
		return pipeline.Blob{}, err
	}
	return d.rt.Store.PutBlob(ctx, bytes.NewReader(encoded))
}

// checkLosses holds a node to its bounds. In a partial run, what a node lost ends
// nothing but the folds after it, and in a trial nothing at all.
func (d *Scheduler) checkLosses(n *StepRun) error {
	if d.opt.Limit > 0 {
		return nil
	}
	err := checkBounds(n)
	if err == nil || !d.opt.Partial {
		return err
	}
	d.lost = append(d.lost, err)
	d.holdFoldsAfter(n.Step.Name)
	return nil
}

// incomplete reports whether another run will give more of a node than this one.
func (d *Scheduler) incomplete(n *StepRun) bool {
	return n.Summary.Waiting > 0 || d.opt.Partial && n.Summary.Transient > 0 ||
		slices.ContainsFunc(n.Step.From, func(up string) bool { return d.partial[up] })
}

// countVerdicts adds to what a gate has done what its verdicts amount to.
func (d *Scheduler) countVerdicts(ctx context.Context, s Step, done *StepResult) (err error) {
	if s.Kind != pipeline.KindGate {
		return nil
	}
	done.Summary.Verdicts, err = d.last[s.Name].verdicts(ctx, d.rt.Store, *done)
	d.state.SetVerdicts(s.Name, done.Summary.Verdicts)
	return err
}

// checkBounds says whether a node lost too much, or judged too little. Neither
// bound is part of any key, so a remembered run is judged afresh. The copies of a
// gate that judge what was rewritten see few items and may judge none of them.
func checkBounds(n *StepRun) error {
	if s := n.Summary; s.LossShare(n.Step.Kind) > n.Step.MaxLoss {
		return &LossError{Step: n.Step.Name, Kind: n.Step.Kind, Summary: s, Max: n.Step.MaxLoss}
	}
	if _, round := pipeline.SplitRound(n.Step.Name); n.Summary.Verdicts == nil || round > 0 {
		return nil
	}
	return n.Summary.Verdicts.Check(n.Step.Name, n.Step.MaxInsufficient)
}

func (d *Scheduler) remember(ctx context.Context, node *StepRun, done StepResult, units pipeline.Blob) error {
	if done.Summary.Transient > 0 || d.isLimitedSource(node.Step) {
		return nil
	}
	key, err := d.memoryKey(*node)
	if err != nil {
		return err
	}
	c, err := done.Remember(key, units)
	if err != nil {
		return err
	}
	both := []pipeline.Committed{c}
	if d.opt.Limit == 0 {
		if key, err = lastKey(node.Step); err != nil {
			return err
		}
		if c, err = done.Remember(key, units); err != nil {
			return err
		}
		both = append(both, c)
	}
	return d.rt.Store.Commit(ctx, both)
}

// isLimitedSource reports whether a node's run is not to be remembered, nor recalled: a
// limited source hands on less than its key says.
func (d *Scheduler) isLimitedSource(s Step) bool {
	return d.opt.Limit > 0 && s.Kind == pipeline.KindSource
}

// memoryKey needs the summaries of the node's upstreams.
func (d *Scheduler) memoryKey(n StepRun) (pipeline.Key, error) {
	var upstream []pipeline.Digest
	for _, from := range n.Step.From {
		upstream = append(upstream, d.nodes[d.index[from]].Summary.Outputs)
	}
	return n.Step.Identity.RunKey(upstream, n.Assets)
}
