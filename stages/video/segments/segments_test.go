package segments

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

func normalised(frames int64, every int32, keys ...int64) schemas.NormalisedVideo {
	return schemas.NormalisedVideo{FPS: 25, Frames: frames, KeyEvery: every, Keyframes: keys}
}

// rejected checks a rejection's code; an empty code wants none.
func rejected(t *testing.T, err error, code string) bool {
	t.Helper()
	var r *pipeline.Rejection
	switch {
	case code == "" && err == nil:
		return false
	case !errors.As(err, &r) || r.Code != code:
		t.Errorf("error %v, want the code %q", err, code)
	}
	return true
}

func TestKeyframes(t *testing.T) {
	for _, c := range []struct {
		m    schemas.NormalisedVideo
		want []int64
	}{
		{normalised(250, 100, 60, 120), []int64{0, 60, 100, 120, 200}},
		{normalised(100, 100), []int64{0}},
		{normalised(101, 100, 100, 101, 300), []int64{0, 100}},
		{normalised(50, 0, 10), []int64{0, 10}},
		{normalised(50, 0), []int64{0}},
	} {
		if got := Keyframes(c.m); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.m, got, c.want)
		}
	}
}

func TestUniform(t *testing.T) {
	for name, c := range map[string]struct {
		m    schemas.NormalisedVideo
		n    int
		want []int64
		code string
	}{
		"one":                           {normalised(7, 0), 1, []int64{0}, ""},
		"on the grid":                   {normalised(400, 100), 4, []int64{0, 100, 200, 300}, ""},
		"predicted two frames less":     {normalised(502, 100, 50, 150, 250, 350, 450), 10, []int64{0, 50, 100, 150, 200, 250, 300, 350, 400, 450}, ""},
		"nearest, not the grid":         {normalised(402, 100, 99, 201, 303), 4, []int64{0, 100, 201, 300}, ""},
		"every frame":                   {normalised(3, 0, 1, 2), 3, []int64{0, 1, 2}, ""},
		"fewer frames than segments":    {normalised(9, 1), 10, nil, CodeTooShort},
		"no segments":                   {normalised(9, 1), 0, nil, CodeTooShort},
		"too coarse":                    {normalised(400, 100), 8, nil, CodeNoKeyframe},
		"no keyframes at all":           {normalised(400, 0), 2, nil, CodeNoKeyframe},
		"fewer keyframes than segments": {normalised(8, 0, 2, 4), 8, nil, CodeNoKeyframe},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := CutUniformly(c.m, c.n)
			if !rejected(t, err, c.code) && !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// Whatever a video's length, boundaries at a length predicted two frames off
// let it be cut into as many spans.
func TestUniformOfPredictedBoundaries(t *testing.T) {
	for frames := int64(20); frames < 3000; frames += 7 {
		for _, off := range []int64{-2, -1, 0, 1, 2} {
			keys := EvenStarts(frames+off, 10)[1:]
			starts, err := CutUniformly(normalised(frames, 0, keys...), 10)
			if err != nil {
				t.Fatalf("%d frames, predicted %d: %v", frames, frames+off, err)
			}
			if !increasing(starts, frames) || len(starts) != 10 {
				t.Fatalf("%d frames: %v", frames, starts)
			}
		}
	}
}

func increasing(starts []int64, frames int64) bool {
	if starts[0] != 0 || starts[len(starts)-1] >= frames {
		return false
	}
	for i := 1; i < len(starts); i++ {
		if starts[i] <= starts[i-1] {
			return false
		}
	}
	return true
}

func TestEvery(t *testing.T) {
	for name, c := range map[string]struct {
		m       schemas.NormalisedVideo
		seconds float64
		want    []int64
		code    string
	}{
		"exact":               {normalised(300, 100), 4, []int64{0, 100, 200}, ""},
		"rest joins the last": {normalised(249, 100), 4, []int64{0, 100}, ""},
		"rest stands alone":   {normalised(250, 100), 4, []int64{0, 100, 200}, ""},
		"nearest":             {normalised(300, 100, 70, 160), 3, []int64{0, 70, 160, 200}, CodeNoKeyframe},
		"nearest within":      {normalised(290, 0, 70, 160, 220), 3, []int64{0, 70, 160, 220}, ""},
		"too short":           {normalised(99, 100), 4, nil, CodeTooShort},
		"no time":             {normalised(99, 100), 0, nil, CodeTooShort},
		"coarse":              {normalised(300, 100), 2, nil, CodeNoKeyframe},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := CutAtInterval(c.m, c.seconds)
			if !rejected(t, err, c.code) && !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestScenes(t *testing.T) {
	for name, c := range map[string]struct {
		m        schemas.NormalisedVideo
		cuts     []float64
		min, max float64
		want     []int64
		code     string
	}{
		"no cut":                  {normalised(200, 100), nil, 1, 20, []int64{0}, ""},
		"at cuts":                 {normalised(500, 100, 60, 333), []float64{2.4, 13.32}, 2, 20, []int64{0, 60, 333}, ""},
		"late picture":            {normalised(500, 100, 63), []float64{2.4}, 2, 20, []int64{0, 63}, ""},
		"cut without keyframe":    {normalised(500, 100), []float64{2.4}, 2, 20, []int64{0}, ""},
		"short scenes passed":     {normalised(500, 100, 60, 80, 490), []float64{2.4, 3.2, 19.6}, 2, 20, []int64{0, 80}, ""},
		"of equal ones the first": {normalised(500, 100, 60, 80), []float64{-1, -1, -1, 2.4, 3.2}, 2, 20, []int64{0, 60}, ""},
		"long scene broken up":    {normalised(1000, 100, 60), []float64{2.4}, 2, 20, []int64{0, 60, 500}, ""},
		"long without keyframe":   {normalised(1000, 0), nil, 2, 20, nil, CodeNoKeyframe},
		"cut beyond the end":      {normalised(200, 100), []float64{-1, 0, 8, 9}, 1, 20, []int64{0}, ""},
		"too short":               {normalised(20, 100), nil, 1, 20, nil, CodeTooShort},
		"bad bounds":              {normalised(200, 100), nil, 3, 5, nil, "bad-scenes"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := CutAtScenes(c.m, schemas.VideoFacts{Cuts: c.cuts, CutChanges: []float64{12, 20, 30}}, c.min, c.max)
			if !rejected(t, err, c.code) && !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

func TestJoinedKeyframes(t *testing.T) {
	every, keys := JoinedKeyframes(normalised(150, 100, 20), normalised(30, 100), normalised(101, 100))
	if want := []int64{20, 100, 150, 180, 280}; every != 0 || !slices.Equal(keys, want) {
		t.Errorf("every %d and %v, want 0 and %v", every, keys, want)
	}
}

func TestReasonsSayWhatToDo(t *testing.T) {
	_, uniform := CutUniformly(normalised(400, 100), 8)
	_, every := CutAtInterval(normalised(400, 100), 1.5)
	for want, err := range map[string]error{
		"add 8 to `boundaries.uniform` of the step that normalises the video": uniform,
		"add 1.5 to `boundaries.every` of the step that normalises the video": every,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("reason %v, want %q", err, want)
		}
	}
}

func TestAmong(t *testing.T) {
	for name, c := range map[string]struct {
		clips  []int64
		frames int64
		n      int
		want   []int64
		code   string
	}{
		"each clip":         {[]int64{0, 50, 80}, 120, 3, []int64{0, 50, 80}, ""},
		"nearest":           {[]int64{0, 50, 80}, 120, 2, []int64{0, 50}, ""},
		"one left for each": {[]int64{0, 10, 20, 500}, 510, 4, []int64{0, 10, 20, 500}, ""},
		"late clips":        {[]int64{0, 480, 490, 500}, 510, 3, []int64{0, 480, 490}, ""},
		"early clips":       {[]int64{0, 10, 20, 30}, 510, 3, []int64{0, 20, 30}, ""},
		"whole":             {[]int64{0, 50}, 120, 1, []int64{0}, ""},
		"more than clips":   {[]int64{0, 50}, 120, 3, nil, CodeFewClips},
		"none asked for":    {[]int64{0, 50}, 120, 0, nil, CodeFewClips},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := CutAtClips(c.clips, c.frames, c.n)
			if !rejected(t, err, c.code) && !slices.Equal(got, c.want) {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}
