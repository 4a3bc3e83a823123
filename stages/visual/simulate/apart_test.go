package simulate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/simulation"
)

// TestThingsSwapTheirValues: two things have values of different parts of a pool, which they
// swap at least once in the course of the visits, and never the same at one.
func TestThingsSwapTheirValues(t *testing.T) {
	pool := []string{"red", "blue", "green", "white", "black", "pink", "grey", "gold"}
	for visits := 2; visits <= 5; visits++ {
		for seed := range uint64(50) {
			// The parts are the halves of what is drawn first.
			ofJar := sample(rand.New(rand.NewPCG(seed, 1)), pool, len(pool))[len(pool)/2:]
			s := &visitState{rnd: rand.New(rand.NewPCG(seed, 1)), courses: map[simulation.Key][]string{}}
			s.planApart([]string{"cup", "jar"}, "colour", pool, visits)
			cup, jar := s.courses[newKey("cup", "colour")], s.courses[newKey("jar", "colour")]
			swapped := slices.ContainsFunc(cup, func(v string) bool { return slices.Contains(ofJar, v) })
			if len(cup) != visits || len(jar) != visits || !swapped {
				t.Errorf("seed %d: over %d visits the cup is %v and the jar %v, of %v", seed, visits, cup, jar, ofJar)
			}
			for i := range cup {
				if cup[i] == jar[i] || slices.Contains(ofJar, cup[i]) == slices.Contains(ofJar, jar[i]) {
					t.Errorf("seed %d: at visit %d of %d the cup is %s and the jar %s", seed, i, visits, cup[i], jar[i])
				}
			}
		}
	}
}
