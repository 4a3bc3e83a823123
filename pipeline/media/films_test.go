package media

import (
	"context"
	"fmt"
	"image"
)

// Frame decodes picture n, counted from 0, upright.
func (t *Tools) Frame(ctx context.Context, path string, n int64) (image.Image, error) {
	stills, err := t.Stills(ctx, path, []int64{n}, 0)
	if err != nil {
		return nil, fmt.Errorf("decode frame %d: %w", n, err)
	}
	return stills[0].Picture, nil
}

// Samples decodes count pictures of a video of frames pictures, each from the
// middle of one of count equal parts. A video of fewer pictures gives each of
// them once.
func (t *Tools) Samples(ctx context.Context, path string, frames int64, count int) ([]image.Image, error) {
	stills, err := t.Stills(ctx, path, Span{0, frames}.Spread(count), 0)
	if err != nil {
		return nil, fmt.Errorf("sample %d of %d frames: %w", count, frames, err)
	}
	pictures := make([]image.Image, len(stills))
	for i, s := range stills {
		pictures[i] = s.Picture
	}
	return pictures, nil
}
