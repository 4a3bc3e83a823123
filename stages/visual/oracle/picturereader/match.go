package picturereader

import (
	"image"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/stages/visual/scene"
)

// matchShare returns the share of pixels that a picture has at an offset.
func matchShare(picture *image.RGBA, dots []pixel, by image.Point) float64 {
	n := 0
	for _, d := range dots {
		p := d.at.Add(by)
		if !p.In(picture.Rect) {
			continue
		}
		i := picture.PixOffset(p.X, p.Y)
		if channelDifference(picture.Pix[i], d.r)+channelDifference(picture.Pix[i+1], d.g)+channelDifference(picture.Pix[i+2], d.b) <= maxPixelDifference {
			n++
		}
	}
	return float64(n) / float64(max(1, len(dots)))
}

// correlation returns how far the brightness of a picture follows that of the pixels,
// or its inverse, from 0 to 1, whatever the colours.
func correlation(picture *image.RGBA, dots []pixel, by image.Point) float64 {
	var n, sx, sy, sxx, syy, sxy int
	for _, d := range dots {
		p := d.at.Add(by)
		if !p.In(picture.Rect) {
			return 0
		}
		i := picture.PixOffset(p.X, p.Y)
		x, y := brightness(d.r, d.g, d.b), brightness(picture.Pix[i], picture.Pix[i+1], picture.Pix[i+2])
		n, sx, sy, sxx, syy, sxy = n+1, sx+x, sy+y, sxx+x*x, syy+y*y, sxy+x*y
	}
	vx, vy := n*sxx-sx*sx, n*syy-sy*sy
	if vx == 0 || vy < n*n*minContrast*minContrast {
		return 0
	}
	c := float64(n*sxy - sx*sy)
	return math.Abs(c) / math.Sqrt(float64(vx)*float64(vy))
}

func brightness(r, g, b uint8) int { return (3*int(r) + 6*int(g) + int(b)) / 10 }

// readAspect returns the value of a thing at a location, by the pixels in which
// prototypes of the values differ.
func (r *Reader) readAspect(picture *image.RGBA, s location, aspect string, values []string) (string, float64) {
	name := s.thing.Name
	part := regionOf(*s.scene, func(t scene.Thing) bool { return showsPartOf(t, name) })
	var drawn []*image.RGBA
	for _, v := range values {
		img, err := r.renderPrototype(s.sighting, aspect, v, part)
		if err != nil {
			return "", 0 // such a thing has no such value
		}
		drawn = append(drawn, img)
	}
	at := decisivePixels(drawn, part)
	value, share := r.bestValue(picture, s, values, drawn, at, matchShare)
	if value == "" && seenByShape(aspect) {
		value, share = r.bestValue(picture, s, values, drawn, at, correlation)
	}
	return value, share
}

// confirmCount compares a count with its neighbours, and wants the counted things to be
// visible: where none are drawn, nothing differs from a picture of fewer.
func (r *Reader) confirmCount(picture *image.RGBA, s location, value string, share float64) bool {
	n, err := strconv.Atoi(value)
	if err != nil || !s.labelled || share < minCountShare {
		return false
	}
	again, share := r.readAspect(picture, s, scene.Count, []string{strconv.Itoa(max(0, n-1)), value, strconv.Itoa(n + 1)})
	if again != value || share < minCountShare {
		return false
	}
	part := regionOf(*s.scene, func(t scene.Thing) bool { return showsPartOf(t, s.thing.Name) })
	own, err := r.differingPixels(withValue(*s.scene, s.thing.Name, scene.Count, value), part, withoutThings(*s.scene, func(t scene.Thing) bool { return t.Name == s.thing.Name }))
	return err == nil && matchShare(picture, thin(own, 400), s.offset) >= minValueShare
}

