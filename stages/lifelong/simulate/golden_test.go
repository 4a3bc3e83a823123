package simulate_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// TestGoldenWorlds shows the first sessions of a world of each domain, and pins longer
// worlds by their digests.
func TestGoldenWorlds(t *testing.T) {
	var out strings.Builder
	for _, domain := range append(simulate.Domains(), simulate.Agentic()...) {
		simulated := func(seed uint64, size simulate.Size) simulate.World {
			w, err := simulate.Simulate(rand.New(rand.NewPCG(seed, 19)), domain, size)
			if err != nil {
				t.Fatal(err)
			}
			return w
		}
		w := simulated(1, simulate.Size{Sessions: 4, Facts: 4, Pictures: 1, Interference: 2, Chatter: 1})
		fmt.Fprintf(&out, "# %s, %q, %q: %s, %q\n", domain, simulate.Regime(domain), simulate.Scenario(domain), w.Person, w.Things)
		writeWorld(&out, w, 1)
		for seed := range uint64(3) {
			fmt.Fprintf(&out, "seed %d: %s\n", seed, golden.Digest(t, simulated(seed, simulate.Size{Sessions: 29, Facts: 6, Pictures: 3, Interference: 1, Chatter: 3, Screens: 81})))
		}
	}
	golden.Check(t, "worlds", out.String())
}

// writeWorld writes the sessions of a world up to one.
func writeWorld(out *strings.Builder, w simulate.World, upto int) {
	for n, s := range w.Sessions[:upto+1] {
		fmt.Fprintf(out, "%s %s, main %t %t, %s, %d rounds\n", s.Date, s.Arc, s.Main, s.OnMainLine, s.EventType, s.Rounds)
		for _, e := range w.Events {
			if e.Session == n && (n > 0 || e.Round < 2) {
				fmt.Fprintf(out, " %d %s %s = %q %q (%q, %q, as %q, picture %d) %s\n", e.Round, e.Op, e.Key, e.Value, e.Also, e.Old, e.Who, e.Guise, e.Picture, e.Words)
			}
		}
	}
	for _, p := range w.Pictures[:min(2, len(w.Pictures))] {
		fmt.Fprintf(out, "%s of %s: %q, hidden %t\n", p.Kind, p.Title, p.Rows, p.Hidden)
	}
	fmt.Fprintf(out, "unsaid %v\n", w.Unsaid)
}

// TestGoldenLives shows life courses around a person who is known.
func TestGoldenLives(t *testing.T) {
	var out strings.Builder
	for _, theme := range []string{"", "childcare", "dining", "education", "elderlycare", "entertainment", "mental health", "sport health", "travel", "chess"} {
		of := simulate.Seed{Person: "Ana Castell", Theme: theme, About: []simulate.Known{{Aspect: simulate.Work, Value: "Retired"}, {Aspect: simulate.LevelAspect("order"), Value: "high"}}}
		if theme != "" {
			of.Visits = []simulate.Visit{
				{Date: "2012-05-29", Place: "Park", Words: "So green."}, {Date: "2012-05-29", Place: "Bank", Words: "A queue"}, {Date: "2012-06-01", Place: "Hotel"},
				{Date: "2012-06-07", Place: "Park", Words: "Again!"}, {Date: "2012-07-01", Place: "Bridge", Words: "Windy."},
			}
		}
		w, err := simulate.SimulateLife(rand.New(rand.NewPCG(2, 2)), simulate.Size{Sessions: 5, Facts: 3, Pictures: 1, Interference: 1}, of)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "# %q: %q, %d sessions, %s\n", theme, w.Things, len(w.Sessions), golden.Digest(t, w))
		if theme == "" || theme == "travel" {
			writeWorld(&out, w, 4)
		}
	}
	for _, bad := range []simulate.Seed{
		{Visits: []simulate.Visit{{Date: "2012-05-29"}, {Date: "2012-05-30"}, {Date: "2012-06-29"}, {Date: "2012-05-28"}}},
		{Visits: []simulate.Visit{{Date: "2012-05-29"}, {Date: "2012-05-30"}, {Date: "2012-06-29"}}},
		{Visits: []simulate.Visit{{Date: "2012-05-29"}, {Date: "2012-05-30"}, {Date: "2012-06-29"}, {Date: "soon"}}},
	} {
		_, err := simulate.SimulateLife(rand.New(rand.NewPCG(2, 2)), simulate.Size{Sessions: 5, Facts: 3, Pictures: 1}, bad)
		fmt.Fprintln(&out, err)
	}
	golden.Check(t, "lives", out.String())
}

// TestGoldenDomains shows what is known of the aspects of each domain, and values of them.
func TestGoldenDomains(t *testing.T) {
	var out strings.Builder
	for _, d := range append(simulate.Domains(), simulate.Agentic()...) {
		w, err := simulate.Simulate(rand.New(rand.NewPCG(1, 1)), d, simulate.Size{Sessions: 20, Facts: 6, Pictures: 3})
		if err != nil {
			t.Fatal(err)
		}
		aspects := append(simulate.ToldAspects(d), "hours of work in May", simulate.Age, simulate.LevelAspect("order"), "no aspect")
		for _, e := range w.Events {
			known := false
			for _, a := range aspects {
				known = known || a == e.Key.Aspect
			}
			if !known && e.Key.Entity != w.Person {
				aspects = append(aspects, e.Key.Aspect)
			}
		}
		fmt.Fprintf(&out, "# %s\n", d)
		same := simulate.SameKind(d)
		for _, a := range aspects {
			flags := ""
			for _, f := range []struct {
				name string
				set  bool
			}{{"city", simulate.IsCity(d, a)}, {"person", simulate.IsPerson(d, a)}, {"carried", simulate.IsCarried(d, a)}, {"seen", simulate.AlwaysSeen(d, a)}} {
				if f.set {
					flags += " " + f.name
				}
			}
			var alike []string
			for _, b := range aspects {
				if a != b && same(a, b) {
					alike = append(alike, b)
				}
			}
			fmt.Fprintf(&out, "%s%s like %q: %q\n", simulate.Inquiry(d, a, "it"), flags, alike, similar(d, a))
		}
	}
	golden.Check(t, "domains", out.String())
}

