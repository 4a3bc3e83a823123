package crosssource

import (
	"bytes"
	"image"
	"image/color"
	idraw "image/draw"
	"image/png"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// encoded is an exhibit as a release holds it, decoded.
func encoded(t *testing.T, studio *draw.Studio, theme widget.Theme, x simulate.Picture) (*draw.Canvas, image.Image) {
	t.Helper()
	c, err := drawPicture(studio, theme, x)
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.PNG()
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return c, img
}

// exhibits goes over those of many worlds until somebody has enough.
func exhibits(t *testing.T, stream uint64, enough func(*rand.Rand, simulate.Picture) bool) {
	t.Helper()
	for seed := uint64(0); seed < 400; seed++ {
		rnd := rand.New(rand.NewPCG(seed, stream))
		w, err := simulate.Simulate(rnd, simulate.Themes()[int(seed)%26], pixelSize())
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range w.Items {
			for _, u := range item.Units {
				if u.Picture != nil && enough(rnd, *u.Picture) {
					return
				}
			}
		}
	}
}

// drawn is an exhibit as a release holds it, and where a text stands in it.
func drawn(t *testing.T, studio *draw.Studio, x simulate.Picture, text string) (*image.RGBA, image.Rectangle) {
	t.Helper()
	c, img := encoded(t, studio, widget.Light(draw.Hex(0x2563eb)), x)
	out := image.NewRGBA(img.Bounds())
	idraw.Draw(out, out.Bounds(), img, image.Point{}, idraw.Src)
	var box image.Rectangle
	for _, m := range c.Marks() { // what has the value, and where it is written
		line := x.Kind == simulate.Page && len(m.Text) > 8 && strings.Contains(text, m.Text)
		if plain := strings.NewReplacer(",", ""); line || plain.Replace(m.Value) == text || plain.Replace(m.Text) == text {
			box = box.Union(m.Bounds())
		}
	}
	return out, box
}

// with is an exhibit with another value in a cell.
func with(x simulate.Picture, row int, value string) simulate.Picture {
	x.Rows = slices.Clone(x.Rows)
	x.Rows[row] = slices.Clone(x.Rows[row])
	x.Rows[row][len(x.Rows[row])-1] = value
	return x
}

// unlike counts the pixels in which two pictures clearly differ within a box.
func unlike(a, b *image.RGBA, box image.Rectangle) (n int) {
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			p, q := a.RGBAAt(x, y), b.RGBAAt(x, y)
			if max(p.R, q.R)-min(p.R, q.R) > 40 || max(p.G, q.G)-min(p.G, q.G) > 40 || max(p.B, q.B)-min(p.B, q.B) > 40 {
				n++
			}
		}
	}
	return n
}

// fewest pixels tell one value from another.
const fewest = 12

// TestPicturesAreRead: the encoded picture of every kind shows the value of a cell, and
// none of the values of other cells; with the cell painted over it shows none of them.
func TestPicturesAreRead(t *testing.T) {
	t.Parallel()
	each, kinds := testsize.Choose(3, 20), []string{simulate.Chart, simulate.Sheet, simulate.Card, simulate.Poster, simulate.Page}
	studio, read := draw.NewStudio(), map[string]int{}
	missing := func() bool { return slices.ContainsFunc(kinds, func(kind string) bool { return read[kind] < each }) }
	exhibits(t, 11, func(rnd *rand.Rand, x simulate.Picture) bool {
		if read[x.Kind] < each {
			read[x.Kind]++
			checkRead(t, studio, rnd, x)
		}
		return !missing()
	})
	if missing() {
		t.Errorf("pictures read: %v; want %d of each kind", read, each)
	}
}

func pixelSize() simulate.Size {
	var c WorldsConfig
	c.SetDefaults()
	return c.Size
}

func checkRead(t *testing.T, studio *draw.Studio, rnd *rand.Rand, x simulate.Picture) {
	t.Helper()
	row := rnd.IntN(len(x.Rows))
	value := x.Rows[row][len(x.Rows[row])-1]
	picture, box := drawn(t, studio, x, value)
	if box.Empty() {
		t.Errorf("%s %q: nothing is marked as %q", x.Kind, x.Title, value)
		return
	}
	blind := image.NewRGBA(picture.Bounds())
	copy(blind.Pix, picture.Pix)
	idraw.Draw(blind, box, image.NewUniform(color.RGBA{128, 96, 160, 255}), image.Point{}, idraw.Src)
	same, _ := drawn(t, studio, x, value)
	if unlike(picture, same, box) > 0 || unlike(blind, same, box) < fewest {
		t.Errorf("%s %q: %q is not to be seen at %v", x.Kind, x.Title, value, box)
	}
	for i, r := range x.Rows {
		other := r[len(r)-1]
		if i == row || other == value || x.Kind == simulate.Chart && strings.TrimLeft(other, "0123456789") != "" {
			continue
		}
		instead, there := drawn(t, studio, with(x, row, other), other)
		if unlike(picture, instead, box.Union(there)) < fewest || unlike(blind, instead, box) < fewest {
			t.Errorf("%s %q: %q cannot be told from %q", x.Kind, x.Title, value, other)
		}
	}
}
