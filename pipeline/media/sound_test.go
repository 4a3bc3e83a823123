package media

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
)

// TestCorrelationsAreThoseOfEachStretch compares the quick way with the plain
// one, on loud noise around a stretch of silence and a constant tone.
func TestCorrelationsAreThoseOfEachStretch(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	source, heard := make([]float64, 50), make([]float64, 400)
	for i := range source {
		source[i] = 3000*rnd.Float64() + 500
	}
	for i := range heard {
		heard[i] = 60000*rnd.Float64() - 30000
	}
	copy(heard[100:], source)
	for i := range 80 {
		heard[200+i], heard[300+i] = 0, 1234.5
	}
	got := correlations(source, heard)
	if len(got) != 351 || math.Abs(got[100]-1) > 1e-9 {
		t.Fatalf("%d values, that of the source itself is %v", len(got), got[100])
	}
	for at, c := range got {
		want := stat.Correlation(source, heard[at:at+len(source)], nil)
		if math.IsNaN(want) {
			want = 0
		}
		if math.Abs(c-want) > 1e-6 {
			t.Errorf("at %d: %v, want %v", at, c, want)
		}
	}
	if got := correlations(make([]float64, 9), heard); got[0] != 0 {
		t.Errorf("of silence: %v", got[0])
	}
	if got := correlations(heard, source); len(got) != 0 {
		t.Errorf("of a source longer than what was heard: %d values", len(got))
	}
}
