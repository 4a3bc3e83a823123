package picturereader

import (
	"fmt"
	"image"
	"slices"

	canvas "github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/visual/scene"
)

// location is a sighting moved to where the thing may be.
type location struct {
	sighting
	offset image.Point
	score  float64
	// labelled locations were found by a text on or at the thing.
	labelled bool
}

// template has the pixels by which a thing is found.
type template struct {
	pixels   []pixel
	labelled bool
	// edge has points on either side of the edge of a thing without a label: pixels of
	// one colour alone fit anywhere in a large area of that colour.
	edge [][2]image.Point
}

// hasEdge reports whether a picture shows the edge of the thing at an offset.
func (o template) hasEdge(picture *image.RGBA, by image.Point) bool {
	n, all := 0, 0
	for _, pair := range o.edge {
		p, q := pair[0].Add(by), pair[1].Add(by)
		if !p.In(picture.Rect) || !q.In(picture.Rect) {
			continue
		}
		all++
		if pixelDifference(picture, picture, p, q) > maxPixelDifference/2 {
			n++
		}
	}
	return 2*n >= all
}

// edgePairs returns pairs of points a little inside and outside of some pixels.
func edgePairs(dots []pixel, part image.Rectangle) [][2]image.Point {
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
	return thin(out, 200)
}

func (o template) minScore() float64 {
	if o.labelled {
		return minLabelScore
	}
	return minUnlabelledScore
}

func sameBox(sights []sighting) bool {
	for _, s := range sights {
		if s.thing.Box != sights[0].thing.Box {
			return false
		}
	}
	return true
}

// locate returns where a thing may be, the likeliest first.
func (r *Reader) locate(picture *image.RGBA, name, aspect string) ([]location, error) {
	b := picture.Bounds()
	sights := r.vocabulary.sightings(name, aspect, b.Dx(), b.Dy())
	var out []location
	for _, s := range pickVariants(sights) {
		if n := len(out); n > 0 && out[n-1].score > certainScore {
			break
		}
		s = s.rename()
		o, err := r.templateOf(s, name)
		if err != nil {
			return nil, err
		}
		how := matchShare
		if o.labelled {
			how = correlation
		}
		switch by, score := searchOffsets(picture, o.pixels, likelyOffsets(s, sights), how); {
		case len(o.pixels) > 0 && score >= o.minScore() && o.hasEdge(picture, by):
			out = append(out, location{s, by, score, o.labelled})
		case len(o.pixels) == 0 && sameBox(sights):
			out = append(out, location{s, image.Point{}, 1, false})
		}
	}
	slices.SortStableFunc(out, func(a, b location) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	return slices.DeleteFunc(out, func(s location) bool { return s.score < out[0].score*0.85 }), nil
}

// pickVariants picks a few sightings that differ: in box first, then in lesson.
func pickVariants(list []sighting) []sighting {
	var out []sighting
	seen := map[string]bool{}
	key := []func(s sighting) string{
		func(s sighting) string {
			return fmt.Sprint(s.thing.Box[0]/24, s.thing.Box[1]/24, s.thing.Box[2]/12, s.thing.Box[3]/12)
		},
		func(s sighting) string { return fmt.Sprint("life", s.lesson) },
	}
	for _, k := range key {
		for _, s := range list {
			if id := k(s); !seen[id] && len(out) < maxVariants {
				seen[id] = true
				out = append(out, s)
			}
		}
	}
	return out
}

// likelyOffsets returns the offsets from a sighting to where others were.
func likelyOffsets(s sighting, all []sighting) []image.Point {
	var out []image.Point
	for _, o := range all {
		d := image.Pt(o.thing.Box[0]-s.thing.Box[0], o.thing.Box[1]-s.thing.Box[1])
		near := func(p image.Point) bool { return abs(p.X-d.X) <= maxShift/2 && abs(p.Y-d.Y) <= maxShift/2 }
		if abs(o.thing.Box[2]-s.thing.Box[2]) < 12 && !slices.ContainsFunc(out, near) {
			out = append(out, d)
		}
	}
	return out
}

// pixel is a pixel of a prototype.
type pixel struct {
	at      image.Point
	r, g, b uint8
}

// templateOf returns the template of a thing: the pixels that change if its label says
// something else; without a label, its own. A thing without a label among several of
// its kind has no template.
func (r *Reader) templateOf(s sighting, name string) (template, error) {
	key := s.id + "/" + name
	if known, ok := r.templates[key]; ok {
		return known, nil
	}
	o, err := r.makeTemplate(s, name)
	if err == nil {
		cachePut(r.templates, key, o, 1<<11)
	}
	return o, err
}

func (r *Reader) makeTemplate(s sighting, name string) (template, error) {
	label := func(t scene.Thing) bool { return isLabelOf(t, name) }
	if part := regionOf(*s.scene, label); !part.Empty() {
		// A label that cannot say anything else is none.
		if dots, err := r.differingPixels(*s.scene, part, withOtherLabels(*s.scene, label)); err == nil && len(dots) >= minLabelPixels {
			return template{pixels: thin(dots, 400), labelled: true}, nil
		}
	}
	if countKind(*s.scene, s.thing.Kind) > 1 {
		return template{}, nil
	}
	part := regionOf(*s.scene, func(t scene.Thing) bool { return showsPartOf(t, name) })
	dots, err := r.differingPixels(*s.scene, part, withoutThings(*s.scene, func(t scene.Thing) bool { return t.Name == name }))
	return template{pixels: thin(dots, 400), edge: edgePairs(dots, part)}, err
}

// differingPixels returns the pixels of a part in which a scene differs from another.
func (r *Reader) differingPixels(s scene.Scene, part image.Rectangle, other scene.Scene) ([]pixel, error) {
	here, err := r.renderPart(s, part)
	if err != nil {
		return nil, err
	}
	away, err := r.renderPart(other, part)
	if err != nil {
		return nil, err
	}
	var out []pixel
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			if p := image.Pt(x, y); pixelDifference(here, away, p, p) > maxPixelDifference {
				out = append(out, pixelAt(here, x, y))
			}
		}
	}
	return out, nil
}

