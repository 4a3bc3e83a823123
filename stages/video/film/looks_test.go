package film

import (
	"fmt"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fogleman/gg"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/procedural"
)

// names are the words for the colours of films and the paints that a viewer calls so.
var names = map[string]string{
	"red": "#d23b34", "blue": "#2f6fc9", "yellow": "#f2c230", "green": "#3c9a4b", "orange": "#ee7f2b", "purple": "#8450b4", "pink": "#ef86ae", "white": "#f4f1ea", "turquoise": "#2fb5b0",
}

// TestReaderOfPixelsTellsWhoActs reads in small frames what a stem calls people by: the
// pixels of the garment, whatever the light of the film, look like the paint of that name
// and like no other of the nine.
func TestReaderOfPixelsTellsWhoActs(t *testing.T) {
	read, right := map[string]int{}, map[string]int{}
	for i, f := range written(t, 16, func(c *procedural.Config) { c.Seconds = 16 }) {
		for n, e := range f.Events {
			if e.Actor == "" || e.Kind == schemas.FilmWalks || n%3 > 0 {
				continue
			}
			a := f.Actors[indexActor(f, e.Actor)]
			got := readColour(t, f, e)
			read[f.Light]++
			if strings.Contains(a.Description, " "+got+" ") {
				right[f.Light]++
				continue
			}
			t.Logf("film %d (%s): %s %s and looks %q", i, f.Light, a.Description, e.Kind, got)
		}
	}
	for _, light := range []string{"day", "dusk", "night"} {
		if read[light] < 5 || float64(right[light]) < 0.95*float64(read[light]) {
			t.Errorf("by %s %d of %d people are told by their colour", light, right[light], read[light])
		}
	}
}

// readColour finds where in the middle of an event the garment of its actor is, and the
// word for its colour there; nothing where too little of it is in the picture.
func readColour(t *testing.T, f schemas.Film, e schemas.FilmEvent) string {
	t.Helper()
	start, end := visibleSpan(f, e)
	frame := int64((start + end) / 2 * float64(f.FPS))
	dressed := func(colour string) *image.RGBA {
		o := f
		o.Actors = slices.Clone(f.Actors)
		o.Actors[indexActor(f, e.Actor)].Look.Colour = colour
		return artistOf(t, o).drawFrame(frame)
	}
	seen, dark, bright := artistOf(t, f).drawFrame(frame), dressed("#000000"), dressed("#ffffff")
	var mean, lit [3]float64
	count := 0
	for i := 0; i < len(seen.Pix); i += 4 {
		if int(bright.Pix[i])-int(dark.Pix[i]) < 70 {
			continue
		}
		count++
		for c := range 3 {
			mean[c] += float64(seen.Pix[i+c])
			lit[c] += float64(bright.Pix[i+c]) // what the light makes of white
		}
	}
	if count < 30 {
		return ""
	}
	best, least := "", math.Inf(1)
	for name, paint := range names {
		c := hex(paint)
		d := 0.0
		for k, v := range [3]float64{c.r, c.g, c.b} {
			d += math.Pow(mean[k]/lit[k]-v, 2)
		}
		if d < least {
			best, least = name, d
		}
	}
	return best
}

// TestGarmentsLookDifferent draws a person of one colour in each garment, as small as half
// of a split screen: any two differ in a part of the body that a viewer sees.
func TestGarmentsLookDifferent(t *testing.T) {
	fs, err := loadAssets()
	if err != nil {
		t.Fatal(err)
	}
	garments := []string{"apron", "jacket", "waistcoat", "dress", "overalls", "tracksuit", "smock", "hoodie", "scarf", "raincoat"}
	drawn := map[string]*image.RGBA{}
	for _, g := range garments {
		dc := gg.NewContext(60, 100)
		dc.Scale(0.5, 0.5)
		dc.SetHexColor("#e9d8b8")
		dc.Clear()
		b := &brush{Context: dc, tint: white, kit: fs}
		look := schemas.FilmLook{Garment: g, Colour: "#2f6fc9", Shirt: "#f3efe6", Trousers: "#3a4358", Skin: "#e8b88f", Hair: "short", HairTone: "#2b1d16", Size: 1.06}
		b.actor(schemas.FilmActor{ID: "actor-1", Role: "x", Look: look}, actorState{onStage: true, at: schemas.FilmPoint{X: 60, Y: 190}, facing: 1, holding: -1}, 1, func() {})
		drawn[g] = dc.Image().(*image.RGBA)
	}
	least := map[string]int{}
	for i, g := range garments {
		for _, o := range garments[:i] {
			n := 0
			for k := 0; k < len(drawn[g].Pix); k += 4 {
				d := 0.0
				for c := range 3 {
					d += math.Abs(float64(drawn[g].Pix[k+c]) - float64(drawn[o].Pix[k+c]))
				}
				if d > 90 {
					n++
				}
			}
			least[fmt.Sprint(g, " and ", o)] = n
			if n < 60 {
				t.Errorf("%s and %s differ in %d pixels", g, o, n)
			}
		}
	}
	t.Log(least)
}