// renderPrototype renders a thing with a value, in the picture that it was learnt from.
func (r *Reader) renderPrototype(s sighting, aspect, value string, part image.Rectangle) (*image.RGBA, error) {
	key := strings.Join([]string{s.id, s.thing.Name, aspect, value}, "/")
	if img, known := r.prototypes[key]; known {
		return img, nil
	}
	img, err := r.renderPart(withValue(*s.scene, s.thing.Name, aspect, value), part)
	if err == nil {
		if r.prototypeBytes += len(img.Pix); r.prototypeBytes > maxPrototypeBytes {
			r.prototypeBytes = len(img.Pix)
			clear(r.prototypes)
		}
		r.prototypes[key] = img
	}
	return img, err
}

// seenByShape reports whether an aspect is recognised by shape, whatever the colour.
func seenByShape(aspect string) bool {
	return slices.Contains([]string{scene.Which, scene.Pattern, scene.Text, scene.Beside}, aspect)
}

// bestValue returns the value whose prototype matches best, and how well.
func (r *Reader) bestValue(picture *image.RGBA, s location, values []string, drawn []*image.RGBA, at []image.Point, how func(*image.RGBA, []pixel, image.Point) float64) (string, float64) {
	best, share, next := -1, 0.0, 0.0
	for i, img := range drawn {
		dots := make([]pixel, len(at))
		for k, p := range at {
			dots[k] = pixelAt(img, p.X, p.Y)
		}
		most := 0.0
		for y := -1; y <= 1; y++ {
			for x := -1; x <= 1; x++ {
				most = max(most, how(picture, dots, s.offset.Add(image.Pt(x, y))))
			}
		}
		switch {
		case most > share:
			best, share, next = i, most, share
		case most > next:
			next = most
		}
	}
	if best < 0 || share < minValueShare || share-next < minValueMargin {
		return "", 0
	}
	return values[best], share
}

// decisivePixels returns the points of a part at which pictures differ.
func decisivePixels(drawn []*image.RGBA, part image.Rectangle) []image.Point {
	var out []image.Point
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			p := image.Pt(x, y)
			for _, other := range drawn[1:] {
				if pixelDifference(drawn[0], other, p, p) > maxPixelDifference {
					out = append(out, p)
					break
				}
			}
		}
	}
	return thin(out, 1500)
}

// readPlace returns the place of a thing with a label: where others were in pictures of
// the same layout. Places in front of something vary with the simulation and are
// unread.
func (r *Reader) readPlace(spots []location, values []string) string {
	amid := func(v string) bool { return strings.HasPrefix(v, "in front of the ") }
	if len(spots) == 0 || !spots[0].labelled || slices.ContainsFunc(values, amid) {
		return ""
	}
	s := spots[0]
	at := boxCentre(s.thing.Box).Add(s.offset)
	best, least := "", 1<<30
	for _, v := range values {
		for _, o := range r.vocabulary.bySignature[nameSignature(s.thing.Name)] {
			if abs(o.thing.Box[2]-s.thing.Box[2]) > 3 || abs(o.thing.Box[3]-s.thing.Box[3]) > 15 {
				continue
			}
			if d := boxCentre(o.thing.Box).Sub(at); o.thing.Look[scene.Place] == v && d.X*d.X+d.Y*d.Y < least {
				best, least = v, d.X*d.X+d.Y*d.Y
			}
		}
	}
	return best
}

func boxCentre(b [4]int) image.Point { return image.Pt(b[0]+b[2]/2, b[1]+b[3]/2) }

func pixelAt(img *image.RGBA, x, y int) pixel {
	i := img.PixOffset(x, y)
	return pixel{image.Pt(x, y), img.Pix[i], img.Pix[i+1], img.Pix[i+2]}
}

func pixelDifference(a, b *image.RGBA, p, q image.Point) int {
	i, j := a.PixOffset(p.X, p.Y), b.PixOffset(q.X, q.Y)
	return channelDifference(a.Pix[i], b.Pix[j]) + channelDifference(a.Pix[i+1], b.Pix[j+1]) + channelDifference(a.Pix[i+2], b.Pix[j+2])
}

func channelDifference(a, b uint8) int { return abs(int(a) - int(b)) }

func abs(n int) int { return max(n, -n) }

// thin returns at most max elements, evenly spaced.
func thin[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	out := make([]T, most)
	for i := range out {
		out[i] = list[i*len(list)/most]
	}
	return out
}