// similar draws values of an aspect that has a pool.
func similar(domain, aspect string) []string {
	if aspect == "no aspect" {
		return nil
	}
	return simulate.PickSimilar(rand.New(rand.NewPCG(1, 4)), domain, aspect, 2)
}

// TestGoldenTags shows rules for tags: what teaches them and what they make.
func TestGoldenTags(t *testing.T) {
	var out strings.Builder
	base := simulate.TagFormat{Prefix: "KX", Order: "pln", Letters: "first three", Joiner: "-", Number: "the number"}
	for feature, ways := range [][]string{
		{"KX", "BW"}, {"pln", "pnl", "lpn", "lnp", "npl", "nlp"}, {"first three", "last three", "first two", "last two"}, {"-", "/", ":", "_"},
		{"the number", "twice the number", "the number plus 3", "the number plus 8"},
	} {
		for _, way := range ways {
			g := base.With(feature, way)
			fmt.Fprintf(&out, "%s: %s %s %s; else %s\n", g, g.Apply("Falcon", 21), g.Apply("Io", 4), g.Apply("X", 0), g.PickAlternative(rand.New(rand.NewPCG(1, 2)), feature))
		}
	}
	fmt.Fprintln(&out, simulate.TagFeatures())
	golden.Check(t, "tags", out.String())
}

// TestSizes holds that the bounds of sizes are those that Check states.
func TestSizes(t *testing.T) {
	least := simulate.Size{Sessions: 4, Facts: 2, Pictures: 1}
	most := simulate.Size{Sessions: 99, Facts: 20, Pictures: 5, Interference: 5, Chatter: 20, Screens: 1000}
	for _, good := range []simulate.Size{least, most} {
		if err := good.Check(); err != nil {
			t.Error(err)
		}
	}
	for i, field := range []func(*simulate.Size) *int{
		func(s *simulate.Size) *int { return &s.Sessions }, func(s *simulate.Size) *int { return &s.Facts }, func(s *simulate.Size) *int { return &s.Pictures },
		func(s *simulate.Size) *int { return &s.Interference }, func(s *simulate.Size) *int { return &s.Chatter }, func(s *simulate.Size) *int { return &s.Screens },
	} {
		low, high := least, most
		*field(&low)--
		*field(&high)++
		if low.Check() == nil || high.Check() == nil {
			t.Errorf("field %d of %+v or %+v is accepted", i, low, high)
		}
		if _, err := simulate.Simulate(rand.New(rand.NewPCG(1, 1)), "life", low); err == nil {
			t.Errorf("%+v is simulated", low)
		}
	}
	if _, err := simulate.Simulate(rand.New(rand.NewPCG(1, 1)), "alchemy", least); err == nil {
		t.Error("an unknown domain is simulated")
	}
}

// TestRoundHeads: the first event of a round is what it is about.
func TestRoundHeads(t *testing.T) {
	w := simulate.World{Events: []simulate.Event{{Session: 1, Round: 2, Value: "a"}, {Session: 1, Round: 2, Value: "b"}, {Session: 2, Round: 2, Value: "c"}}}
	if h := w.RoundHeads(); len(h) != 2 || h[[2]int{1, 2}].Value != "a" || h[[2]int{2, 2}].Value != "c" {
		t.Errorf("heads %v", h)
	}
	for op, want := range map[string][2]bool{
		simulate.OpAppend: {}, simulate.OpRevise: {}, simulate.OpSplit: {}, simulate.OpMerge: {}, simulate.OpDelete: {}, simulate.OpTagRule: {}, simulate.OpHourRule: {},
		simulate.OpJoke: {true, false}, simulate.OpHearsay: {true, false}, simulate.OpAffair: {true, false}, simulate.OpPlan: {true, false}, simulate.OpSlip: {true, false}, simulate.OpPast: {true, false},
		simulate.OpShow: {false, true}, simulate.OpRetract: {false, true}, simulate.OpConfirm: {false, true},
	} {
		if got := [2]bool{simulate.Interferes(op), simulate.Silent(op)}; got != want {
			t.Errorf("%s interferes and is silent: %v, want %v", op, got, want)
		}
	}
	if k := (simulation.Key{Entity: "the fund", Aspect: "lead"}); k.String() != "the fund/lead" {
		t.Errorf("a key is written %q", k)
	}
	for city, want := range map[string]string{"Graz": "Austria", "Cebu": "the Philippines", "Atlantis": "", "": ""} {
		if got := simulate.Country(city); got != want {
			t.Errorf("%q lies in %q, want %q", city, got, want)
		}
	}
	for _, city := range simulate.Cities() {
		if simulate.Country(city) == "" {
			t.Errorf("%s lies nowhere", city)
		}
	}
}
