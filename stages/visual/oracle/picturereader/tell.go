package picturereader

import (
	"image"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/stages/visual/scene"
)

// fitting is the share of dots that a picture has at their places.
func fitting(picture *image.RGBA, dots []dot, by image.Point) float64 {
	n := 0
	for _, d := range dots {
		p := d.at.Add(by)
		if !p.In(picture.Rect) {
			continue
		}
		i := picture.PixOffset(p.X, p.Y)
		if off(picture.Pix[i], d.r)+off(picture.Pix[i+1], d.g)+off(picture.Pix[i+2], d.b) <= same {
			n++
		}
	}
	return float64(n) / float64(max(1, len(dots)))
}

// correlating is how far a picture gets lighter and darker as dots do, or the other way
// round, whatever the colours: from 0 to 1.
func correlating(picture *image.RGBA, dots []dot, by image.Point) float64 {
	var n, sx, sy, sxx, syy, sxy int
	for _, d := range dots {
		p := d.at.Add(by)
		if !p.In(picture.Rect) {
			return 0
		}
		i := picture.PixOffset(p.X, p.Y)
		x, y := light(d.r, d.g, d.b), light(picture.Pix[i], picture.Pix[i+1], picture.Pix[i+2])
		n, sx, sy, sxx, syy, sxy = n+1, sx+x, sy+y, sxx+x*x, syy+y*y, sxy+x*y
	}
	vx, vy := n*sxx-sx*sx, n*syy-sy*sy
	if vx == 0 || vy < n*n*contrast*contrast {
		return 0
	}
	c := float64(n*sxy - sx*sy)
	return math.Abs(c) / math.Sqrt(float64(vx)*float64(vy))
}

// light is a brightness from 0 to 255.
func light(r, g, b uint8) int { return (3*int(r) + 6*int(g) + int(b)) / 10 }

// tell says which value a thing at a spot shows, by the pixels in which prototypes of
// the values differ.
func (r *Reader) tell(picture *image.RGBA, s spot, aspect string, values []string) (string, float64) {
	name := s.thing.Name
	part := region(*s.scene, func(t scene.Thing) bool { return belongs(t, name) })
	var drawn []*image.RGBA
	for _, v := range values {
		img, err := r.prototype(s.sight, aspect, v, part)
		if err != nil {
			return "", 0 // such a thing has no such value
		}
		drawn = append(drawn, img)
	}
	at := decisive(drawn, part)
	value, share := r.like(picture, s, values, drawn, at, fitting)
	if value == "" && shaped(aspect) {
		value, share = r.like(picture, s, values, drawn, at, correlating)
	}
	return value, share
}

// counted holds a number that was read against those next to it, and wants the things
// themselves to be there: where none are drawn, nothing differs from a picture of fewer.
func (r *Reader) counted(picture *image.RGBA, s spot, value string, share float64) bool {
	n, err := strconv.Atoi(value)
	if err != nil || !s.labelled || share < countable {
		return false
	}
	again, share := r.tell(picture, s, scene.Count, []string{strconv.Itoa(max(0, n-1)), value, strconv.Itoa(n + 1)})
	if again != value || share < countable {
		return false
	}
	part := region(*s.scene, func(t scene.Thing) bool { return belongs(t, s.thing.Name) })
	own, err := r.differing(with(*s.scene, s.thing.Name, scene.Count, value), part, without(*s.scene, func(t scene.Thing) bool { return t.Name == s.thing.Name }))
	return err == nil && fitting(picture, thinned(own, 400), s.by) >= likely
}

// prototype is a thing with a value, in the picture that it was learnt from.
func (r *Reader) prototype(s sight, aspect, value string, part image.Rectangle) (*image.RGBA, error) {
	key := strings.Join([]string{s.id, s.thing.Name, aspect, value}, "/")
	if img, known := r.drawn[key]; known {
		return img, nil
	}
	img, err := r.draw(with(*s.scene, s.thing.Name, aspect, value), part)
	if err == nil {
		if r.held += len(img.Pix); r.held > mostHeld {
			r.held = len(img.Pix)
			clear(r.drawn)
		}
		r.drawn[key] = img
	}
	return img, err
}

// shaped reports an aspect that is seen by shapes, whatever their colour.
func shaped(aspect string) bool {
	return slices.Contains([]string{scene.Which, scene.Pattern, scene.Text, scene.Beside}, aspect)
}

// like is the value whose prototype a picture is like, and how much.
func (r *Reader) like(picture *image.RGBA, s spot, values []string, drawn []*image.RGBA, at []image.Point, how func(*image.RGBA, []dot, image.Point) float64) (string, float64) {
	best, share, next := -1, 0.0, 0.0
	for i, img := range drawn {
		dots := make([]dot, len(at))
		for k, p := range at {
			dots[k] = dotOf(img, p.X, p.Y)
		}
		most := 0.0
		for y := -1; y <= 1; y++ {
			for x := -1; x <= 1; x++ {
				most = max(most, how(picture, dots, s.by.Add(image.Pt(x, y))))
			}
		}
		switch {
		case most > share:
			best, share, next = i, most, share
		case most > next:
			next = most
		}
	}
	if best < 0 || share < likely || share-next < clearly {
		return "", 0
	}
	return values[best], share
}

// decisive are the pixels of a part in which pictures differ.
func decisive(drawn []*image.RGBA, part image.Rectangle) []image.Point {
	var out []image.Point
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			p := image.Pt(x, y)
			for _, other := range drawn[1:] {
				if difference(drawn[0], other, p, p) > same {
					out = append(out, p)
					break
				}
			}
		}
	}
	return thinned(out, 1500)
}

// place is which of some places a thing with a label stands at: where others stood in
// pictures laid out alike. What is in front of something else is not undertaken, for
// that stands elsewhere in every life.
func (r *Reader) place(spots []spot, values []string) string {
	amid := func(v string) bool { return strings.HasPrefix(v, "in front of the ") }
	if len(spots) == 0 || !spots[0].labelled || slices.ContainsFunc(values, amid) {
		return ""
	}
	s := spots[0]
	at := middle(s.thing.Box).Add(s.by)
	best, least := "", 1<<30
	for _, v := range values {
		for _, o := range r.words.signed[signature(s.thing.Name)] {
			if abs(o.thing.Box[2]-s.thing.Box[2]) > 3 || abs(o.thing.Box[3]-s.thing.Box[3]) > 15 {
				continue
			}
			if d := middle(o.thing.Box).Sub(at); o.thing.Look[scene.Place] == v && d.X*d.X+d.Y*d.Y < least {
				best, least = v, d.X*d.X+d.Y*d.Y
			}
		}
	}
	return best
}

func middle(b [4]int) image.Point { return image.Pt(b[0]+b[2]/2, b[1]+b[3]/2) }

func dotOf(img *image.RGBA, x, y int) dot {
	i := img.PixOffset(x, y)
	return dot{image.Pt(x, y), img.Pix[i], img.Pix[i+1], img.Pix[i+2]}
}

func difference(a, b *image.RGBA, p, q image.Point) int {
	i, j := a.PixOffset(p.X, p.Y), b.PixOffset(q.X, q.Y)
	return off(a.Pix[i], b.Pix[j]) + off(a.Pix[i+1], b.Pix[j+1]) + off(a.Pix[i+2], b.Pix[j+2])
}

func off(a, b uint8) int { return abs(int(a) - int(b)) }

func abs(n int) int { return max(n, -n) }

// thinned keeps at most so many, evenly.
func thinned[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	out := make([]T, most)
	for i := range out {
		out[i] = list[i*len(list)/most]
	}
	return out
}
