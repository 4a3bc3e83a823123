package engine

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// storedOutputs are records that a task which is one unit may give and that are in the
// store: what it gave last, in the order in which it gave it, and the items that a
// gate hands on.
type storedOutputs struct {
	last, items []pipeline.Ref
	all         map[pipeline.Digest]bool // of both, once one is sought out of order
}

func loadStoredOutputs(ctx context.Context, st pipeline.Store, t pipeline.Task) (*storedOutputs, error) {
	s := &storedOutputs{}
	if t.Each {
		return s, nil
	}
	if t.Identity.Kind == pipeline.KindGate {
		s.items = t.Inputs
	}
	if t.LastKey == "" {
		return s, nil
	}
	found, err := st.Results(ctx, []pipeline.Key{t.LastKey})
	if err != nil {
		return nil, fmt.Errorf("look up what it gave last: %w", err)
	}
	s.last = found[t.LastKey].Outputs
	return s, nil
}

// has reports whether the output that is given after so many others is known to be in
// the store. Mostly they are the same as last, in the same order. One that has
// changed since is taken for new, without a look at all others.
func (s *storedOutputs) has(after int, out pipeline.Ref) bool {
	if after < len(s.last) && s.last[after].ID == out.ID && (s.items == nil || s.last[after].Digest == out.Digest) {
		return s.last[after].Digest == out.Digest
	}
	if s.all == nil {
		s.all = make(map[pipeline.Digest]bool, len(s.last)+len(s.items))
		for _, refs := range [][]pipeline.Ref{s.last, s.items} {
			for _, r := range refs {
				s.all[r.Digest] = true
			}
		}
	}
	return s.all[out.Digest]
}
