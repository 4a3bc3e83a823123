package media

import (
	"errors"
	"testing"
)

func TestMomentsAreTheTimesAsked(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	c := clipSpec{id: 6, name: "in.mp4", frames: 300, w: 320, h: 180, flash: -1, out: x264}
	path := c.make(t, t.TempDir())
	for _, tc := range []struct {
		from, to float64
		n        int
		want     []int64
	}{
		{2, 4, 2, []int64{62, 87}},           // one run
		{0, 0, 3, []int64{50, 150, 250}},     // jumps
		{7.96, 8, 4, []int64{199}},           // one picture long
		{5, 5, 2, []int64{125}},              // no time at all
		{11, 90, 1, []int64{287}},            // beyond the end
		{0.5, 11.5, 2, []int64{81, 218 + 1}}, // jumps from the middle
	} {
		got, err := tl.PicturesBetween(t.Context(), path, tc.from, tc.to, tc.n)
		if err != nil || len(got) != len(tc.want) {
			t.Errorf("%g to %g: %d pictures, %v", tc.from, tc.to, len(got), err)
			continue
		}
		for i, img := range got {
			if _, shown, ok := toGray(img).read(); !ok || int64(shown) < tc.want[i]-1 || int64(shown) > tc.want[i]+1 {
				t.Errorf("%g to %g: picture %d is frame %d, want %d", tc.from, tc.to, i, shown, tc.want[i])
			}
		}
	}
	if _, err := tl.PicturesBetween(t.Context(), path, 12, 13, 1); !errors.Is(err, ErrNoMoment) {
		t.Errorf("behind the end: %v", err)
	}
	if _, err := tl.PicturesBetween(t.Context(), path, 0, 1, 0); err == nil {
		t.Error("no picture at all was taken without an error")
	}
}
