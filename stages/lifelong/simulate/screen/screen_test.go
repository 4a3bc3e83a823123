package screen_test

import (
	"bytes"
	"fmt"
	"image"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/stages/lifelong/simulate/screen"
	"github.com/memforge/memforge/stages/lifelong/worlds"
)

// full is a screen of an application with as many rows as a world can have.
func full(app string) screen.Screen {
	s := screen.Screen{App: app, Title: "Larkspur " + app, Around: []string{"Falcon one", "Cobalt two", "Raven three", "Umber four", "Pebble five"}}
	for i, a := range append(worlds.Told(app), "further reading", "last reading") {
		s.Rows = append(s.Rows, [2]string{a, fmt.Sprintf("Constanze Lindqvist %d", i)})
	}
	return s
}

// TestScreens draws every application and place: each row stands whole on the screen,
// and no two look the same.
func TestScreens(t *testing.T) {
	studio := draw.NewStudio()
	captions := map[string]string{}
	for _, app := range worlds.Agentic() {
		s := full(app)
		c, err := s.Draw(studio)
		if err != nil {
			t.Fatalf("%s: %v", app, err)
		}
		written := map[string]bool{}
		w, h := c.Size()
		for _, m := range c.Marks() {
			if !m.Cut && m.Box[0] >= 0 && m.Box[2] <= w && m.Box[3] <= h {
				written[m.Text] = true
			}
		}
		for _, r := range s.Rows {
			if !written[r[1]] {
				t.Errorf("%s: %q is not whole on its screen", app, r[1])
			}
		}
		if other := captions[screen.Caption(app)]; other != "" {
			t.Errorf("%s and %s have the same caption", app, other)
		}
		captions[screen.Caption(app)] = app
	}
	if _, err := full("abacus").Draw(studio); err == nil {
		t.Error("an application that nobody draws has a screen")
	}
	s := full("shop")
	s.Rows = append(s.Rows, s.Rows...)
	if _, err := s.Draw(studio); err == nil {
		t.Error("more rows than there is room for are drawn")
	}
}

// TestThingsLookLikeThemselves: things of a household and goods of a shop are drawn by their
// kind: no two kinds alike, and none as the parcel that stands for what nobody draws.
func TestThingsLookLikeThemselves(t *testing.T) {
	studio := draw.NewStudio()
	drawn := func(app, title string) []byte {
		c, err := screen.Screen{App: app, Title: title}.Draw(studio)
		if err != nil {
			t.Fatal(err)
		}
		var out []byte
		img := c.Image().SubImage(image.Rect(16, 60, 174, 196)).(*image.RGBA) // beside all text
		for y := range img.Rect.Dy() {
			out = append(out, img.Pix[y*img.Stride:][:4*img.Rect.Dx()]...)
		}
		return out
	}
	for _, app := range []string{"household", "shop"} {
		looks := map[string][]byte{"parcel": drawn(app, "Larkspur parcel")}
		for seed := range uint64(20) {
			w, err := worlds.Simulate(rand.New(rand.NewPCG(1, seed)), app, worlds.Size{Sessions: 4, Facts: 3, Pictures: 2})
			if err != nil {
				t.Fatal(err)
			}
			for _, thing := range w.Things {
				name, kind, _ := strings.Cut(strings.TrimPrefix(thing, "the "), " ")
				look := drawn(app, name+" "+kind)
				for other, as := range looks {
					if bytes.Equal(look, as) != (kind == other) {
						t.Errorf("%s: a %s and a %s look the same, or two of a kind do not", app, kind, other)
					}
				}
				looks[kind] = look
			}
		}
		if len(looks) < 5 {
			t.Errorf("%s: %d kinds of things", app, len(looks))
		}
	}
}
