package engine

import (
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// Complete takes the results of a task handed out before, one per unit, and
// passes the outputs on. It returns the nodes that became complete by it. Results
// that are not those of the task are a *ResultsError and change nothing.
func (s *State) Complete(t pipeline.Task, results []pipeline.Result) ([]string, error) {
	n, at, err := s.taskAtWork(t, results)
	if err != nil {
		return nil, err
	}
	inputs := n.handed[at]
	n.handed = slices.Delete(n.handed, at, at+1)
	if !t.Each {
		n.outputs.expect = len(results[0].Outputs)
	}
	for i, r := range results {
		u := pipeline.Unit{Key: r.Key, Out: r.Outputs, Rejections: r.Rejections}
		if t.Each {
			u.In = inputs[i]
		}
		if s.limit > 0 && n.step.Kind == pipeline.KindSource {
			u.Out = s.limited(u.Out)
		}
		if r.Reused {
			n.summary.Reused++
		}
		for _, b := range r.Blobs {
			if err := n.blobs.add(b); err != nil {
				return nil, err
			}
		}
		if err := n.add(u); err != nil {
			return nil, err
		}
	}
	return s.completeIdle(), nil
}

// taskAtWork finds the node that waits for a task, and which of its tasks that is, and
// holds the results against it.
func (s *State) taskAtWork(t pipeline.Task, results []pipeline.Result) (*stepState, int, error) {
	n, ok := s.index[t.Step]
	if !ok {
		return nil, 0, &ResultsError{Step: t.Step, Why: "the plan has no such node"}
	}
	at := slices.IndexFunc(n.handed, func(inputs []pipeline.Ref) bool { return len(t.Lists) > 0 || slices.Equal(inputs, t.Inputs) })
	if at < 0 || t.Each != n.step.Each {
		return nil, 0, &ResultsError{Step: t.Step, Why: "no such task of the node is at work"}
	}
	t.Inputs, t.Lists = n.handed[at], nil
	if n.step.Kind != pipeline.KindSource { // whose assets only the driver knows
		t.Identity = n.step.Identity
	}
	keys, err := t.Keys()
	if err != nil {
		return nil, 0, err
	}
	if n.key != "" {
		keys = []pipeline.Key{n.key}
	}
	if len(keys) != len(results) {
		return nil, 0, &ResultsError{Step: t.Step, Why: fmt.Sprintf("%d results for %d units", len(results), len(keys))}
	}
	for i, r := range results {
		if r.Key != keys[i] {
			return nil, 0, &ResultsError{Step: t.Step, Why: fmt.Sprintf("result %d has the key %s, its unit %s", i, r.Key, keys[i])}
		}
	}
	return n, at, nil
}
