package film

import (
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

// mix goes from a (t = 0) to b (t = 1).
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

// fill fills the current path.
func (b *brush) fill(c rgb) { b.glaze(c, 1) }

// glaze fills the current path with a translucent colour.
func (b *brush) glaze(c rgb, alpha float64) {
	b.use(c, alpha)
	b.Fill()
}

// body fills the current path and draws its outline in a darker tone.
func (b *brush) body(c rgb) {
	b.use(c, 1)
	b.FillPreserve()
	b.use(c.dark(0.55), 1)
	b.SetLineWidth(1.5)
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

// poly traces a closed path through x, y, x, y, ...
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

// line strokes a path through x, y, x, y, ... with round ends.
func (b *brush) line(c rgb, width float64, xy ...float64) {
	b.trace(xy)
	b.use(c, 1)
	b.SetLineWidth(width)
	b.SetLineCapRound()
	b.SetLineJoinRound()
	b.Stroke()
}

// arc strokes part of an ellipse.
func (b *brush) arc(c rgb, width, x, y, rx, ry, from, to float64) {
	b.NewSubPath()
	b.DrawEllipticalArc(x, y, rx, ry, from, to)
	b.use(c, 1)
	b.SetLineWidth(width)
	b.SetLineCapRound()
	b.Stroke()
}

// fade fills a rectangle from one colour at the top to another at the foot.
func (b *brush) fade(top, foot rgb, x, y, w, h float64) { b.veil(top, 1, foot, 1, x, y, w, h) }

// shadow is the soft shade of a thing on the ground.
func (b *brush) shadow(x, y, rx float64) {
	for k := 3; k >= 1; k-- {
		b.DrawEllipse(x, y, rx*(0.55+0.2*float64(k)), rx*0.22*(0.55+0.2*float64(k)))
		b.glaze(black, 0.11)
	}
}

// ease goes from 0 to 1 with no speed at either end.
func ease(t float64) float64 {
	t = clamp(t)
	return t * t * (3 - 2*t)
}

func clamp(t float64) float64 { return math.Max(0, math.Min(1, t)) }

func lerp(a, b, t float64) float64 { return a + (b-a)*t }
