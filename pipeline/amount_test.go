package pipeline_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// TestAmountsAddUp: the detail of a sum is the mean by megapixels, and 0 where there is no
// picture.
func TestAmountsAddUp(t *testing.T) {
	a := pipeline.Amount{Records: 1, Seconds: 2, Sound: 1, Megapixels: 3, Detail: 0.5, Bytes: 10}
	b := pipeline.Amount{Records: 2, Rough: true, Seconds: 4, Sound: 4, Megapixels: 1, Detail: 1, Bytes: 5}
	sound := pipeline.Amount{Records: 1, Seconds: 8, Sound: 8, Bytes: 1}
	for _, tc := range []struct{ got, want pipeline.Amount }{
		// (3 x 0.5 + 1 x 1) / 4
		{a.Plus(b), pipeline.Amount{Records: 3, Rough: true, Seconds: 6, Sound: 5, Megapixels: 4, Detail: 0.625, Bytes: 15}},
		{sound.Plus(sound), pipeline.Amount{Records: 2, Seconds: 16, Sound: 16, Bytes: 2}},
		{a.Plus(sound), pipeline.Amount{Records: 2, Seconds: 10, Sound: 9, Megapixels: 3, Detail: 0.5, Bytes: 11}},
		{pipeline.Amount{}.Plus(pipeline.Amount{}), pipeline.Amount{}},
		{a.Times(3), pipeline.Amount{Records: 3, Seconds: 6, Sound: 3, Megapixels: 9, Detail: 0.5, Bytes: 30}},
		{b.Times(0), pipeline.Amount{Rough: true, Detail: 1}},
	} {
		if tc.got != tc.want {
			t.Errorf("%+v, want %+v", tc.got, tc.want)
		}
	}
}
