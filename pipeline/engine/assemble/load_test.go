package assemble

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// listed is a store of records that have their digests as ids.
type listed struct{ pipeline.Store }

func (listed) Records(_ context.Context, ds []pipeline.Digest) (out []pipeline.Record, err error) {
	for _, d := range ds {
		out = append(out, pipeline.Record{ID: string(d)})
	}
	return out, nil
}

// TestRecordsAreLoadedInOrder: also where they are just as many as are read at a time, and
// what fails on the way ends it.
func TestRecordsAreLoadedInOrder(t *testing.T) {
	refused, unread := errors.New("refused"), errors.New("unread")
	refs := func(n int, last error) iter.Seq2[pipeline.Ref, error] {
		return func(yield func(pipeline.Ref, error) bool) {
			for i := range n {
				if d := pipeline.DigestOf([]byte{byte(i), byte(i >> 8)}); !yield(pipeline.Ref{ID: string(d), Digest: d}, nil) {
					return
				}
			}
			if last != nil {
				yield(pipeline.Ref{}, last)
			}
		}
	}
	c := &collector{store: listed{}}
	for _, n := range []int{0, 1, readBatch - 1, readBatch, readBatch + 1, 2*readBatch + 3} {
		var want, got []string
		for ref := range refs(n, nil) {
			want = append(want, ref.ID)
		}
		err := c.load(t.Context(), refs(n, nil), func(ref pipeline.Ref, r pipeline.Record) error {
			if ref.ID != r.ID {
				t.Errorf("%s is visited as %s", r.ID, ref.ID)
			}
			got = append(got, r.ID)
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("of %d records %d were visited, or in another order: %v", n, len(got), err)
		}
		if err := c.load(t.Context(), refs(n, unread), func(pipeline.Ref, pipeline.Record) error { return nil }); !errors.Is(err, unread) {
			t.Errorf("a reference after %d cannot be read: %v", n, err)
		}
		for _, at := range []int{1, n} {
			visited := 0
			err := c.load(t.Context(), refs(n, nil), func(pipeline.Ref, pipeline.Record) error {
				if visited++; visited == at {
					return refused
				}
				return nil
			})
			if n > 0 && (!errors.Is(err, refused) || visited != at) {
				t.Errorf("visit %d of %d fails: %v after %d visits", at, n, err, visited)
			}
		}
	}
}
