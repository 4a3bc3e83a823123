package review

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Sampling says which items people are to see.
type Sampling struct {
	// By lists what the items of a stratum have in common: type, family, split,
	// source (those of the item's task) or the name of a label.
	By []string
	// Share of each stratum that is drawn, rounded up; at least Least items.
	Share float64
	Least int
	// Seed decides which.
	Seed uint64
}

// Check reports a sampling that draws nothing.
func (s Sampling) Check() error {
	if len(s.By) == 0 || !(s.Share > 0 && s.Share <= 1) || s.Least < 0 {
		return fmt.Errorf("draw a share of %g, at least %d, by %q: want a share above 0 up to 1, 0 or more, and something to draw by", s.Share, s.Least, s.By)
	}
	return nil
}

// Stratum holds the values of By for a question, in its order.
func (s Sampling) Stratum(q schemas.Question, sources []string) []string {
	out := make([]string, len(s.By))
	for i, key := range s.By {
		out[i] = q.Value(key, strings.Join(slices.Sorted(slices.Values(sources)), "+"))
	}
	return out
}

// Draw takes the items of a stratum that have the least rank. An item more or less
// in it changes the draw by one item at most.
func (s Sampling) Draw(ids []string) []string {
	rank := func(id string) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s", s.Seed, id)
		return h.Sum64()
	}
	ranked := slices.SortedFunc(slices.Values(ids), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
	})
	n := max(s.Least, int(math.Ceil(s.Share*float64(len(ids)))))
	return ranked[:min(n, len(ids))]
}

// Unit is the item that stands for a question in a draw: questions of one mirror
// group ask the same, so who reviews one reviews all.
func Unit(q schemas.Question) string { return cmp.Or(q.Labels[schemas.LabelMirror], q.QuestionID) }
