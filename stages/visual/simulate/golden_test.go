package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/stages/visual/scene"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// TestGoldenSimulations shows a small simulation of each scenario, and pins larger ones by
// their digests.
func TestGoldenSimulations(t *testing.T) {
	var out strings.Builder
	for _, s := range simulate.Scenarios() {
		fmt.Fprintf(&out, "# %s\n", golden.JSON(t, []any{s.Name, s.Title, s.Domain, s.Size}))
		simulated := func(seed uint64, size simulate.Size) simulate.Simulation {
			l, err := s.Simulate(rand.New(rand.NewPCG(seed, 11)), size)
			if err != nil {
				t.Fatalf("%s, seed %d: %v", s.Name, seed, err)
			}
			return l
		}
		l := simulated(1, simulate.Size{Sessions: 2, Rounds: 4, Pictures: 2})
		fmt.Fprintln(&out, golden.JSON(t, l.Profile))
		for _, d := range l.Sessions {
			for _, r := range d.Rounds {
				fmt.Fprintf(&out, "%s %d user: %s assistant: %s\n", d.Date, r.Scene, r.User, r.Assistant)
			}
		}
		for i, x := range l.Scenes {
			fmt.Fprintf(&out, "picture %d: %s %v %dx%d %s (%s) photo %t\n", i, x.Backdrop, x.Look, x.Width, x.Height, x.Minimal, x.Noun, x.Photo)
			writeThings(&out, " ", x.Things)
		}
		for _, e := range l.Events[:min(4, len(l.Events))] {
			fmt.Fprintln(&out, golden.JSON(t, e))
		}
		for seed := range uint64(6) {
			fmt.Fprintf(&out, "seed %d: %s\n", seed, golden.Digest(t, simulated(seed, simulate.Size{Sessions: 6, Rounds: 40, Pictures: 28})))
		}
	}
	golden.Check(t, "simulations", out.String())
}

func writeThings(out *strings.Builder, indent string, things []scene.Thing) {
	for _, t := range things {
		if t.Name != "" || len(t.Parts) > 0 {
			fmt.Fprintf(out, "%s%s %v %s: %s\n", indent, t.Kind, t.Box, t.Name, t.AspectText())
			writeThings(out, indent+" ", t.Parts)
		}
	}
}
