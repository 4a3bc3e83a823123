package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// mostCarried is how many inputs of one unit travel with its task: as JSON they
// take some 128 KB. More of them are read from Task.Lists.
const mostCarried = 1024

// withInputs is a task with the inputs that its lists stand for: what is on them of
// the schemas that its plugin accepts, by id.
func withInputs(ctx context.Context, rt Runtime, t pipeline.Task) (pipeline.Task, error) {
	if len(t.Lists) == 0 {
		return t, nil
	}
	if t.Each || len(t.Inputs) > 0 {
		return t, errors.New("only a task that is one unit has its inputs in lists, and then in nothing else")
	}
	plugin, err := rt.Registry.Build(t.Identity)
	if err != nil {
		return t, err
	}
	for _, list := range t.Lists {
		for r, err := range outputsOf(ctx, rt.Store, list, plugin.Spec().Accepts) {
			if err != nil {
				return t, fmt.Errorf("read its inputs: %w", err)
			}
			t.Inputs = append(t.Inputs, r)
		}
	}
	sortRefs(t.Inputs)
	t.Inputs = slices.Compact(t.Inputs)
	for i := range t.Inputs[min(1, len(t.Inputs)):] {
		if id := t.Inputs[i].ID; id == t.Inputs[i+1].ID {
			return t, fmt.Errorf("read its inputs: record %q: %w", id, errDuplicate)
		}
	}
	t.Lists = nil
	return t, nil
}

// outputsOf are the outputs of some schemas that a list of units names, in its order.
func outputsOf(ctx context.Context, st pipeline.Store, list pipeline.Digest, schemas []string) iter.Seq2[pipeline.Ref, error] {
	return func(yield func(pipeline.Ref, error) bool) {
		for u, err := range storedUnits(ctx, st, list, func() *unitReader { return (&unitReader{}).together() }) {
			if err != nil {
				yield(pipeline.Ref{}, err)
				return
			}
			for _, r := range u.Out {
				if slices.Contains(schemas, r.Schema) && !yield(r, nil) {
					return
				}
			}
		}
	}
}

// A fold reads its inputs in batches: the more records are sought together, the
// closer they lie. What a batch takes is known of the one before.
const (
	leastRead, mostRead = 512, 64 << 10 // records
	readBytes           = 4 << 20       // of data
	readGrowth          = 16            // of a batch over the one before
)

// collection reads the inputs of a fold in batches.
func (u *unitRun) collection(ctx context.Context) pipeline.Collection {
	all := func(yield func(pipeline.Record, error) bool) {
		batch := leastRead
		for refs := u.task.Inputs; len(refs) > 0; {
			n := min(batch, len(refs))
			recs, err := loadRefs(ctx, u.rt.Store, refs[:n])
			if err != nil {
				yield(pipeline.Record{}, err)
				return
			}
			refs, batch = refs[n:], nextBatch(recs)
			for _, r := range recs {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
	return pipeline.Collection{Len: len(u.task.Inputs), All: all}
}

// nextBatch is how many records of the size of these take readBytes, within bounds.
func nextBatch(recs []pipeline.Record) int {
	size := 1
	for _, r := range recs {
		size += len(r.Data)
	}
	return max(leastRead, min(mostRead, readGrowth*len(recs), readBytes*len(recs)/size))
}
