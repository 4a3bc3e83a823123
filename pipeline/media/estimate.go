package media

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/memforge/memforge/pipeline"
)

// EstimateAmount reads what a file says of itself, without decoding: good enough to
// say beforehand what work on it will take, and for nothing else. ok is false
// where the file says too little.
func (t *Tools) EstimateAmount(ctx context.Context, path string, lim Limits) (a pipeline.Amount, ok bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return a, false, fmt.Errorf("glance: %w", err)
	}
	h, err := t.header(ctx, path, lim)
	var unplayable *Unplayable
	if errors.As(err, &unplayable) {
		return a, false, nil
	}
	if err != nil {
		return a, false, fmt.Errorf("glance: %w", err)
	}
	picture, there := h.picture()
	length := float64(h.Format.Duration)
	rate := parseFraction(picture.Rate)
	if !there || !h.Format.Duration.known() || length <= 0 || rate <= 0 {
		return a, false, nil
	}
	a = PlayingAmount(1, length, picture.Width, picture.Height, 1)
	a.Megapixels *= math.Min(rate, 120)
	a.Bytes = float64(info.Size())
	a.Detail = estimateDetail(a.Bytes, a.Megapixels)
	if _, sound := h.sound(); !sound {
		a.Sound = 0
	}
	return a, true, nil
}
