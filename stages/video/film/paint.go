package film

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"strconv"

	"github.com/fogleman/gg"
)

// rgb is a colour with channels from 0 to 1.
type rgb struct{ r, g, b float64 }

var (
	black = rgb{0, 0, 0}
	white = rgb{1, 1, 1}
	ink   = rgb{0.13, 0.11, 0.13}
)

// hex reads #rrggbb; anything else is black (scripts are checked before).
func hex(s string) rgb {
	if len(s) != 7 {
		return black
	}
	v, err := strconv.ParseUint(s[1:], 16, 32)
	if err != nil {
		return black
	}
	return rgb{float64(v>>16) / 255, float64(v>>8&255) / 255, float64(v&255) / 255}
}

func mix(a, b rgb, t float64) rgb {
	return rgb{a.r + (b.r-a.r)*t, a.g + (b.g-a.g)*t, a.b + (b.b-a.b)*t}
}

func (c rgb) dark(t float64) rgb  { return mix(c, rgb{0.10, 0.06, 0.12}, t) }
func (c rgb) light(t float64) rgb { return mix(c, rgb{1, 0.98, 0.93}, t) }

// brush paints on a context in the light of the scene.
type brush struct {
	*gg.Context
	tint rgb
	kit  *assets
}

func (b *brush) nrgba(c rgb, alpha float64) color.NRGBA {
	to := func(v, t float64) uint8 { return uint8(math.Max(0, math.Min(255, v*t*255+0.5))) }
	return color.NRGBA{to(c.r, b.tint.r), to(c.g, b.tint.g), to(c.b, b.tint.b), uint8(alpha*255 + 0.5)}
}

func (b *brush) use(c rgb, alpha float64) { b.SetColor(b.nrgba(c, alpha)) }

func (b *brush) fill(c rgb) { b.glaze(c, 1) }

func (b *brush) glaze(c rgb, alpha float64) {
	b.use(c, alpha)
	b.Fill()
}

// body fills the current path and draws its outline in a darker tone.
func (b *brush) body(c rgb) {
	b.use(c, 1)
	b.FillPreserve()
	b.outline(c.dark(0.55), 1, 1.5)
}

func (b *brush) outline(c rgb, alpha, width float64) {
	b.use(c, alpha)
	b.SetLineWidth(width)
	b.Stroke()
}

func (b *brush) rect(c rgb, x, y, w, h float64) {
	b.DrawRectangle(x, y, w, h)
	b.fill(c)
}

func (b *brush) round(c rgb, x, y, w, h, r float64) {
	b.DrawRoundedRectangle(x, y, w, h, r)
	b.fill(c)
}

func (b *brush) disc(c rgb, x, y, r float64) {
	b.DrawCircle(x, y, r)
	b.fill(c)
}

func (b *brush) oval(c rgb, x, y, rx, ry float64) {
	b.DrawEllipse(x, y, rx, ry)
	b.fill(c)
}

func (b *brush) poly(xy ...float64) {
	b.trace(xy)
	b.ClosePath()
}

func (b *brush) trace(xy []float64) {
	b.MoveTo(xy[0], xy[1])
	for n := 2; n+1 < len(xy); n += 2 {
		b.LineTo(xy[n], xy[n+1])
	}
}

func (b *brush) line(c rgb, width float64, xy ...float64) {
	b.trace(xy)
	b.SetLineCapRound()
	b.SetLineJoinRound()
	b.outline(c, 1, width)
}

func (b *brush) arc(c rgb, width, x, y, rx, ry, from, to float64) {
	b.NewSubPath()
	b.DrawEllipticalArc(x, y, rx, ry, from, to)
	b.SetLineCapRound()
	b.outline(c, 1, width)
}

func (b *brush) fade(top, foot rgb, x, y, w, h float64) { b.veil(top, 1, foot, 1, x, y, w, h) }

func (b *brush) shadow(x, y, rx float64) {
	for k := 3; k >= 1; k-- {
		b.DrawEllipse(x, y, rx*(0.55+0.2*float64(k)), rx*0.22*(0.55+0.2*float64(k)))
		b.glaze(black, 0.11)
	}
}

func ease(t float64) float64 {
	t = clamp(t)
	return t * t * (3 - 2*t)
}

func clamp(t float64) float64 { return math.Max(0, math.Min(1, t)) }

func lerp(a, b, t float64) float64 { return a + (b-a)*t }

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

// resample fills dst from the part of src whose corner is (x, y), with step
// pixels of src to a pixel of dst, by bilinear interpolation in integers of
// eight bits.
func resample(dst, src *image.RGBA, x, y, step float64) {
	w := dst.Rect.Dx()
	taps := make([]tap, w)
	for i := range taps {
		taps[i] = tapAt(x+(float64(i)+0.5)*step-0.5, src.Rect.Dx())
	}
	upper, lower := &line{pix: make([]uint32, w), row: -1}, &line{pix: make([]uint32, w), row: -1}
	for j := range dst.Rect.Dy() {
		v := tapAt(y+(float64(j)+0.5)*step-0.5, src.Rect.Dy())
		if lower.row == v.at {
			upper, lower = lower, upper
		}
		upper.load(src, v.at, taps)
		lower.load(src, v.at+1, taps)
		out := dst.Pix[j*dst.Stride : j*dst.Stride+4*w]
		for i, a := range upper.pix {
			binary.LittleEndian.PutUint32(out[4*i:], lerpPixel(a, lower.pix[i], v.weight)|0xff000000)
		}
	}
}

// line is one row of the source, resampled across.
type line struct {
	pix []uint32
	row int
}

func (l *line) load(src *image.RGBA, row int, taps []tap) {
	if l.row == row {
		return
	}
	l.row = row
	pix := src.Pix[row*src.Stride:]
	for i, t := range taps {
		pair := binary.LittleEndian.Uint64(pix[4*t.at:])
		l.pix[i] = lerpPixel(uint32(pair), uint32(pair>>32), t.weight)
	}
}

// lerpPixel mixes the three colours of two pixels, weight of 256 from b. Two
// channels share a multiplication; what one borrows from the other is masked.
func lerpPixel(a, b, weight uint32) uint32 {
	const even = 0x00ff00ff
	p, q := a&even, b&even
	rb := (p + ((q-p)*weight)>>8) & even
	p, q = a>>8&0xff, b>>8&0xff
	g := (p + ((q-p)*weight)>>8) & 0xff
	return rb | g<<8
}

// tap is a pixel and the weight, of 256, of the one after it.
type tap struct {
	at     int
	weight uint32
}

// tapAt splits a coordinate. Both pixels are within size.
func tapAt(at float64, size int) tap {
	if at < 0 {
		return tap{}
	}
	n := int(at)
	if n >= size-1 {
		return tap{size - 2, 256}
	}
	return tap{n, uint32((at - float64(n)) * 256)}
}

// blend draws src over dst, opaque at 1 and absent at 0. Both have one size.
func blend(dst, src *image.RGBA, opacity float64) {
	k := uint32(clamp(opacity)*256 + 0.5)
	for i := range dst.Pix {
		dst.Pix[i] = uint8((uint32(src.Pix[i])*k + uint32(dst.Pix[i])*(256-k)) >> 8)
	}
}
