package speech_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/speech"
)

// TestGoldenSessions shows what is said in the first sessions of a life, and pins what is
// said in worlds of each domain.
func TestGoldenSessions(t *testing.T) {
	w, err := speech.New()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, domain := range simulate.Domains() {
		for seed := range uint64(3) {
			world, err := simulate.Simulate(rand.New(rand.NewPCG(seed, 23)), domain, simulate.Size{Sessions: 24, Facts: 6, Pictures: 2, Interference: 2, Chatter: 4})
			if err != nil {
				t.Fatal(err)
			}
			said, err := w.Sessions(rand.New(rand.NewPCG(seed, 29)), world)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "# %s, seed %d: %s\n", domain, seed, golden.Digest(t, said))
			if seed == 0 && (domain == simulate.DomainLife || domain == "software") {
				write(&out, world, said[:3])
			}
		}
	}
	visits := []simulate.Visit{
		{Date: "2012-05-29", Place: "Park", Words: "So green."}, {Date: "2012-05-30", Place: "Bank", Words: "A queue"}, {Date: "2012-06-01", Place: "Hotel", Words: "Late!"}, {Date: "2012-06-07", Place: "Park", Words: "Again?"},
	}
	world, err := simulate.SimulateLife(rand.New(rand.NewPCG(2, 2)), simulate.Size{Sessions: 4, Facts: 3, Pictures: 1, Interference: 1},
		simulate.Seed{Person: "Ana Castell", Theme: "travel", About: []simulate.Known{{Aspect: simulate.Work, Value: "Retired"}}, Visits: visits})
	if err != nil {
		t.Fatal(err)
	}
	said, err := w.Sessions(rand.New(rand.NewPCG(1, 29)), world)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(&out, "# a seeded life")
	write(&out, world, said)
	golden.Check(t, "sessions", out.String())
}

func write(out *strings.Builder, w simulate.World, said [][]speech.Round) {
	heads := w.RoundHeads()
	for s, rounds := range said {
		for r, round := range rounds {
			e := heads[[2]int{s, r}]
			fmt.Fprintf(out, "%d.%d %s %s (picture %d)\n user: %s\n assistant: %s\n", s, r, e.Op, e.Guise, round.Picture, round.User, round.Assistant)
		}
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"": "[]", "No end": `["No end"]`, "One. Two! Three?": `["One." "Two!" "Three?"]`, "At 3.5 euros.  Then": `["At 3.5 euros." "Then"]`, "Wait... what? ": `["Wait..." "what?"]`,
	} {
		if got := fmt.Sprintf("%q", speech.Sentences(text)); got != want {
			t.Errorf("sentences of %q: %s, want %s", text, got, want)
		}
	}
}

func TestFirstPerson(t *testing.T) {
	for _, c := range []struct{ entity, fact, want string }{
		{"Ana Dorn", "The home city of Ana Dorn is Graz.", "My home city is Graz."},
		{"Ana Dorn", "From now on the home city of Ana Dorn is Graz.", "From now on my home city is Graz."},
		{"Ana Dorn", "The employer of Ana Dorn is Bluepeak.", "The employer of Ana Dorn is Bluepeak."},
		{"the Falcon fund", "The home city of Ana Dorn is Graz.", "The home city of Ana Dorn is Graz."},
	} {
		if got := speech.FirstPerson(c.fact, simulation.Key{Entity: c.entity, Aspect: "home city"}, "Ana Dorn"); got != c.want {
			t.Errorf("%q of %s is told as %q, want %q", c.fact, c.entity, got, c.want)
		}
	}
}
