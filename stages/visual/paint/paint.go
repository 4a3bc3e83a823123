// Package paint draws scenes: one renderer for all scenarios. A backdrop and each
// kind of thing have a painter; what a picture tells is marked with where it is.
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

// Brush is what painters draw with: the canvas, and random numbers for decoration
// that follow from the scene's seed and the thing's place in it.
type Brush struct {
	*draw.Canvas
	Rnd   *rand.Rand
	Scene scene.Scene
	art   map[string]art
}

// Painter draws a thing within its box. Parts are drawn by the renderer, after.
type Painter func(b *Brush, t scene.Thing)

// Renderer draws with one studio. It is not safe for concurrent use.
type Renderer struct {
	studio    *draw.Studio
	backdrops map[string]Painter
	kinds     map[string]Painter
	art       map[string]art
	err       error // of putting painters and drawings together
}

// NewRenderer makes a renderer of everything that scenarios show.
func NewRenderer() *Renderer {
	r := &Renderer{studio: draw.NewStudio(), backdrops: map[string]Painter{}, kinds: map[string]Painter{}}
	r.art, r.err = everyArt()
	for _, set := range []painters{posters(), games(), rooms(), furniture(), samples(), occasions(), museum(), portal(), letters(), remedies(), wrists(), clinic(), comics(), chats(), town(), townHouses(), landmarks(), vehicles(), events()} {
		r.add(r.backdrops, set.backdrops)
		r.add(r.kinds, set.kinds)
	}
	return r
}

// add puts painters to those there are: two of one name would hide each other.
func (r *Renderer) add(to, from map[string]Painter) {
	for _, name := range slices.Sorted(maps.Keys(from)) {
		if to[name] != nil && r.err == nil {
			r.err = fmt.Errorf("draw: there are two painters of %q", name)
		}
		to[name] = from[name]
	}
}

// painters is what one file of painters has.
type painters struct{ backdrops, kinds map[string]Painter }

// Mark kinds of what a picture tells.
const (
	MarkThing  = "thing"
	MarkAbsent = "absent"
)

// Draw draws a scene. The marks of things that questions may ask about have the
// thing's name and what it tells.
func (r *Renderer) Draw(s scene.Scene) (*draw.Canvas, error) {
	return r.DrawPart(s, draw.PixelBox(0, 0, s.Width, s.Height))
}

// DrawPart draws no more of a scene than lies in a box.
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
	back(b, scene.Thing{Box: [4]int{0, 0, s.Width, s.Height}, Look: s.Look})
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
			paint(b, t)
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

// Box is that of a thing.
func Box(t scene.Thing) draw.Box { return draw.PixelBox(t.Box[0], t.Box[1], t.Box[2], t.Box[3]) }

// Ink is the colour that a key of the look names, or another where it names none.
func Ink(t scene.Thing, key string, otherwise uint32) draw.Color {
	if ink, ok := scene.Ink(t.Look[key]); ok {
		return ink
	}
	return draw.Hex(otherwise)
}

// Number is the whole number that a key of the look has, or another.
func Number(t scene.Thing, key string, otherwise int) int {
	if n, err := strconv.Atoi(t.Look[key]); err == nil {
		return n
	}
	return otherwise
}