// regionOf returns the region of some things of a scene, with a margin.
func regionOf(s scene.Scene, which func(scene.Thing) bool) (out image.Rectangle) {
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

func (r *Reader) renderPart(s scene.Scene, part image.Rectangle) (*image.RGBA, error) {
	meant := map[string]bool{}
	mapThings(s.Things, func(t scene.Thing) (scene.Thing, bool) { meant[t.Look["of"]] = true; return t, true })
	s.Things = thingsNear(s.Things, part, meant)
	c, err := r.renderer.DrawPart(s, canvas.PixelBox(part.Min.X, part.Min.Y, part.Dx(), part.Dy()))
	if err != nil {
		return nil, fmt.Errorf("draw a prototype: %w", err)
	}
	return c.Image(), nil
}

// thingsNear leaves out things that are not near a part.
func thingsNear(list []scene.Thing, part image.Rectangle, meant map[string]bool) []scene.Thing {
	var out []scene.Thing
	for _, t := range list {
		t.Parts = thingsNear(t.Parts, part, meant)
		box := image.Rect(t.Box[0], t.Box[1], t.Box[0]+t.Box[2], t.Box[1]+t.Box[3]).Inset(-40)
		if box.Overlaps(part) || len(t.Parts) > 0 || t.Name != "" && meant[t.Name] {
			out = append(out, t)
		}
	}
	return out
}

// searchOffsets returns the offset at which pixels fit best, and how well.
func searchOffsets(picture *image.RGBA, dots []pixel, offsets []image.Point, how func(*image.RGBA, []pixel, image.Point) float64) (best image.Point, most float64) {
	try := func(by image.Point) {
		if share := how(picture, dots, by); share > most {
			best, most = by, share
		}
	}
	for _, o := range offsets {
		for y := -maxShift; y <= maxShift; y += 4 {
			for x := -maxShift; x <= maxShift; x += 4 {
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
