package screen_test

import (
	"bytes"
	"fmt"
	"image"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/agent/screen"
)

// full is a screen of an application with as many rows as a world can have.
func full(app string) screen.Screen {
	s := screen.Screen{App: app, Title: "Larkspur " + app, Around: []string{"Falcon one", "Cobalt two", "Raven three", "Umber four", "Pebble five"}}
	for i, a := range append(simulate.ToldAspects(app), "further reading", "last reading") {
		s.Rows = append(s.Rows, [2]string{a, fmt.Sprintf("Constanze Lindqvist %d", i)})
	}
	return s
}

// TestScreens draws every application and place: each row stands whole on the screen,
// and no two look the same.
func TestScreens(t *testing.T) {
	studio := draw.NewStudio()
	captions := map[string]string{}
	var pixels strings.Builder
	for _, app := range simulate.Agentic() {
		s := full(app)
		c, err := s.Draw(studio)
		if err != nil {
			t.Fatalf("%s: %v", app, err)
		}
		fmt.Fprintf(&pixels, "%s, %s: %.12s\n", app, screen.Caption(app), c.PixelDigest())
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
	golden.Check(t, "screens", pixels.String())
	if _, err := full("abacus").Draw(studio); err == nil {
		t.Error("an application that nobody draws has a screen")
	}
	s := full("shop")
	s.Rows = append(s.Rows, s.Rows...)
	if _, err := s.Draw(studio); err == nil {
		t.Error("more rows than there is room for are drawn")
	}
}

// drawn are the pixels of a screen beside its board, where no row stands: what is drawn of
// the thing and of where it is.
func drawn(t *testing.T, studio *draw.Studio, s screen.Screen) string {
	t.Helper()
	c, err := s.Draw(studio)
	if err != nil {
		t.Fatal(err)
	}
	beside := image.Rect(0, 0, 190, 300) // all but what is written
	switch s.App {
	case "shop":
		beside = image.Rect(0, 60, 174, 300)
	case "phone":
		beside = image.Rect(0, 318, 300, 330)
	case "styles":
		beside = image.Rect(335, 30, 520, 300)
	}
	var out bytes.Buffer
	img := c.Image().SubImage(beside).(*image.RGBA)
	for y := range img.Rect.Dy() {
		out.Write(img.Pix[y*img.Stride:][:4*img.Rect.Dx()])
	}
	return out.String()
}

// pictured are the applications and places whose things are drawn.
func pictured() []string {
	return []string{"household", "shop", "navigation", "crafting", "workshop"}
}

// TestThingsLookLikeThemselves: things of places and goods of a shop are drawn by their
// kind and their name: no two look alike, not even of a kind, and none of them as the box
// that stands for what nobody draws.
func TestThingsLookLikeThemselves(t *testing.T) {
	studio := draw.NewStudio()
	var pixels strings.Builder
	for _, app := range pictured() {
		names, kinds := map[string]bool{}, map[string]bool{}
		for seed := range uint64(20) {
			w, err := simulate.Simulate(rand.New(rand.NewPCG(1, seed)), app, simulate.Size{Sessions: 4, Facts: 3, Pictures: 2})
			if err != nil {
				t.Fatal(err)
			}
			for _, thing := range w.Things {
				name, kind, _ := strings.Cut(strings.TrimPrefix(thing, "the "), " ")
				names[name], kinds[kind] = true, true
			}
		}
		kinds["box"] = true // which nobody draws
		looks := map[string]string{}
		all := ""
		for _, name := range slices.Sorted(maps.Keys(names)) {
			for _, kind := range slices.Sorted(maps.Keys(kinds)) {
				title := name + " " + kind
				look := drawn(t, studio, screen.Screen{App: app, Title: title})
				all += string(pipeline.DigestOf([]byte(look)))
				if other := looks[look]; other != "" {
					t.Errorf("%s: %s looks like %s", app, title, other)
				}
				looks[look] = title
			}
		}
		if len(names) < 30 || len(kinds) < 5 {
			t.Errorf("%s: %d names, %d kinds", app, len(names), len(kinds))
		}
		fmt.Fprintf(&pixels, "%s, %d names of %d kinds: %.12s\n", app, len(names), len(kinds), pipeline.DigestOf([]byte(all)))
	}
	golden.Check(t, "things", pixels.String())
}

// TestScreensShowWhatTheyState: of one thing no two values of a colour, of where it lies,
// of where it is or how full it is look the same, nor as if nothing were stated.
func TestScreensShowWhatTheyState(t *testing.T) {
	studio := draw.NewStudio()
	lines := map[string]string{}
	for of, least := range map[[2]string]int{
		{"household", "tint"}: 60, {"household", "resting place"}: 64, {"workshop", "berth"}: 64, {"workshop", "label colour"}: 60, {"workshop", "fill level"}: 90,
		{"crafting", "metal"}: 48, {"crafting", "dye"}: 60, {"crafting", "stowage"}: 48, {"navigation", "bearing"}: 300, {"navigation", "parking bay"}: 36,
		{"shop", "chosen colour"}: 60, {"styles", "accent colour"}: 60, {"phone", "background"}: 60, {"pictures", "backdrop"}: 60,
	} {
		app, aspect := of[0], of[1]
		title := map[string]string{
			"household": "Amber mug", "workshop": "Amber paint tin", "crafting": "Amber shield", "navigation": "Amber crate", "shop": "Amber kettle order", "styles": "Amber blog page",
			"phone": "Amber alarm", "pictures": "Amber poster",
		}[app]
		values := append(simulate.PickSimilar(rand.New(rand.NewPCG(3, 4)), app, aspect, least), "")
		looks, all := map[string]string{}, ""
		for _, v := range values {
			s := screen.Screen{App: app, Title: title}
			if v != "" {
				s.Rows = [][2]string{{aspect, v}}
			}
			look := drawn(t, studio, s)
			all += string(pipeline.DigestOf([]byte(look)))
			if other, taken := looks[look]; taken {
				t.Errorf("%s: %s %q looks like %q", app, aspect, v, other)
			}
			looks[look] = v
		}
		if len(looks) != least+1 {
			t.Errorf("%s: %s has %d looks, want %d", app, aspect, len(looks), least+1)
		}
		lines[app+" "+aspect] = fmt.Sprintf("%s, %s, %d looks: %.12s\n", app, aspect, len(looks), pipeline.DigestOf([]byte(all)))
	}
	pixels := ""
	for _, of := range slices.Sorted(maps.Keys(lines)) {
		pixels += lines[of]
	}
	golden.Check(t, "states", pixels)
}
