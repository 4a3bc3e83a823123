package paint

import (
	"testing"

	"github.com/memforge/memforge/stages/visual/scene"
)

// TestPostersShowWhatTheyTell: cards have their text, stars and colour, and no
// setting of a poster is missing.
func TestPostersShowWhatTheyTell(t *testing.T) {
	used, settings := map[string]bool{}, map[string]bool{}
	drawLives(t, 2, []string{"brand_memory"}, func(_ int, d drawnRoom) {
		used[d.of.Backdrop] = true
		noteKinds(used, d.of.Things)
		for _, thing := range d.of.NamedThings() {
			settings[thing.Look[scene.Setting]] = true
			checkText(t, d, thing)
			checkCount(t, d, thing)
			if ink, ok := scene.Ink(thing.Look[scene.Colour]); ok {
				rim := d.canvas.Image().RGBAAt(thing.Box[0]+thing.Box[2]/2, thing.Box[1]+thing.Box[3]*30/100-thing.Box[3]*130/1000)
				if rim.R != ink.R || rim.G != ink.G || rim.B != ink.B {
					t.Errorf("the disc of %s is %v, want %s", thing.Name, rim, thing.Look[scene.Colour])
				}
			}
		}
	})
	for kind := range posters().kinds {
		if !used[kind] {
			t.Errorf("no picture has a %q", kind)
		}
	}
	if len(settings) < 8 {
		t.Errorf("settings: %v", settings)
	}
}
