package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/simulation"
)

// figureLives simulates lives of the scenarios with figures.
func figureLives(t *testing.T, seeds int, sizes []int, with func(Simulation)) {
	t.Helper()
	for _, s := range scenarios("cartoon_companion", "social_chat") {
		for seed := range seeds {
			for _, n := range sizes {
				l, err := s.Simulate(rand.New(rand.NewPCG(uint64(seed), 1)), Size{Sessions: 1 + n/3, Rounds: 2*n + 1, Pictures: n})
				if err != nil {
					t.Fatalf("%s, seed %d, %d pictures: %v", s.Name, seed, n, err)
				}
				with(l)
			}
		}
	}
}

func TestLivesWithFiguresOfAnySize(t *testing.T) {
	lives := 0
	figureLives(t, 50, []int{1, 2, 5, 20}, func(Simulation) { lives++ })
	figureLives(t, 3, []int{87}, func(Simulation) { lives++ })
	if lives != 406 {
		t.Fatalf("%d lives, want 406", lives)
	}
}

// Whoever is seen tells the same aspects in every picture: an aspect that is told only
// now and then would make the last picture that tells it look like the last that shows it.
func TestFiguresTellTheSameEverywhere(t *testing.T) {
	figureLives(t, 10, []int{30}, func(l Simulation) {
		tells := map[string]string{}
		for at, s := range l.Scenes {
			for _, thing := range s.NamedThings() {
				known := slices.Sorted(slices.Values(thing.Tells))
				now := fmt.Sprint(known)
				if before, seen := tells[thing.Name]; seen && before != now && thing.Kind != "panel" {
					t.Fatalf("%s, picture %d: %s tells %s, and %s before", l.Scenario, at, thing.Name, now, before)
				}
				tells[thing.Name] = now
			}
		}
	})
}

// Lives have every way in which what is seen can change.
func TestFiguresChangeInEveryWay(t *testing.T) {
	seen := map[string]map[string]int{}
	figureLives(t, 10, []int{30}, func(l Simulation) {
		if seen[l.Scenario] == nil {
			seen[l.Scenario] = map[string]int{}
		}
		for _, c := range l.Chains() {
			seen[l.Scenario][c.Pattern()]++
		}
	})
	for name, patterns := range seen {
		for _, p := range []string{simulation.Steady, simulation.Override, simulation.StaleMajority, simulation.Reversal, simulation.Return} {
			if patterns[p] < 10 {
				t.Errorf("%s has %d chains of pattern %s in ten lives, want 10 or more: %v", name, patterns[p], p, patterns)
			}
		}
	}
}
