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

func TestPortalShowsWhatItTells(t *testing.T) {
	used, told, digests := map[string]bool{}, map[string]int{}, map[string]bool{}
	drawLives(t, 4, []string{"health_dashboard"}, func(n int, d drawnRoom) {
		checkCovered(t, n, d)
		used[d.of.Backdrop] = true
		noteKinds(used, d.of.Things)
		p := string(d.canvas.PixelDigest())
		if digests[p] {
			t.Errorf("two scenes are the same picture")
		}
		digests[p] = true
		for _, m := range d.canvas.Marks() {
			if m.Cut {
				t.Errorf("%q is cut", m.Text)
			}
		}
		for _, thing := range d.of.NamedThings() {
			for _, a := range thing.Tells {
				told[a]++
			}
			checkColour(t, d, thing)
			checkText(t, d, thing)
			checkCount(t, d, thing)
		}
	})
	for _, s := range []painters{portal(), letters(), wrists(), clinic()} {
		for _, kind := range append(slices.Collect(maps.Keys(s.kinds)), slices.Collect(maps.Keys(s.backdrops))...) {
			if !used[kind] {
				t.Errorf("no picture has a %q", kind)
			}
		}
	}
	for _, a := range []string{scene.Activity, scene.Setting, scene.Weather, scene.Place, scene.Beside, scene.Which, scene.Colour, scene.Text, scene.Count} {
		if told[a] == 0 {
			t.Errorf("no picture tells a %s", a)
		}
	}
}

// TestPortalValuesLookDifferent: each pill, activity, kind of place and weather looks
// like no other, and like something.
func TestPortalValuesLookDifferent(t *testing.T) {
	l := simulated(t, "health_dashboard")
	r := NewRenderer()
	var pixels strings.Builder
	for _, tc := range []struct{ kind, backdrop, aspect, pool string }{
		{"slot", "table-top", scene.Which, "which:pill"}, {"week-bar", "portal", scene.Which, "which:symbol"}, {"map-pin", "portal", scene.Beside, "beside:pin"},
		{"exercise", "room", scene.Activity, scene.Activity}, {"weather-window", "room", scene.Weather, scene.Weather},
		{"monitor", "room", scene.Beside, "beside:device"}, {"", "surroundings", scene.Setting, scene.Setting},
	} {
		values := l.Pools[tc.pool]
		seen := map[string]string{pixelsOf(t, r, scene.Scene{Backdrop: tc.backdrop, Width: 1024, Height: 768}): "nothing"}
		for _, v := range values {
			s := scene.Scene{Backdrop: tc.backdrop, Width: 1024, Height: 768, Look: map[string]string{tc.aspect: v}}
			if tc.kind != "" {
				s.Things = []scene.Thing{{Kind: tc.kind, Box: [4]int{300, 300, 400, 300}, Look: map[string]string{tc.aspect: v, "title": "Mon"}}}
			}
			p := pixelsOf(t, r, s)
			fmt.Fprintf(&pixels, "%s %s: %.12s\n", tc.kind+tc.backdrop, v, pipeline.DigestOf([]byte(p)))
			if other, ok := seen[p]; ok {
				t.Errorf("%s: %q looks as %q does", tc.kind+tc.backdrop, v, other)
			}
			seen[p] = v
		}
		if len(values) < 7 {
			t.Errorf("%s of a %s has %d values", tc.aspect, tc.kind, len(values))
		}
	}
	golden.Check(t, "portal_values", pixels.String())
	for _, name := range l.Pools[scene.Beside] {
		if _, ok := r.kinds[toolKind(name)]; !ok {
			t.Errorf("%s cannot be drawn", name)
		}
	}
}

// simulated is the smallest life of a scenario.
func simulated(t *testing.T, name string) simulate.Simulation {
	t.Helper()
	for _, s := range simulate.Scenarios() {
		if s.Name == name {
			l, err := s.Simulate(rand.New(rand.NewPCG(1, 1)), simulate.Size{Sessions: 1, Rounds: 1, Pictures: 1})
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
	}
	t.Fatalf("there is no scenario %s", name)
	return simulate.Simulation{}
}
