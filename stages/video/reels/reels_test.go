package reels

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
)

func clip(category, label string) schemas.Video {
	return schemas.Video{Category: category, Labels: map[string]string{"action": label}}
}

// TestGroupProperties checks the contract on random collections, and that no
// more groups could have been made (the bound of Hall's condition).
func TestGroupProperties(t *testing.T) {
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		size := 2 + rnd.IntN(4)
		var clips []schemas.Video
		counts := map[string]int{}
		for range rnd.IntN(40) {
			label := fmt.Sprint("l", rnd.IntN(7))
			clips = append(clips, clip("c", label))
			counts[label]++
		}
		groups, left := GroupClips(clips, "action", nil, size, rand.New(rand.NewPCG(seed, 2)))
		seen := slices.Clone(left)
		for _, g := range groups {
			labels := map[string]bool{}
			for _, i := range g {
				labels[clips[i].Labels["action"]] = true
			}
			if len(g) != size || len(labels) != size {
				t.Fatalf("seed %d: group %v has %d labels, want %d", seed, g, len(labels), size)
			}
			seen = append(seen, g...)
		}
		slices.Sort(seen)
		if len(slices.Compact(slices.Clone(seen))) != len(clips) || len(seen) != len(clips) {
			t.Fatalf("seed %d: %d clips dealt and left, want each of %d once", seed, len(seen), len(clips))
		}
		if most := mostGroups(counts, size); len(groups) != most {
			t.Fatalf("seed %d: %d groups of %d from %v, want %d", seed, len(groups), size, counts, most)
		}
		again, _ := GroupClips(clips, "action", nil, size, rand.New(rand.NewPCG(seed, 2)))
		if !reflect.DeepEqual(groups, again) {
			t.Fatalf("seed %d: two runs differ", seed)
		}
	}
}

// mostGroups is the largest g with sum(min(count, g)) >= g*size.
func mostGroups(counts map[string]int, size int) int {
	for g := 100; g > 0; g-- {
		sum := 0
		for _, n := range counts {
			sum += min(n, g)
		}
		if sum >= g*size {
			return g
		}
	}
	return 0
}

func TestGroupKeepsCategoriesApart(t *testing.T) {
	clips := []schemas.Video{clip("a", "x"), clip("b", "y"), clip("a", "z"), clip("b", "x"), clip("c", "q")}
	groups, left := GroupClips(clips, "action", nil, 2, rand.New(rand.NewPCG(1, 1)))
	if len(groups) != 2 || !reflect.DeepEqual(left, []int{4}) {
		t.Fatalf("groups %v left %v, want one group in a and one in b, and clip 4 left", groups, left)
	}
	for _, g := range groups {
		if clips[g[0]].Category != clips[g[1]].Category {
			t.Errorf("group %v mixes categories", g)
		}
	}
}
