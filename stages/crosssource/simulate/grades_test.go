package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestALimitAloneLeavesSeveral: of a definition with an exception one thing fits both, one
// the definition alone, and options that keep to the exception are two at least.
func TestALimitAloneLeavesSeveral(t *testing.T) {
	for seed := range uint64(2000) {
		s := &simulator{namer: &namer{rnd: rand.New(rand.NewPCG(seed, 1))}}
		g := s.pickGrades(true)
		var names []string
		fits, both := 0, 0
		for i, v := range g.first {
			names = append(names, fmt.Sprint("thing ", i))
			if v >= g.low && v <= g.high {
				fits++
				if g.second[i] <= g.limit {
					both++
				}
			}
		}
		if fits != 2 || both != 1 || g.second[g.right] > g.limit || g.second[g.excluded] <= g.limit {
			t.Fatalf("seed %d: %d fit the definition and %d both: %+v", seed, fits, both, g)
		}
		wrong := slices.Delete(slices.Clone(names), g.right, g.right+1)
		options := append(g.wrongNames(s, names, wrong), names[g.right])
		slices.Sort(options)
		within := slices.DeleteFunc(slices.Clone(options), func(o string) bool { return g.second[slices.Index(names, o)] > g.limit })
		if len(slices.Compact(options)) != 4 || len(within) < 2 || !slices.Contains(options, names[g.excluded]) {
			t.Errorf("seed %d: options %q, of which %q keep to the limit, beside what fits but for it, %s", seed, options, within, names[g.excluded])
		}
	}
}
