package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// lastRun is what a node of this identity gave when it ran last, whatever its
// inputs were: most of them are mostly the same.
type lastRun struct {
	units  []pipeline.Unit // sorted by In.ID; none of a node that is one unit
	counts *Verdicts
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

// know tells the state what the last run of a node gave, and keeps of a node that is
// one unit its key.
func (d *Drive) know(ctx context.Context, n *NodeRun) error {
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
	units, err := LoadUnits(ctx, d.rt.Store, memory.Units)
	if err != nil {
		return err
	}
	d.last[n.Step.Name] = lastRun{units: units, counts: memory.Summary.Verdicts}
	d.state.Know(n.Step.Name, units, blobs)
	return nil
}

// Know tells what units of a node gave in another run of its identity, sorted by
// In.ID, and the blobs that they rest on. Of an input that is among theirs no task
// is made: what it gives is known.
func (s *State) Know(node string, units []pipeline.Unit, blobs []pipeline.Digest) {
	n := s.index[node]
	n.known = units
	// It will give about as many again.
	n.units = slices.Grow(n.units, len(units)+len(units)/16)
	n.outputs = make(map[string]pipeline.Digest, len(units))
	for _, b := range blobs {
		n.blobs[b] = true
	}
}

// unitOf finds the unit of an input among units that are sorted by In.ID.
func unitOf(units []pipeline.Unit, in pipeline.Ref) (pipeline.Unit, bool) {
	i, ok := slices.BinarySearchFunc(units, in.ID, func(u pipeline.Unit, id string) int { return strings.Compare(u.In.ID, id) })
	if !ok || units[i].In != in {
		return pipeline.Unit{}, false
	}
	return units[i], true
}

// verdicts counts those of a gate's units: from the count of its last run, if that
// is known, by the units alone in which the two differ.
func (l lastRun) verdicts(ctx context.Context, st pipeline.Store, units []pipeline.Unit) (*Verdicts, error) {
	if l.counts == nil {
		return VerdictsOf(ctx, st, units)
	}
	come, err := VerdictsOf(ctx, st, without(units, l.units))
	if err != nil {
		return nil, err
	}
	gone, err := VerdictsOf(ctx, st, without(l.units, units))
	if err != nil {
		return nil, err
	}
	sum := &Verdicts{Outcomes: map[string]int{}}
	sum.plus(l.counts, 1)
	sum.plus(come, 1)
	sum.plus(gone, -1)
	return sum, nil
}

// without are the units whose inputs are not among those of others; both are
// sorted by In.ID.
func without(units, others []pipeline.Unit) (out []pipeline.Unit) {
	for _, u := range units {
		for len(others) > 0 && others[0].In.ID < u.In.ID {
			others = others[1:]
		}
		if len(others) == 0 || others[0].In != u.In {
			out = append(out, u)
		}
	}
	return out
}
