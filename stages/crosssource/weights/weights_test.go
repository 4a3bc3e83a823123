package weights_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/stages/crosssource/weights"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		list []weights.Range
		want string
	}{
		{[]weights.Range{{From: 2, To: 9, Weight: 1}}, ""},
		{[]weights.Range{{From: 2, Weight: 1}, {From: 9, Weight: 0}}, ""},
		{[]weights.Range{{From: 5, To: 5, Weight: 1}}, ""},
		{nil, "sizes gives weight to no number"},
		{[]weights.Range{{From: 2, Weight: 0}}, "sizes gives weight to no number"},
		{[]weights.Range{{From: 1, Weight: 1}}, "sizes has 1 to 1 with weight 1; want numbers from 2 to 9"},
		{[]weights.Range{{From: 10, Weight: 1}}, "sizes has 10 to 10 with weight 1; want numbers from 2 to 9"},
		{[]weights.Range{{From: 3, To: 10, Weight: 1}}, "sizes has 3 to 10 with weight 1; want numbers from 2 to 9"},
		{[]weights.Range{{From: 6, To: 5, Weight: 1}}, "sizes has 6 to 6 with weight 1; want numbers from 2 to 9"},
		{[]weights.Range{{From: 6, Weight: -1}}, "sizes has 6 to 6 with weight -1; want numbers from 2 to 9"},
	} {
		got := ""
		if err := weights.Check("sizes", c.list, 2, 9); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%+v: %q, want %q", c.list, got, c.want)
		}
	}
}

// TestNumbersComeByWeight: each number of a range is as likely, and the ranges are as
// likely as their weights say.
func TestNumbersComeByWeight(t *testing.T) {
	list := []weights.Range{{From: 3, Weight: 1}, {From: 5, To: 6, Weight: 3}, {From: 8, Weight: 0}}
	if mean := weights.Mean(list); mean != (3+3*5.5)/4 {
		t.Errorf("the mean is %v, want %v", mean, (3+3*5.5)/4)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	count := map[int]int{}
	for range 8000 {
		count[weights.PickNumber(rnd, list)]++
	}
	for n, want := range map[int]int{3: 2000, 5: 3000, 6: 3000} {
		if count[n] < want-200 || count[n] > want+200 {
			t.Errorf("%d was drawn %d times of 8,000, want about %d", n, count[n], want)
		}
	}
	if len(count) != 3 {
		t.Errorf("drawn: %v", count)
	}
}

func TestSample(t *testing.T) {
	rnd, all := rand.New(rand.NewPCG(1, 1)), []string{"a", "b", "c"}
	seen := map[string]int{}
	for range 300 {
		two := weights.Sample(rnd, all, 2)
		if len(two) != 2 || two[0] == two[1] {
			t.Fatalf("two of three: %q", two)
		}
		seen[two[0]]++
		if !slices.Contains(all, weights.Pick(rnd, all)) {
			t.Error("something else is picked")
		}
	}
	if fmt.Sprint(len(seen), len(weights.Sample(rnd, all, 3)), len(weights.Sample(rnd, all, 0))) != "3 3 0" {
		t.Errorf("first of two: %v", seen)
	}
}
