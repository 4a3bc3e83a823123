package paint

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

func TestTownShowsWhatItTells(t *testing.T) {
	used, told, digests := map[string]bool{}, map[string]int{}, map[string]bool{}
	drawLives(t, 2, []string{"outdoor_navigation"}, func(_ int, d drawnRoom) {
		used[d.of.Backdrop] = true
		noteKinds(used, d.of.Things)
		p := string(d.canvas.PixelDigest())
		if digests[p] {
			t.Errorf("two scenes are the same picture")
		}
		digests[p] = true
		for _, thing := range d.of.NamedThings() {
			for _, a := range thing.Tells {
				told[a]++
			}
			checkColour(t, d, thing)
			checkText(t, d, thing)
			checkCount(t, d, thing)
		}
	})
	for _, s := range []painters{town(), townHouses(), landmarks(), vehicles(), events()} {
		for _, kind := range append(slices.Collect(maps.Keys(s.kinds)), slices.Collect(maps.Keys(s.backdrops))...) {
			if !used[kind] {
				t.Errorf("no picture has a %q", kind)
			}
		}
	}
	for _, a := range []string{scene.Activity, scene.Weather, scene.Place, scene.Beside, scene.Which, scene.Colour, scene.Text, scene.Count} {
		if told[a] == 0 {
			t.Errorf("no picture tells a %s", a)
		}
	}
}

// TestTownValuesLookDifferent: each value that a pool has looks like no other and like
// something.
func TestTownValuesLookDifferent(t *testing.T) {
	pools := map[string][]string{}
	for _, s := range simulate.Scenarios() {
		if s.Name == "outdoor_navigation" {
			l, err := s.Simulate(rand.New(rand.NewPCG(1, 1)), simulate.Size{Sessions: 1, Rounds: 1, Pictures: 1})
			if err != nil {
				t.Fatal(err)
			}
			pools = l.Pools
		}
	}
	r := NewRenderer()
	var pixels strings.Builder
	for _, tc := range []struct{ kind, aspect, pool string }{
		{"shop-house", scene.Which, "which:shop"}, {"pillar", scene.Which, "which:statue"}, {"waymark", scene.Which, "which:waymark"}, {"bay", scene.Beside, scene.Beside},
		{"event", scene.Activity, scene.Activity}, {"weather", scene.Weather, scene.Weather},
	} {
		seen := map[string]string{}
		for _, v := range append([]string{"truck"}, pools[tc.pool]...) { // one that no pool has
			look := map[string]string{tc.aspect: v, "letter": "1"}
			picture := scene.Scene{Backdrop: "town", Width: 1024, Height: 768, Look: look, Things: []scene.Thing{{Kind: tc.kind, Box: [4]int{300, 300, 300, 340}, Look: look}}}
			p := pixelsOf(t, r, picture)
			fmt.Fprintf(&pixels, "%s %s: %.12s\n", tc.kind, v, pipeline.DigestOf([]byte(p)))
			if seen[p] != "" {
				t.Errorf("%s: %s looks as %s does", tc.kind, v, seen[p])
			}
			seen[p] = v
		}
		if len(pools[tc.pool]) < 8 {
			t.Errorf("%s has %d values", tc.kind, len(pools[tc.pool]))
		}
	}
	golden.Check(t, "town_values", pixels.String())
}
