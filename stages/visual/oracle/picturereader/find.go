package picturereader

import (
	"fmt"
	"image"
	"slices"

	canvas "github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// spot is where a thing may be: a sight of it, moved.
type spot struct {
	sight
	by    image.Point
	score float64
	// labelled: it was found by what is written on or at it.
	labelled bool
}

// outline is by what a thing is found.
type outline struct {
	dots     []dot
	labelled bool
	// rim are points on either side of the edge of a thing without a label: without an
	// edge, dots of one colour fit anywhere in something large of that colour.
	rim [][2]image.Point
}

// edged reports that a picture has the edge of a thing where it was found.
func (o outline) edged(picture *image.RGBA, by image.Point) bool {
	n, all := 0, 0
	for _, pair := range o.rim {
		p, q := pair[0].Add(by), pair[1].Add(by)
		if !p.In(picture.Rect) || !q.In(picture.Rect) {
			continue
		}
		all++
		if difference(picture, picture, p, q) > same/2 {
			n++
		}
	}
	return 2*n >= all
}

// rim are pairs of points a little inside and outside of some dots.
func rim(dots []dot, part image.Rectangle) [][2]image.Point {
	inside := image.NewAlpha(part)
	for _, d := range dots {
		inside.Pix[inside.PixOffset(d.at.X, d.at.Y)] = 1
	}
	var out [][2]image.Point
	for _, d := range dots {
		for _, step := range []image.Point{{X: 5}, {X: -5}, {Y: 5}, {Y: -5}} {
			if q := d.at.Add(step); q.In(part) && inside.Pix[inside.PixOffset(q.X, q.Y)] == 0 {
				out = append(out, [2]image.Point{d.at, q})
			}
		}
	}
	return thinned(out, 200)
}

// least is which share of an outline must be there.
func (o outline) least() float64 {
	if o.labelled {
		return found
	}
	return foundUnlabelled
}

// fixed reports that a thing stands at one place in all pictures.
func fixed(sights []sight) bool {
	for _, s := range sights {
		if s.thing.Box != sights[0].thing.Box {
			return false
		}
	}
	return true
}

// find looks for a thing, likeliest first.
func (r *Reader) find(picture *image.RGBA, name, aspect string) ([]spot, error) {
	b := picture.Bounds()
	sights := r.words.sights(name, aspect, b.Dx(), b.Dy())
	var out []spot
	for _, s := range varied(sights) {
		if n := len(out); n > 0 && out[n-1].score > sure {
			break
		}
		s = s.renamed()
		o, err := r.outline(s, name)
		if err != nil {
			return nil, err
		}
		how := fitting
		if o.labelled {
			how = correlating
		}
		switch by, score := search(picture, o.dots, offsets(s, sights), how); {
		case len(o.dots) > 0 && score >= o.least() && o.edged(picture, by):
			out = append(out, spot{s, by, score, o.labelled})
		case len(o.dots) == 0 && fixed(sights):
			out = append(out, spot{s, image.Point{}, 1, false})
		}
	}
	slices.SortStableFunc(out, func(a, b spot) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	return slices.DeleteFunc(out, func(s spot) bool { return s.score < out[0].score*0.85 }), nil
}

// varied are a few sights that differ: in box first, then in life.
func varied(list []sight) []sight {
	var out []sight
	seen := map[string]bool{}
	key := []func(s sight) string{
		func(s sight) string {
			return fmt.Sprint(s.thing.Box[0]/24, s.thing.Box[1]/24, s.thing.Box[2]/12, s.thing.Box[3]/12)
		},
		func(s sight) string { return fmt.Sprint("life", s.life) },
	}
	for _, k := range key {
		for _, s := range list {
			if id := k(s); !seen[id] && len(out) < mostVariants {
				seen[id] = true
				out = append(out, s)
			}
		}
	}
	return out
}

// offsets are by how much a sight is to be moved to stand where others stand.
func offsets(s sight, all []sight) []image.Point {
	var out []image.Point
	for _, o := range all {
		d := image.Pt(o.thing.Box[0]-s.thing.Box[0], o.thing.Box[1]-s.thing.Box[1])
		near := func(p image.Point) bool { return abs(p.X-d.X) <= slack/2 && abs(p.Y-d.Y) <= slack/2 }
		if abs(o.thing.Box[2]-s.thing.Box[2]) < 12 && !slices.ContainsFunc(out, near) {
			out = append(out, d)
		}
	}
	return out
}

// dot is a pixel of a prototype.
type dot struct {
	at      image.Point
	r, g, b uint8
}

// outline are pixels by which a thing is found: those in which its label would be
// another if it were another of its kind; where nothing labels it, its own. A thing
// that has no label and is not the only one of its kind in a picture is not found.
func (r *Reader) outline(s sight, name string) (outline, error) {
	key := s.id + "/" + name
	if known, ok := r.outlines[key]; ok {
		return known, nil
	}
	o, err := r.trace(s, name)
	if err == nil {
		keep(r.outlines, key, o, 1<<11)
	}
	return o, err
}

func (r *Reader) trace(s sight, name string) (outline, error) {
	label := func(t scene.Thing) bool { return labels(t, name) }
	if part := region(*s.scene, label); !part.Empty() {
		// A label that cannot say anything else is none.
		if dots, err := r.differing(*s.scene, part, relabelled(*s.scene, label)); err == nil && len(dots) >= fewest {
			return outline{dots: thinned(dots, 400), labelled: true}, nil
		}
	}
	if alike(*s.scene, s.thing.Kind) > 1 {
		return outline{}, nil
	}
	part := region(*s.scene, func(t scene.Thing) bool { return belongs(t, name) })
	dots, err := r.differing(*s.scene, part, without(*s.scene, func(t scene.Thing) bool { return t.Name == name }))
	return outline{dots: thinned(dots, 400), rim: rim(dots, part)}, err
}

// differing are the pixels of a part in which a scene differs from another.
func (r *Reader) differing(s scene.Scene, part image.Rectangle, other scene.Scene) ([]dot, error) {
	here, err := r.draw(s, part)
	if err != nil {
		return nil, err
	}
	away, err := r.draw(other, part)
	if err != nil {
		return nil, err
	}
	var out []dot
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if p := image.Pt(x, y); difference(here, away, p, p) > same {
				out = append(out, dotOf(here, x, y))
			}
		}
	}
	return out, nil
}

