package visual_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg"
	_ "image/png"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/stages/visual/paint"
	"github.com/memforge/memforge/stages/visual/question"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// redrawer tells which of several values of a thing an encoded picture shows: it knows
// the scene, draws it with each of them and compares. So it holds that the renderer
// shows every value, and every value differently; it is no reader of its own, which is
// package reader.
type redrawer struct {
	t       *testing.T
	painter *paint.Renderer
	// drawn are the pictures of the question that is looked at: each value is compared
	// several times, and drawing it, encoding it and decoding it is what takes long.
	drawn map[string]decoded
}

// decoded is an encoded picture, decoded, and the box of the thing that is looked at.
type decoded struct {
	picture *image.RGBA
	box     image.Rectangle
}

// showing is the scene with another value of an aspect, encoded and decoded.
func (r redrawer) showing(s scene.Scene, thing, aspect, value string) (*image.RGBA, image.Rectangle) {
	r.t.Helper()
	d, ok := r.drawn[value]
	if !ok {
		d.picture, d.box = r.encoded(with(s, thing, aspect, value), thing)
		r.drawn[value] = d
	}
	return d.picture, d.box
}

// encoded is a scene as a release holds it, decoded, and the box of a thing in it.
func (r redrawer) encoded(s scene.Scene, thing string) (*image.RGBA, image.Rectangle) {
	r.t.Helper()
	c, err := r.painter.Draw(s)
	if err != nil {
		r.t.Fatal(err)
	}
	encode := c.PNG
	if s.Photo {
		encode = c.JPEG
	}
	data, err := encode()
	if err != nil {
		r.t.Fatal(err)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		r.t.Fatal(err)
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), img, image.Point{}, draw.Src)
	var box image.Rectangle
	for _, m := range c.Marks() {
		if m.Kind == paint.MarkThing && m.Name == thing {
			box = m.Bounds()
		}
	}
	return out, box
}

// with is a scene in which a thing has another value of an aspect.
func with(s scene.Scene, thing, aspect, value string) scene.Scene {
	was, _ := s.Find(thing)
	var change func([]scene.Thing) []scene.Thing
	change = func(things []scene.Thing) []scene.Thing {
		out := slices.Clone(things)
		for i := range out {
			out[i].Parts = change(out[i].Parts)
			if out[i].Name == thing {
				out[i].Look = maps.Clone(out[i].Look)
				out[i].Look[aspect] = value
			}
		}
		return out
	}
	s.Things = change(s.Things)
	if s.Look[aspect] == was.Look[aspect] && s.Look[aspect] != "" {
		s.Look = maps.Clone(s.Look)
		s.Look[aspect] = value
	}
	return s
}

// differ counts the pixels of a box in which two pictures are clearly different.
func differ(a, b *image.RGBA, box image.Rectangle) int {
	n := 0
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			i := a.PixOffset(x, y)
			d := 0
			for k := range 3 {
				d += max(int(a.Pix[i+k])-int(b.Pix[i+k]), int(b.Pix[i+k])-int(a.Pix[i+k]))
			}
			if d > 60 {
				n++
			}
		}
	}
	return n
}

// legible is how many pixels at least tell one value from another.
const legible = 24

// read is the value that the picture shows; empty where it is like none of them.
func (r redrawer) read(picture *image.RGBA, box image.Rectangle, s scene.Scene, thing, aspect string, values []string) string {
	best, value := 1<<30, ""
	for _, v := range values {
		drawn, other := r.showing(s, thing, aspect, v)
		if d := differ(picture, drawn, box.Union(other)); d < best {
			best, value = d, v
		}
	}
	if best >= legible {
		return ""
	}
	return value
}

// drawnByValue reports whether the look of a thing, rather than where it stands, is
// what shows an aspect.
func (r redrawer) drawnByValue(picture *image.RGBA, box image.Rectangle, s scene.Scene, thing, aspect, other string) bool {
	drawn, _ := r.showing(s, thing, aspect, other)
	return differ(picture, drawn, box) > 0 || differ(picture, drawn, picture.Bounds()) > 0
}

