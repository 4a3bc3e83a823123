package media

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
)

// nearby is how many seconds are decoded in one run rather than jumped into:
// starting ffmpeg takes about as long as decoding a few seconds.
const nearby = 10

// ErrNoMoment says that nothing is to be seen at the time asked for.
var ErrNoMoment = errors.New("the video shows nothing then")

// PicturesBetween takes n pictures of the seconds from up to to of a video, each from
// the middle of one of n equal parts; to 0 is its end. It jumps to them, so a
// long video takes no longer than a short one. A span of fewer pictures gives
// each once, at least one.
func (t *Tools) PicturesBetween(ctx context.Context, path string, from, to float64, n int) ([]image.Image, error) {
	if n < 1 || from < 0 || to < 0 || math.IsNaN(from+to) || math.IsInf(from+to, 0) {
		return nil, fmt.Errorf("take %d pictures of seconds %g to %g: want at least one, and times from 0", n, from, to)
	}
	h, err := t.header(ctx, path, DefaultLimits())
	if err != nil {
		return nil, fmt.Errorf("take pictures: %w", err)
	}
	picture, _ := h.picture()
	rate, length := parseFraction(picture.Rate), to
	if h.Format.Duration.known() {
		length = float64(h.Format.Duration)
	}
	if to == 0 || to > length {
		to = length
	}
	if from >= length || rate <= 0 {
		return nil, fmt.Errorf("take pictures from second %g of %g: %w", from, length, ErrNoMoment)
	}
	frames := max(1, int64(math.Round((to-from)*rate)))
	wanted := Span{0, frames}.Spread(n)
	if to-from <= nearby {
		return t.picturesNear(ctx, path, from, wanted)
	}
	var out []image.Image
	for _, f := range wanted {
		one, err := t.picturesNear(ctx, path, from+float64(f)/rate, []int64{0})
		if err != nil {
			return nil, err
		}
		out = append(out, one...)
	}
	return out, nil
}

// picturesNear jumps once and takes frames counted from there.
func (t *Tools) picturesNear(ctx context.Context, path string, at float64, frames []int64) ([]image.Image, error) {
	var out []image.Image
	seek := []string{"-ss", fmt.Sprintf("%dus", int64(at*1e6))}
	if err := t.pictures(ctx, path, seek, "select="+selectFrames(frames), len(frames), func(img image.Image) { out = append(out, img) }); err != nil {
		return nil, fmt.Errorf("take pictures: %w", err)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("take pictures from second %.2f: %w", at, ErrNoMoment)
	}
	return out, nil
}
