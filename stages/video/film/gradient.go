package film

import (
	"image"
	"image/color"
	"math"
)

// The gradients of gg ask an interface for every pixel; those of a backdrop
// cover millions, so they are laid here.

// veil fills an upright rectangle from one colour and opacity at the top to
// another at the foot.
func (b *brush) veil(top rgb, topA float64, foot rgb, footA float64, x, y, w, h float64) {
	img := b.Image().(*image.RGBA)
	x0, y0 := b.TransformPoint(x, y)
	x1, y1 := b.TransformPoint(x+w, y+h)
	area := image.Rect(round(x0), round(y0), round(x1), round(y1))
	for py := area.Min.Y; py < area.Max.Y; py++ {
		u := clamp((float64(py) + 0.5 - y0) / (y1 - y0))
		row := image.Rect(area.Min.X, py, area.Max.X, py+1)
		alpha := lerp(topA, footA, u)
		shade(img, row, b.nrgba(mix(top, foot, u), 1), func(float64, float64) float64 { return alpha })
	}
}

// glow is a soft round light or shade that fades to nothing at r.
func (b *brush) glow(c rgb, alpha, x, y, r float64) {
	img := b.Image().(*image.RGBA)
	cx, cy := b.TransformPoint(x, y)
	edge, _ := b.TransformPoint(x+r, y)
	radius := math.Abs(edge - cx)
	area := image.Rect(int(cx-radius), int(cy-radius), int(cx+radius)+1, int(cy+radius)+1)
	shade(img, area, b.nrgba(c, 1), func(px, py float64) float64 {
		u := math.Sqrt((px-cx)*(px-cx)+(py-cy)*(py-cy)) / radius
		switch {
		case u >= 1:
			return 0
		case u >= 0.5:
			return alpha * 0.8 * (1 - u)
		}
		return alpha * (1 - 1.2*u)
	})
}

// shade lays a colour over an area, as opaque at each pixel as the function
// says for the pixel's middle.
func shade(img *image.RGBA, area image.Rectangle, c color.NRGBA, opacity func(x, y float64) float64) {
	area = area.Intersect(img.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		pix := img.Pix[img.PixOffset(area.Min.X, y):]
		for x := area.Min.X; x < area.Max.X; x++ {
			k := uint32(opacity(float64(x)+0.5, float64(y)+0.5)*65536 + 0.5)
			if k > 0 {
				p := pix[:4:4]
				p[0] = over(p[0], c.R, k)
				p[1] = over(p[1], c.G, k)
				p[2] = over(p[2], c.B, k)
				p[3] = over(p[3], 255, k)
			}
			pix = pix[4:]
		}
	}
}

// over mixes two channels, k of 65536 from b.
func over(a, b uint8, k uint32) uint8 {
	return uint8((uint32(a)*(65536-k) + uint32(b)*k + 1<<15) >> 16)
}

func round(v float64) int { return int(math.Floor(v + 0.5)) }
