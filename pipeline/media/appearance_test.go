package media

import (
	"image"
	"image/color"
	"image/draw"
	"testing"
)

// TestAppearances draws frames whose looks are known: n is which of them.
func TestAppearances(t *testing.T) {
	if testing.Short() {
		t.Skip("encodes a video; run without -short")
	}
	tools := tools(t)
	fill := func(img *image.RGBA, r image.Rectangle, c color.Color) {
		draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	picture := func(n int64) (*image.RGBA, bool, error) {
		img := image.NewRGBA(image.Rect(0, 0, 160, 96))
		fill(img, img.Bounds(), color.Black)
		switch n {
		case 3: // the left half is white
			fill(img, image.Rect(0, 0, 80, 96), color.White)
		case 5: // a fourth is red
			fill(img, image.Rect(0, 0, 80, 48), color.RGBA{220, 0, 0, 255})
		}
		return img, n < 8, nil
	}
	path, err := tools.EncodeFrames(t.Context(), FrameSpec{Width: 160, Height: 96, FPS: 25}, picture, t.TempDir(), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	got, err := tools.FrameAppearances(t.Context(), path, []int64{2, 3, 5})
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want, tol int32) {
		t.Helper()
		if got < want-tol || got > want+tol {
			t.Errorf("%s is %d, want %d", what, got, want)
		}
	}
	near("black of a black frame", got[0].Colours[black], 1000, 0)
	near("its contrast", got[0].Contrast, 0, 4)
	near("its edges", got[0].Edges, 0, 1)
	near("white of half a white frame", got[1].Colours[white], 500, 15)
	near("its brightness", got[1].Brightness, 500, 15)
	near("its contrast", got[1].Contrast, 500, 15)
	near("its edges, one in each of 160 pixels", got[1].Edges, 6, 2)
	near("red of a fourth", got[2].Colours[red]+got[2].Colours[brown], 250, 15)
	for name, frames := range map[string][]int64{"past the end": {2, 8}, "twice": {2, 2}, "backwards": {3, 2}} {
		if _, err := tools.FrameAppearances(t.Context(), path, frames); err == nil {
			t.Errorf("%s: frames %v were measured", name, frames)
		}
	}
	if none, err := tools.FrameAppearances(t.Context(), path, nil); err != nil || len(none) != 0 {
		t.Errorf("no frames: %v, %v", none, err)
	}
}