// region is what some things of a scene take.
func region(s scene.Scene, which func(scene.Thing) bool) (out image.Rectangle) {
	var walk func([]scene.Thing, bool)
	walk = func(list []scene.Thing, in bool) {
		for _, t := range list {
			in := in || which(t)
			if in {
				out = out.Union(image.Rect(t.Box[0], t.Box[1], t.Box[0]+t.Box[2], t.Box[1]+t.Box[3]))
			}
			walk(t.Parts, in)
		}
	}
	walk(s.Things, false)
	if out.Empty() {
		return out
	}
	return out.Inset(-24).Intersect(image.Rect(0, 0, s.Width, s.Height))
}

func (r *Reader) draw(s scene.Scene, part image.Rectangle) (*image.RGBA, error) {
	meant := map[string]bool{}
	each(s.Things, func(t scene.Thing) (scene.Thing, bool) { meant[t.Look["of"]] = true; return t, true })
	s.Things = touching(s.Things, part, meant)
	c, err := r.painter.DrawPart(s, canvas.Pixels(part.Min.X, part.Min.Y, part.Dx(), part.Dy()))
	if err != nil {
		return nil, fmt.Errorf("draw a prototype: %w", err)
	}
	return c.Image(), nil
}

// touching leaves out things that lie nowhere near a part.
func touching(list []scene.Thing, part image.Rectangle, meant map[string]bool) []scene.Thing {
	var out []scene.Thing
	for _, t := range list {
		t.Parts = touching(t.Parts, part, meant)
		box := image.Rect(t.Box[0], t.Box[1], t.Box[0]+t.Box[2], t.Box[1]+t.Box[3]).Inset(-40)
		if box.Overlaps(part) || len(t.Parts) > 0 || t.Name != "" && meant[t.Name] {
			out = append(out, t)
		}
	}
	return out
}

// search moves dots about and says where they fit best, and which share does.
func search(picture *image.RGBA, dots []dot, offsets []image.Point, how func(*image.RGBA, []dot, image.Point) float64) (best image.Point, most float64) {
	try := func(by image.Point) {
		if share := how(picture, dots, by); share > most {
			best, most = by, share
		}
	}
	for _, o := range offsets {
		for y := -slack; y <= slack; y += 4 {
			for x := -slack; x <= slack; x += 4 {
				try(o.Add(image.Pt(x, y)))
			}
		}
	}
	for _, step := range []int{2, 1} {
		at := best
		for y := -step; y <= step; y += step {
			for x := -step; x <= step; x += step {
				try(at.Add(image.Pt(x, y)))
			}
		}
	}
	return best, most
}
