package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestALimitAloneLeavesSeveral: of a definition with an exception one thing fits both and
// one the definition alone, and of the other two options one keeps to the exception. So
// neither of the two alone leaves less than two options.
func TestALimitAloneLeavesSeveral(t *testing.T) {
	for seed := range uint64(2000) {
		s := &simulator{namer: &namer{rnd: rand.New(rand.NewPCG(seed, 1))}}
		g := s.pickGrades(true)
		keeps := func(i int) bool { return g.second[i] == g.limit || g.second[i] < g.limit == g.above }
		fits := func(i int) bool { return g.first[i] >= g.low && g.first[i] <= g.high }
		var got []string
		for _, i := range append([]int{g.right}, g.wrong...) {
			got = append(got, fmt.Sprint(fits(i), keeps(i)))
		}
		if want := "[true true true false false true false false]"; fmt.Sprint(got) != want {
			t.Fatalf("seed %d: options fit and keep %v, want %s: %+v", seed, got, want, g)
		}
		all := 0
		for i := range g.first {
			all += map[bool]int{true: 1}[fits(i)]
		}
		if all != 2 {
			t.Errorf("seed %d: %d things fit the definition", seed, all)
		}
	}
}

// TestAnyBarMayBeRight: who sees chart and table and neither definition nor exception
// finds each rank among the bars, among the options and by the second number right as
// often, with and without an exception.
func TestAnyBarMayBeRight(t *testing.T) {
	const n = 6000
	for _, limited := range []bool{false, true} {
		ranks := map[string]int{}
		for seed := range uint64(n) {
			s := &simulator{namer: &namer{rnd: rand.New(rand.NewPCG(seed, 2))}}
			g := s.pickGrades(limited)
			options := append([]int{g.right}, g.wrong...)
			if len(slices.Compact(slices.Sorted(slices.Values(options)))) != 4 {
				t.Fatalf("seed %d: options %v", seed, options)
			}
			ranks[fmt.Sprint("bar ", rankOf(g.first, g.right, []int{0, 1, 2, 3, 4, 5}))]++
			ranks[fmt.Sprint("option ", rankOf(g.first, g.right, options))]++
			ranks[fmt.Sprint("other ", rankOf(g.second, g.right, options))]++
		}
		for what, share := range map[string]float64{"bar": 1. / 6, "option": 1. / 4, "other": 1. / 4} {
			for rank := range int(1 / share) {
				if got := float64(ranks[fmt.Sprint(what, " ", rank)]) / n; got < 0.85*share || got > 1.15*share {
					t.Errorf("limited %v: the %s of rank %d is right in %.3f, want %.3f", limited, what, rank, got, share)
				}
			}
		}
	}
}

// rankOf returns how many of some places have less than one.
func rankOf(numbers []int, of int, among []int) (rank int) {
	for _, i := range among {
		if numbers[i] < numbers[of] {
			rank++
		}
	}
	return rank
}
