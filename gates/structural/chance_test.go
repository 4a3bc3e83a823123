package structural

import (
	"math"
	"testing"
)

func TestAtLeast(t *testing.T) {
	tests := []struct {
		k, n int
		p    float64
		want float64
	}{{0, 5, 0.5, 1}, {5, 5, 0.5, 1.0 / 32}, {4, 5, 0.5, 6.0 / 32}, {1, 2, 0.25, 7.0 / 16}, {600, 1000, 0.5, 1.3642e-10}}
	for _, tt := range tests {
		if got := BinomialTail(tt.k, tt.n, tt.p); math.Abs(got-tt.want) > 1e-4*tt.want {
			t.Errorf("AtLeast(%d, %d, %g) = %g, want %g", tt.k, tt.n, tt.p, got, tt.want)
		}
	}
}