// without is a scene that lacks a thing.
func without(s scene.Scene, thing string) scene.Scene {
	var drop func([]scene.Thing) []scene.Thing
	drop = func(things []scene.Thing) []scene.Thing {
		out := []scene.Thing{}
		for _, t := range things {
			if t.Name != thing {
				t.Parts = drop(t.Parts)
				out = append(out, t)
			}
		}
		return out
	}
	s.Things = drop(s.Things)
	return s
}

func paintedOver(picture *image.RGBA, box image.Rectangle) *image.RGBA {
	out := image.NewRGBA(picture.Bounds())
	copy(out.Pix, picture.Pix)
	draw.Draw(out, box, image.NewUniform(color.RGBA{128, 96, 160, 255}), image.Point{}, draw.Src)
	return out
}

// TestPixelsDecide: for every level of granularity, the encoded picture shows the gold
// and no other option, and shows none once the decisive detail is painted over.
func TestPixelsDecide(t *testing.T) {
	if testing.Short() {
		t.Skip("draws for a minute under the race detector; the suites of the stages draw side by side")
	}
	t.Parallel()
	r := redrawer{t: t, painter: paint.NewRenderer()}
	want := 1 // of each scenario and aspect
	grains := map[string]int{}
	for i, s := range simulate.Scenarios() {
		l, err := s.Simulate(rand.New(rand.NewPCG(5, 5)), simulate.Size{Sessions: 4, Rounds: 16, Pictures: 12})
		if err != nil {
			t.Fatal(err)
		}
		taken := map[string]int{}
		for _, d := range question.WriteDrafts(rand.New(rand.NewPCG(1, 1)), l, question.Quota{PerCell: 20}) {
			if d.Form != question.Value || taken[d.Aspect] == want || !testsize.Full() && scene.Granularity(d.Aspect) != fmt.Sprint("X", i%4+1) {
				continue
			}
			taken[d.Aspect]++
			grains[scene.Granularity(d.Aspect)]++
			checkPixels(t, r, s.Name, l, d)
		}
	}
	for _, grain := range []string{"X1", "X2", "X3", "X4"} {
		if grains[grain] == 0 {
			t.Errorf("no question of %s was read", grain)
		}
	}
	t.Logf("questions read by granularity: %v", grains)
}

func checkPixels(t *testing.T, r redrawer, scenario string, l simulate.Simulation, d question.Draft) {
	t.Helper()
	r.drawn = map[string]decoded{}
	s, thing := l.Scenes[d.Clues[0].Scene], d.Clues[0].Thing
	picture, box := r.encoded(s, thing)
	blind := paintedOver(picture, box)
	if !r.drawnByValue(picture, box, s, thing, d.Aspect, d.Wrong[0]) {
		// Its place says it: then the thing itself must be there, at that place.
		gone, _ := r.encoded(without(s, thing), thing)
		if differ(picture, gone, box) < legible {
			t.Errorf("%s: %q: nothing is to be seen of %s at %v", scenario, d.OpenQuestion, thing, box)
		}
		return
	}
	values := append([]string{d.Gold}, d.Wrong...)
	if got := r.read(picture, box, s, thing, d.Aspect, values); got != d.Gold {
		t.Errorf("%s: %q: the picture shows %q, gold is %q", scenario, d.OpenQuestion, got, d.Gold)
	}
	for _, wrong := range d.Wrong {
		drawn, other := r.showing(s, thing, d.Aspect, wrong)
		if n := differ(picture, drawn, box.Union(other)); n < legible {
			t.Errorf("%s: %q: %q and %q differ in %d pixels", scenario, d.OpenQuestion, d.Gold, wrong, n)
		}
	}
	if got := r.read(blind, box, s, thing, d.Aspect, values); got != "" {
		t.Errorf("%s: %q: with %s painted over the picture still shows %q", scenario, d.OpenQuestion, thing, got)
	}
}
