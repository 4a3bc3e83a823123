package engine

import (
	"context"

	"github.com/memforge/memforge/pipeline"
)

// lastRun is what a node of this identity gave when it ran last, whatever its
// inputs were: most of them are mostly the same.
type lastRun struct {
	list   *unitList // sorted by In.ID; nil of a node that is one unit
	counts *VerdictCounts
	key    pipeline.Key // of the unit that a node was
}

// lastKey is where the last run of a node is remembered. Two nodes may have one
// identity, so its name is part of it. What a node that is one unit gave last says
// only which records need not be stored again, so there its configuration and
// version do not matter.
func lastKey(s Step) (pipeline.Key, error) {
	if !s.Each {
		s.Identity = pipeline.Identity{Kind: s.Kind, Use: s.Use, Config: pipeline.RawConfig(`{}`)}
	}
	return s.Identity.RunKey([]pipeline.Digest{pipeline.DigestOf([]byte("last run of " + s.Name))}, nil)
}

// loadLastRun tells the state what the last run of a node gave, and keeps of a node that is
// one unit its key.
func (d *Scheduler) loadLastRun(ctx context.Context, n *StepRun) error {
	key, err := lastKey(n.Step)
	if err != nil {
		return err
	}
	memory, blobs, err := d.memory(ctx, key)
	if memory == nil || err != nil {
		return err
	}
	if !n.Step.Each {
		d.last[n.Step.Name] = lastRun{key: memory.Unit}
		return nil
	}
	list, err := loadList(ctx, d.rt.Store, memory.Units, d.rt.TempRoot, largeList)
	if err != nil {
		return err
	}
	d.last[n.Step.Name] = lastRun{list: list, counts: memory.Summary.Verdicts}
	return d.state.setLastRun(n.Step.Name, list, blobs)
}

// setLastRun tells what units of a node gave in another run of its identity, sorted by
// In.ID, and the blobs that they rest on. Of an input that is among theirs no task
// is made: what it gives is known.
func (s *State) setLastRun(node string, units *unitList, blobs []pipeline.Digest) error {
	n := s.index[node]
	n.lastUnits, n.outputs.expect = units, units.len()
	if s.bound != nil {
		n.outputs.expect = min(n.outputs.expect, s.bound.max)
	}
	for _, b := range blobs {
		if err := n.blobs.add(b); err != nil {
			return err
		}
	}
	return nil
}

// lookUpLast is what is known of an input, if it is. Inputs come mostly in order.
func (n *stepState) lookUpLast(in pipeline.Ref) (u pipeline.Unit, ok bool, err error) {
	if n.ahead < n.lastUnits.len() {
		u, ok, err = n.lastUnits.unitOf(n.ahead, in)
	}
	if !ok && err == nil {
		if n.ahead = n.lastUnits.find(in.ID); n.ahead < n.lastUnits.len() {
			u, ok, err = n.lastUnits.unitOf(n.ahead, in)
		}
	}
	switch {
	case ok:
		n.again = append(n.again, int32(n.ahead))
		n.ahead++
	case n.ahead < n.lastUnits.len() && string(n.lastUnits.input(n.ahead)) == in.ID: // which has changed
		n.ahead++
	}
	return u, ok, err
}

// verdicts counts those of a gate's units: from the count of its last run, by the
// units alone in which the two differ.
func (l lastRun) verdicts(ctx context.Context, st pipeline.Store, done StepResult) (*VerdictCounts, error) {
	fresh, _ := done.newUnits()
	sum, err := countVerdicts(ctx, st, fresh)
	if err != nil || l.list == nil {
		return sum, err
	}
	counts := l.counts
	if counts == nil { // remembered by a version that did not count verdicts
		if counts, err = countVerdicts(ctx, st, l.list.others(nil)); err != nil {
			return nil, err
		}
	}
	gone, err := countVerdicts(ctx, st, l.list.others(done.again))
	if err != nil {
		return nil, err
	}
	sum.addTimes(counts, 1)
	sum.addTimes(gone, -1)
	return sum, nil
}
