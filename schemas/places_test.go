package schemas_test

import (
	"math/rand/v2"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestPlaces: each place is dealt as often as others, and neither a number nor the place
// before tells it.
func TestPlaces(t *testing.T) {
	const decks, n, options = 200, 41, 4
	var steps, byNumber [options]int
	for seed := range uint64(decks) {
		places := schemas.BalancedPlaces(rand.New(rand.NewPCG(seed, 1)), n, options)
		var counts [options]int
		for i, p := range places {
			counts[p]++
			byNumber[(p+i)%options]++
			if i > 0 {
				steps[(p-places[i-1]+options)%options]++
			}
		}
		for p, c := range counts {
			if c < n/options || c > n/options+1 {
				t.Fatalf("seed %d: place %d is dealt %d times of %d", seed, p, c, n)
			}
		}
	}
	for i := range options {
		for name, c := range map[string]int{"step": steps[i], "sum with its number": byNumber[i]} {
			if share := float64(c) / float64(decks*n); share < 0.22 || share > 0.28 {
				t.Errorf("%s %d: %.3f, want a quarter", name, i, share)
			}
		}
	}
}
