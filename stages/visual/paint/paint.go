// Package paint draws scenes: one renderer for all scenarios, with a painter for every
// backdrop and kind of thing. Where a picture shows something, it has a mark.
package paint

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// Brush is the canvas of painters, with random numbers for decoration that follow from
// the scene's seed and the thing's place in it.
type Brush struct {
	*draw.Canvas
	Rnd   *rand.Rand
	Scene scene.Scene
	art   map[string]art
}

// Painter draws a thing in the field of its box. The renderer draws its parts afterwards.
type Painter func(b *Brush, t scene.Thing, f field)

// Renderer draws scenes. It is not safe for concurrent use.
type Renderer struct {
	studio    *draw.Studio
	backdrops map[string]Painter
	kinds     map[string]Painter
	art       map[string]art
	err       error // of putting painters and drawings together
}

// NewRenderer returns a renderer of everything that scenarios show.
func NewRenderer() *Renderer {
	r := &Renderer{studio: draw.NewStudio(), backdrops: map[string]Painter{}, kinds: map[string]Painter{}}
	r.art, r.err = everyArt()
	for _, set := range []painters{posters(), games(), rooms(), furniture(), samples(), occasions(), museum(), portal(), letters(), remedies(), wrists(), clinic(), comics(), chats(), town(), townHouses(), landmarks(), vehicles(), events()} {
		r.add(r.backdrops, set.backdrops)
		r.add(r.kinds, set.kinds)
	}
	return r
}

// add adds painters. Two of one name are an error.
func (r *Renderer) add(to, from map[string]Painter) {
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if to[name] != nil && r.err == nil {
			r.err = fmt.Errorf("draw: there are two painters of %q", name)
		}
		to[name] = from[name]
	}
}

// painters are those of one file, by backdrop and by kind of thing.
type painters struct{ backdrops, kinds map[string]Painter }

// Kinds of marks of what a picture tells.
const (
	MarkThing  = "thing"
	MarkAbsent = "absent"
)

// Draw draws a scene. The marks of things that questions may ask about have the thing's
// name and its aspects.
func (r *Renderer) Draw(s scene.Scene) (*draw.Canvas, error) {
	return r.DrawPart(s, draw.PixelBox(0, 0, s.Width, s.Height))
}

// DrawPart draws only the part of a scene within a box.
func (r *Renderer) DrawPart(s scene.Scene, part draw.Box) (*draw.Canvas, error) {
	if r.err != nil {
		return nil, r.err
	}
	back, ok := r.backdrops[s.Backdrop]
	if !ok {
		return nil, fmt.Errorf("draw a scene: there is no backdrop %q", s.Backdrop)
	}
	c, err := r.studio.NewPartCanvas(s.Width, s.Height, draw.Hex(0xffffff), part)
	if err != nil {
		return nil, err
	}
	b := &Brush{Canvas: c, Rnd: rand.New(rand.NewPCG(uint64(s.Seed), 0)), Scene: s, art: r.art}
	back(b, scene.Thing{Box: [4]int{0, 0, s.Width, s.Height}, Look: s.Look}, field{0, 0, s.Width, s.Height})
	n := uint64(0)
	if err := r.things(b, s.Things, &n); err != nil {
		return nil, err
	}
	return c, c.Err()
}

func (r *Renderer) things(b *Brush, things []scene.Thing, n *uint64) error {
	for _, t := range things {
		paint, ok := r.kinds[t.Kind]
		if !ok {
			return fmt.Errorf("draw a scene: there is no painter of %q", t.Kind)
		}
		*n++
		b.Rnd = rand.New(rand.NewPCG(uint64(b.Scene.Seed), *n))
		var err error
		whole := func() {
			paint(b, t, field{t.Box[0], t.Box[1], t.Box[2], t.Box[3]})
			err = r.things(b, t.Parts, n)
		}
		if t.Name == "" {
			whole()
		} else {
			b.Object(MarkThing, t.Name, t.AspectText(), whole)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Box returns the box of a thing.
func Box(t scene.Thing) draw.Box { return draw.PixelBox(t.Box[0], t.Box[1], t.Box[2], t.Box[3]) }

// Ink returns the colour that a key of the look names, or otherwise.
func Ink(t scene.Thing, key string, otherwise uint32) draw.Color {
	if ink, ok := scene.Ink(t.Look[key]); ok {
		return ink
	}
	return draw.Hex(otherwise)
}

// Number returns the whole number of a key of the look, or otherwise.
func Number(t scene.Thing, key string, otherwise int) int {
	if n, err := strconv.Atoi(t.Look[key]); err == nil {
		return n
	}
	return otherwise
}

// field is a thing's box under a grid of 1000 by 1000, so that a painter's shapes
// follow any box.
type field struct{ x, y, w, h int }

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

// blob is shape with rounded corners: a closed curve through the middles of its sides.
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

func paper() draw.Color { return draw.Hex(0xffffff) }
func umber() draw.Color { return draw.Hex(0x2e1a12) }

// tint picks a colour that no question is about.
func tint(from ...uint32) func(*rand.Rand) draw.Color {
	return func(r *rand.Rand) draw.Color { return draw.Hex(from[r.IntN(len(from))]) }
}

// steady returns random numbers that stay the same from picture to picture, for things
// that keep their decoration.
func steady(t scene.Thing) *rand.Rand { return rand.New(rand.NewPCG(uint64(Number(t, "vary", 1)), 7)) }

// lit fills a shape with a colour, shaded by light from the left by at most an eighth,
// so that the colour stays recognisable.
func lit(b *Brush, p *draw.Path, in draw.Box, ink draw.Color) {
	b.Fill(p, draw.Linear{
		From: draw.Point{X: in.X, Y: in.Y}, To: draw.Point{X: in.X + in.W, Y: in.Y + in.H/2},
		A: ink.Mix(paper(), 26), B: ink.Mix(umber(), 28),
	})
}

func raised(b *Brush, p *draw.Path, in draw.Box, ink draw.Color) {
	b.Shadow(p, 6, 3, 4, umber().Fade(80))
	lit(b, p, in, ink)
}

func slab(b *Brush, in draw.Box, radius int, ink draw.Color) {
	raised(b, new(draw.Path).Round(in, draw.Px(radius)), in, ink)
}

// ground is the soft shadow of something that stands on the floor, as wide as the
// field, about its lower edge.
func ground(b *Brush, f field) {
	h := min(max(10, f.w/14), 28)
	p := new(draw.Path).Oval(draw.PixelBox(f.x, f.y+f.h-h*2/3, f.w, h))
	b.Shadow(p, 3, 0, 0, umber().Fade(110))
	b.Shadow(p, 14, 8, 4, umber().Fade(90))
}

// wood returns the light, the middle and the dark tone of a kind of wood.
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
