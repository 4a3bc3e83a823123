package schemas_test

import (
	"math"
	"testing"

	"github.com/memforge/memforge/schemas"
)

func TestAWalkGoesFromRestToRest(t *testing.T) {
	if a, b, c := schemas.WalkProgress(0), schemas.WalkProgress(0.5), schemas.WalkProgress(1); a != 0 || math.Abs(b-0.5) > 1e-12 || c != 1 {
		t.Errorf("walked %g, %g, %g at the start, half time and the end", a, b, c)
	}
	if first, middle := schemas.WalkProgress(0.01), schemas.WalkProgress(0.51)-schemas.WalkProgress(0.5); first > middle/10 {
		t.Errorf("%g of the way in the first hundredth of the time, %g in the middle", first, middle)
	}
	const n = 1000
	for k := range n {
		u := float64(k) / n
		if schemas.WalkProgress(u+1.0/n) <= schemas.WalkProgress(u) {
			t.Errorf("no way is made after %g of the time", u)
		}
		if back := schemas.WalkTime(schemas.WalkProgress(u)); math.Abs(back-u) > 1e-9 {
			t.Errorf("%g of the way takes %g of the time, want %g", schemas.WalkProgress(u), back, u)
		}
	}
}
