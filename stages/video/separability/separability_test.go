package separability

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// seed draws what wavers.
func seed() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// still is a video of eight blocks of eight frames that all look the same but
// for brightness, which wavers by up to spread thousandths.
func still(look media.FrameAppearance, spread int32, rnd *rand.Rand) [][]media.FrameAppearance {
	out := make([][]media.FrameAppearance, 8)
	for i := range out {
		for range 8 {
			frame := look
			if spread > 0 {
				frame.Brightness += rnd.Int32N(2*spread+1) - spread
			}
			out[i] = append(out[i], frame)
		}
	}
	return out
}

// room is a picture of which two colours fill some share each.
func room(red, blue int32) media.FrameAppearance {
	a := media.FrameAppearance{Brightness: 500, Contrast: 200, Edges: 50}
	a.Colours[2], a.Colours[3], a.Colours[8] = 1000-red-blue, red, blue
	return a
}

func TestMeasure(t *testing.T) {
	brighter := room(100, 0)
	brighter.Brightness += 50
	for name, tc := range map[string]struct {
		a, b      [][]media.FrameAppearance
		want, tol float64
	}{
		"the same":                        {still(room(100, 0), 0, nil), still(room(100, 0), 0, nil), 0.5, 0},
		"one error apart in one feature":  {still(room(100, 0), 0, nil), still(brighter, 0, nil), 0.6915, 0.0001},
		"another colour all over":         {still(room(800, 0), 0, nil), still(room(0, 800), 0, nil), 1, 0.0001},
		"the same but for noise":          {still(room(100, 0), 40, seed()), still(room(100, 0), 40, rand.New(rand.NewPCG(3, 4))), 0.5, 0.05},
		"a few pixels, which never waver": {still(room(100, 0), 0, nil), still(room(101, 0), 0, nil), 0.5, 0.02},
	} {
		got := Measure(tc.a, tc.b)
		if math.Abs(got.Accuracy-tc.want) > tc.tol || got.Low > got.Accuracy || got.High < got.Accuracy {
			t.Errorf("%s: %+v, want %g", name, got, tc.want)
		}
		if got.Frames != 128 || got.Blocks != 8 || got.Method != Method {
			t.Errorf("%s: %+v, want 128 frames in 8 blocks", name, got)
		}
		if again := Measure(tc.a, tc.b); again != got {
			t.Errorf("%s: %+v and then %+v", name, got, again)
		}
	}
}

// TestMeasureFallsWithLikeness blends the look of one video into that of the
// other.
func TestMeasureFallsWithLikeness(t *testing.T) {
	var before schemas.Separability
	for step := range int32(6) {
		red := 300 - 60*step
		got := Measure(still(room(red, 0), 20, seed()), still(room(0, red), 20, rand.New(rand.NewPCG(5, 6))))
		if step > 0 && got.Accuracy >= before.Accuracy {
			t.Errorf("%d thousandths of colour: %.4f, and more of it %.4f", red, got.Accuracy, before.Accuracy)
		}
		before = got
	}
}

// TestMeasureJudgesWhatItHasNotSeen: each block has a look of its own, so that
// nothing learnt from others tells whose it is. Who had seen the frames could not
// fail. Where both videos go through the same looks, leaving out the same part of
// both leaves nothing to tell them apart by.
func TestMeasureJudgesWhatItHasNotSeen(t *testing.T) {
	block := func(n int) []media.FrameAppearance {
		var a media.FrameAppearance
		a.Colours[n] = 1000
		return []media.FrameAppearance{a, a}
	}
	of := func(looks ...int) (out [][]media.FrameAppearance) {
		for _, n := range looks {
			out = append(out, block(n))
		}
		return out
	}
	for name, tc := range map[string]struct {
		a, b [][]media.FrameAppearance
		most float64
	}{
		"looks of their own":    {of(0, 1, 2, 3), of(4, 5, 6, 7), 0.501},
		"the same, other times": {of(0, 1, 2, 3), of(1, 0, 3, 2), 0.5},
		"the same":              {of(0, 1, 2, 3), of(0, 1, 2, 3), 0.5},
	} {
		got := Measure(tc.a, tc.b)
		if got.Accuracy > tc.most || name == "the same" && got.Accuracy != 0.5 {
			t.Errorf("%s: %+v, want at most %g", name, got, tc.most)
		}
	}
}

// TestMeasureOfUnevenBlocks takes each block of the longer video once.
func TestMeasureOfUnevenBlocks(t *testing.T) {
	a, b := still(room(800, 0), 0, nil)[:3], still(room(0, 800), 0, nil)[:2]
	if got := Measure(a, b); got.Blocks != 3 || got.Frames != 40 || got.Accuracy < 0.999 || got.Low < 0.999 {
		t.Errorf("%+v, want 3 blocks", got)
	}
	// One block in four is of the other video's colour: the interval shows it.
	a, b = still(room(800, 0), 0, nil)[:4], still(room(0, 800), 0, nil)[:4]
	a[1] = b[0]
	if got := Measure(a, b); got.Accuracy > 0.9 || got.High < 0.99 || got.Low > 0.8 {
		t.Errorf("%+v, want a wide interval", got)
	}
}

// TestInterval is worked by hand: two blocks of 0.8 and 0.9 have a mean of 0.85
// with a standard error of 0.05, and t is 12.706; four of 0.7, 0.8, 0.9 and 1
// have 0.85 and 0.1291/2, and t is 3.182.
func TestInterval(t *testing.T) {
	for _, tc := range []struct {
		shares    []float64
		low, high float64
	}{
		{[]float64{0.8, 0.9}, 0.2147, 1},
		{[]float64{0.7, 0.8, 0.9, 1}, 0.6446, 1},
		{[]float64{1, 1, 1}, 1, 1},
	} {
		if low, high := confidenceInterval(tc.shares); math.Abs(low-tc.low) > 1e-4 || math.Abs(high-tc.high) > 1e-4 {
			t.Errorf("%v: [%g, %g], want [%g, %g]", tc.shares, low, high, tc.low, tc.high)
		}
	}
}
