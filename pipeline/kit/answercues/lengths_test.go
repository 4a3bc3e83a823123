package answercues

import "testing"

// TestLengthsOutOfReach: a length is out of reach of one that is a quarter and eight characters shorter.
func TestLengthsOutOfReach(t *testing.T) {
	for _, tc := range []struct {
		long, short int
		want        bool
	}{{18, 8, false}, {19, 8, true}, {8, 0, false}, {9, 0, true}, {58, 40, false}, {59, 40, true}, {5, 40, false}} {
		if got := outlier(tc.long, tc.short); got != tc.want {
			t.Errorf("%d beside %d: %t", tc.long, tc.short, got)
		}
	}
}
