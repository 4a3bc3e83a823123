package film

import (
	"image"
	"image/color"
	"testing"
)

func TestResampleOfAGradientIsTheGradient(t *testing.T) {
	src := image.NewRGBA(image.Rect(0, 0, 100, 80))
	for y := range 80 {
		for x := range 100 {
			src.SetRGBA(x, y, color.RGBA{uint8(2 * x), uint8(3 * y), uint8(255 - 2*x), 255})
		}
	}
	dst := image.NewRGBA(image.Rect(0, 0, 60, 40))
	for _, step := range []float64{1, 0.8, 1.3} {
		resample(dst, src, 7.3, 5.6, step)
		for y := range 40 {
			for x := range 60 {
				sx, sy := 7.3+(float64(x)+0.5)*step-0.5, 5.6+(float64(y)+0.5)*step-0.5
				got := dst.RGBAAt(x, y)
				for k, d := range [3]float64{float64(got.R) - 2*sx, float64(got.G) - 3*sy, float64(got.B) - 255 + 2*sx} {
					if d > 2 || d < -2.6 {
						t.Fatalf("step %g, pixel %d,%d channel %d: %v is off by %.1f", step, x, y, k, got, d)
					}
				}
			}
		}
	}
}

func TestResampleStaysInsideTheSource(t *testing.T) {
	src := image.NewRGBA(image.Rect(0, 0, 10, 10))
	dst := image.NewRGBA(image.Rect(0, 0, 30, 30))
	resample(dst, src, -8, -8, 1)
	resample(dst, src, 5, 5, 3)
	if dst.RGBAAt(29, 29).A != 255 {
		t.Error("a corner was not painted")
	}
}
