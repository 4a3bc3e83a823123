package agent_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/agent"
	"github.com/memforge/memforge/stages/lifelong/simulate/speech"
)

// TestGoldenRuns shows a session of an agent in each application and place, and pins longer
// runs by their digests.
func TestGoldenRuns(t *testing.T) {
	a, err := agent.New()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, domain := range simulate.Agentic() {
		act := func(seed uint64, size simulate.Size) (simulate.World, [][]speech.Round) {
			w, err := simulate.Simulate(rand.New(rand.NewPCG(seed, 31)), domain, size)
			if err != nil {
				t.Fatal(err)
			}
			w, said, err := a.Act(rand.New(rand.NewPCG(seed, 37)), w, size.Screens)
			if err != nil {
				t.Fatal(err)
			}
			return w, said
		}
		fmt.Fprintf(&out, "# %s\n", domain)
		if domain == "shop" || domain == "styles" || domain == "household" || domain == "crafting" {
			w, said := act(1, simulate.Size{Sessions: 4, Facts: 2, Pictures: 1, Interference: 1, Chatter: 1, Screens: 100})
			writeSession(&out, w, said, 2)
		}
		for seed := range uint64(4) {
			w, said := act(seed, simulate.Size{Sessions: 16, Facts: 3, Pictures: 1, Interference: 2, Chatter: 1, Screens: 81})
			fmt.Fprintf(&out, "seed %d: %s\n", seed, golden.Digest(t, []any{w, said}))
		}
	}
	for _, w := range []simulate.World{{Domain: "life", Things: []string{"a", "b"}}, {Domain: "shop", Things: []string{"a"}}} {
		_, _, err := a.Act(rand.New(rand.NewPCG(1, 1)), w, 0)
		fmt.Fprintln(&out, err)
	}
	golden.Check(t, "runs", out.String())
}

func writeSession(out *strings.Builder, w simulate.World, said [][]speech.Round, n int) {
	for i, r := range said[n] {
		fmt.Fprintf(out, "%d (picture %d) %s\n", i, r.Picture, r.User)
		if r.Step != nil {
			fmt.Fprintf(out, " saw: %s\n thought: %s\n did: %s\n then: %s\n", r.Step.Observation, r.Step.Reasoning, r.Step.Action, r.Step.Feedback)
		}
	}
	for _, e := range w.Events {
		if e.Session == n {
			fmt.Fprintf(out, "%d %s %s = %q %q (%q), step %t\n", e.Round, e.Op, e.Key, e.Value, e.Also, e.Old, e.Step)
		}
	}
	for _, p := range w.Pictures[:min(1, len(w.Pictures))] {
		fmt.Fprintf(out, "%s of %s: %q around %q, hidden %t\n", p.Kind, p.Title, p.Rows, p.Around, p.Hidden)
	}
}
