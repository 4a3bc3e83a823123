package draw

import (
	"fmt"
	"image"
	"math"

	"github.com/golang/freetype/raster"
)

// Paint is what a shape is filled with: a [Color], a [Linear] or a [Radial].
type Paint interface{ shade() shade }

// Color is red, green, blue and opacity, 0 to 255, not premultiplied.
type Color struct{ R, G, B, A uint8 }

// Hex returns the opaque colour 0xRRGGBB.
func Hex(rgb uint32) Color { return Color{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255} }

// Fade returns the colour with an opacity of 0 to 255.
func (c Color) Fade(alpha uint8) Color { c.A = alpha; return c }

// Mix goes n of 256 steps towards another colour.
func (c Color) Mix(d Color, n int) Color {
	n = min(max(n, 0), 256)
	m := func(a, b uint8) uint8 { return uint8((int(a)*(256-n) + int(b)*n + 128) >> 8) }
	return Color{m(c.R, d.R), m(c.G, d.G), m(c.B, d.B), m(c.A, d.A)}
}

// String returns #rrggbb, with two more digits where the colour is not opaque.
func (c Color) String() string {
	if c.A == 255 {
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	return fmt.Sprintf("#%02x%02x%02x%02x", c.R, c.G, c.B, c.A)
}

// Linear goes from colour A at From to B at To, Radial from A in the middle to B
// at Radius.
type (
	Linear struct {
		From, To Point
		A, B     Color
	}
	Radial struct {
		At     Point
		Radius Unit
		A, B   Color
	}
)

// Down returns a gradient from a box's top to its bottom.
func Down(b Box, top, bottom Color) Linear {
	return Linear{Point{Y: b.Y}, Point{Y: b.Y + b.H}, top, bottom}
}

// Across returns a gradient from a box's left to its right.
func Across(b Box, left, right Color) Linear {
	return Linear{Point{X: b.X}, Point{X: b.X + b.W}, left, right}
}

// shade is a paint ready for spans. Without a ramp it is one colour.
type shade struct {
	one    Color
	ramp   []Color
	from   Point
	dx, dy int // of a linear one: steps a pixel in 2^-24 of the ramp
	radius int // of a radial one, in units
	photo  *image.RGBA
}

func (c Color) shade() shade { return shade{one: c} }

func (l Linear) shade() shade {
	dx, dy := int(l.To.X-l.From.X), int(l.To.Y-l.From.Y)
	d2 := dx*dx + dy*dy
	if d2 < 64*64 {
		return shade{one: l.B}
	}
	return shade{ramp: ramp(l.A, l.B), from: l.From, dx: dx << 30 / d2, dy: dy << 30 / d2}
}

func (r Radial) shade() shade {
	if r.Radius < 64 {
		return shade{one: r.B}
	}
	return shade{ramp: ramp(r.A, r.B), from: r.At, radius: int(r.Radius)}
}

func ramp(a, b Color) []Color {
	out := make([]Color, 257)
	for i := range out {
		out[i] = a.Mix(b, i)
	}
	return out
}

// spans paints what the rasteriser found into a part of a picture.
type spans struct {
	img  *image.RGBA
	part image.Rectangle
	with shade
}

// Paint implements raster.Painter.
func (s spans) Paint(found []raster.Span, _ bool) {
	for _, f := range found {
		x0, x1 := max(f.X0, s.part.Min.X), min(f.X1, s.part.Max.X)
		if f.Y < s.part.Min.Y || f.Y >= s.part.Max.Y || x0 >= x1 {
			continue
		}
		row, cover := s.img.Pix[s.img.PixOffset(x0, f.Y):s.img.PixOffset(x1-1, f.Y)+4], f.Alpha>>8
		switch {
		case s.with.photo != nil:
			from := s.with.photo.Pix[s.with.photo.PixOffset(x0, f.Y):]
			for i := 0; i < len(row); i += 4 {
				blend(row[i:i+3:i+3], Color{from[i], from[i+1], from[i+2], 255}, cover)
			}
		case s.with.ramp == nil:
			flat(row, s.with.one, cover)
		case s.with.radius > 0:
			s.with.radial(row, x0, f.Y, cover)
		default:
			s.with.linear(row, x0, f.Y, cover)
		}
	}
}

func flat(row []uint8, c Color, cover uint32) {
	a := cover * uint32(c.A)
	if a == 255*255 {
		for i := 0; i < len(row); i += 4 {
			row[i], row[i+1], row[i+2] = c.R, c.G, c.B
		}
		return
	}
	rest, r, g, b := 255*255-a, uint32(c.R)*a+32512, uint32(c.G)*a+32512, uint32(c.B)*a+32512
	for i := 0; i < len(row); i += 4 {
		row[i] = uint8((uint32(row[i])*rest + r) / 65025)
		row[i+1] = uint8((uint32(row[i+1])*rest + g) / 65025)
		row[i+2] = uint8((uint32(row[i+2])*rest + b) / 65025)
	}
}

func (s shade) linear(row []uint8, x, y int, cover uint32) {
	t := (x*64+32-int(s.from.X))*s.dx>>6 + (y*64+32-int(s.from.Y))*s.dy>>6
	if s.dx == 0 { // from top to bottom, as most are: one colour a row
		flat(row, s.ramp[min(max((t+1<<15)>>16, 0), 256)], cover)
		return
	}
	for i := 0; i < len(row); i, t = i+4, t+s.dx {
		blend(row[i:i+3:i+3], s.ramp[min(max((t+1<<15)>>16, 0), 256)], cover)
	}
}

// radial takes square roots of whole numbers, which are exact to the last bit
// everywhere.
func (s shade) radial(row []uint8, x, y int, cover uint32) {
	dx, dy := x*64+32-int(s.from.X), y*64+32-int(s.from.Y)
	for i := 0; i < len(row); i, dx = i+4, dx+64 {
		away := int(math.Sqrt(float64(dx*dx + dy*dy)))
		blend(row[i:i+3:i+3], s.ramp[min(away*256/s.radius, 256)], cover)
	}
}

// blend draws a colour over an opaque pixel.
func blend(pix []uint8, c Color, cover uint32) {
	a := cover * uint32(c.A)
	if a == 255*255 { // three divisions less, for most pixels
		pix[0], pix[1], pix[2] = c.R, c.G, c.B
		return
	}
	rest := 255*255 - a
	pix[0] = uint8((uint32(pix[0])*rest + uint32(c.R)*a + 32512) / 65025)
	pix[1] = uint8((uint32(pix[1])*rest + uint32(c.G)*a + 32512) / 65025)
	pix[2] = uint8((uint32(pix[2])*rest + uint32(c.B)*a + 32512) / 65025)
}

// Picture lays an opaque picture over a box of whole pixels, cut to rounded
// corners. Each pixel is the mean of those that it stands for.
func (c *Canvas) Picture(img *image.RGBA, b Box, radius Unit) {
	to := b.pixels()
	if seen := to.Intersect(c.clip); !img.Rect.Empty() && !seen.Empty() {
		c.Fill(new(Path).Round(b, radius), photo{scaled(img, to, seen)})
	}
}

type photo struct{ img *image.RGBA }

func (p photo) shade() shade { return shade{photo: p.img} }

// scaled returns the part that is seen of a picture in another rectangle.
func scaled(img *image.RGBA, to, seen image.Rectangle) *image.RGBA {
	out := image.NewRGBA(seen)
	span := func(at, n, of int) (int, int) { // what of n pixels the one at a place among of stands for
		from := at * n / of
		return from, max(from+1, (at+1)*n/of)
	}
	for y := seen.Min.Y; y < seen.Max.Y; y++ {
		y0, y1 := span(y-to.Min.Y, img.Rect.Dy(), to.Dy())
		for x := seen.Min.X; x < seen.Max.X; x++ {
			x0, x1 := span(x-to.Min.X, img.Rect.Dx(), to.Dx())
			i := out.PixOffset(x, y)
			mean4(img, image.Rect(x0, y0, x1, y1), out.Pix[i:i+4])
		}
	}
	return out
}

func mean4(img *image.RGBA, from image.Rectangle, to []uint8) {
	var sum [4]int
	for y := from.Min.Y; y < from.Max.Y; y++ {
		row := img.Pix[y*img.Stride+4*from.Min.X : y*img.Stride+4*from.Max.X]
		for i, v := range row {
			sum[i&3] += int(v)
		}
	}
	n := from.Dx() * from.Dy()
	for i := range to {
		to[i] = uint8((sum[i] + n/2) / n)
	}
}
