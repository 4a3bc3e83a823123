package panel

import (
	"math"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// TestForecast holds the expected calls of a sound item against what follows
// from the chances: the first wrong answer ends a bypass, so 1/(1-p) calls, and
// two equal votes of three end a majority, so 2 + 2p(1-p). A third has the one label.
func TestForecast(t *testing.T) {
	in := pipeline.Volume{schemas.NameQuestion: {Records: 1000}}
	for _, tc := range []struct {
		gate, config string
		calls        float64
		full         float64
	}{
		{"option-only", `{}`, 1333, 8000},
		{"option-only", `{"full_protocol": true}`, 8000, 8000},
		{"option-only", `{"roles": ["panel_a"], "rotations": 1}`, 1000, 1000},
		{"correctness", `{}`, 2095, 3000},
		{"evidence-necessity", `{}`, 4190, 6000},
		{"taxonomy-y3", `{}`, 444, 5333},
	} {
		f := build(t, tc.gate, tc.config).Forecast(in)
		if math.Round(f.CallsFull) != tc.full || f.Calls < 0.92*tc.calls || f.Calls > 1.08*tc.calls {
			t.Errorf("%s %s: %.0f of %.0f calls, want about %.0f of %.0f", tc.gate, tc.config, f.Calls, f.CallsFull, tc.calls, tc.full)
		}
		if f.Out[schemas.NameProbes].Records != f.Calls || f.Out[schemas.NameQuestion].Records != 1000 || f.TokensIn <= 300*f.Calls || f.TokensOut <= 0 {
			t.Errorf("%s: %+v", tc.gate, f)
		}
	}
	if f := build(t, "oracle", `{"frames": 4}`).Forecast(in); f.Images != 8*f.Calls || f.Calls > 4000 {
		t.Errorf("%.0f images for %.0f calls", f.Images, f.Calls)
	}
	if f := build(t, "text-only", `{}`).Forecast(in); f.Images != 0 {
		t.Errorf("%.0f images of texts", f.Images)
	}
}
