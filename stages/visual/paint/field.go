package paint

import (
	"math/rand/v2"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// field is a thing's box under a grid of 1000 by 1000, so that a painter's shapes
// follow any box.
type field struct{ x, y, w, h int }

func over(t scene.Thing) field { return field{t.Box[0], t.Box[1], t.Box[2], t.Box[3]} }

// part is the field that a part of the grid makes.
func (f field) part(x, y, w, h int) field {
	return field{f.x + f.w*x/1000, f.y + f.h*y/1000, f.w * w / 1000, f.h * h / 1000}
}

func (f field) all() draw.Box { return draw.PixelBox(f.x, f.y, f.w, f.h) }

func (f field) at(x, y int) draw.Point {
	return draw.Point{X: draw.Px(f.x) + f.wide(x), Y: draw.Px(f.y) + f.tall(y)}
}

func (f field) wide(n int) draw.Unit { return draw.Unit(f.w * 64 * n / 1000) }
func (f field) tall(n int) draw.Unit { return draw.Unit(f.h * 64 * n / 1000) }

func (f field) box(x, y, w, h int) draw.Box {
	p := f.at(x, y)
	return draw.Box{X: p.X, Y: p.Y, W: f.wide(w), H: f.tall(h)}
}

// shape is the polygon of points given as x and y in turn.
func (f field) shape(xy ...int) *draw.Path {
	p := new(draw.Path).Move(f.at(xy[0], xy[1]))
	for i := 2; i+1 < len(xy); i += 2 {
		p.Line(f.at(xy[i], xy[i+1]))
	}
	return p.Close()
}

// blob is the shape with its corners rounded off: a closed curve through the
// middles of its sides.
func (f field) blob(xy ...int) *draw.Path {
	n := len(xy) / 2
	corner := func(i int) draw.Point { return f.at(xy[i%n*2], xy[i%n*2+1]) }
	mid := func(i int) draw.Point {
		a, b := corner(i), corner(i+1)
		return draw.Point{X: (a.X + b.X) / 2, Y: (a.Y + b.Y) / 2}
	}
	p := new(draw.Path).Move(mid(0))
	for i := 1; i <= n; i++ {
		p.Quad(corner(i), mid(i))
	}
	return p.Close()
}

// Tints of light and shade.
func paper() draw.Color { return draw.Hex(0xffffff) }
func umber() draw.Color { return draw.Hex(0x2e1a12) }

// tint is a colour that nobody is asked about.
func tint(from ...uint32) func(*rand.Rand) draw.Color {
	return func(r *rand.Rand) draw.Color { return draw.Hex(from[r.IntN(len(from))]) }
}

// steady are random numbers that stay the same from picture to picture: those of
// a thing that keeps its decoration.
func steady(t scene.Thing) *rand.Rand { return rand.New(rand.NewPCG(uint64(Number(t, "vary", 1)), 7)) }

// lit fills a shape with a colour that light from the left shades by no more than
// an eighth, so that the colour can be told.
func lit(b *Brush, p *draw.Path, in draw.Box, ink draw.Color) {
	b.Fill(p, draw.Linear{
		From: draw.Point{X: in.X, Y: in.Y}, To: draw.Point{X: in.X + in.W, Y: in.Y + in.H/2},
		A: ink.Mix(paper(), 26), B: ink.Mix(umber(), 28),
	})
}

// raised is lit, over a soft shadow.
func raised(b *Brush, p *draw.Path, in draw.Box, ink draw.Color) {
	b.Shadow(p, 6, 3, 4, umber().Fade(80))
	lit(b, p, in, ink)
}

// slab is a raised box with rounded corners.
func slab(b *Brush, in draw.Box, radius int, ink draw.Color) {
	raised(b, new(draw.Path).Round(in, draw.Px(radius)), in, ink)
}

// ground is the soft shade of something that stands on the floor, as wide as the
// field, about its lower edge.
func ground(b *Brush, f field) {
	h := min(max(10, f.w/14), 28)
	p := new(draw.Path).Oval(draw.PixelBox(f.x, f.y+f.h-h*2/3, f.w, h))
	b.Shadow(p, 3, 0, 0, umber().Fade(110))
	b.Shadow(p, 14, 8, 4, umber().Fade(90))
}

// wood are the light, the middle and the dark tone of a kind of wood.
func wood(t scene.Thing) (light, mid, dark draw.Color) {
	tones := map[string][3]uint32{
		"oak": {0xd9b583, 0xb98a58, 0x8a5f38}, "walnut": {0x9a6e4a, 0x74492c, 0x4c2e1b},
		"birch": {0xecd9b8, 0xd3b88c, 0xa58a62}, "white": {0xf8f5ef, 0xe3ddd2, 0xb9b0a2}, "teak": {0xc0804a, 0x965a2e, 0x663a1b},
	}
	c, ok := tones[t.Look["wood"]]
	if !ok {
		c = tones["oak"]
	}
	return draw.Hex(c[0]), draw.Hex(c[1]), draw.Hex(c[2])
}
