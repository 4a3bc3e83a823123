package procedural

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// drawer is a Draw for tests: one seed, numbers by labels.
func drawer(seed uint64) Draw {
	return func(labels ...string) *rand.Rand {
		h := fnv.New64a()
		fmt.Fprintf(h, "%q", labels)
		return rand.New(rand.NewPCG(seed, h.Sum64()))
	}
}

func config(kind string, count int) Config {
	var c Config
	c.SetDefaults()
	c.Kind, c.Count = kind, count
	return c
}

func generate(t *testing.T, seed uint64, c Config) []schemas.Film {
	t.Helper()
	out := make([]schemas.Film, c.Count)
	for i := range out {
		f, err := Generate(drawer(seed), c, i)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		out[i] = f
	}
	return out
}

func TestFilmsFitWhateverTheSeed(t *testing.T) {
	for _, seconds := range []float64{10, 12, 14, 20} {
		for seed := range uint64(12) {
			c := config(schemas.FilmFull, 16)
			c.Seconds = seconds
			for i, f := range generate(t, seed, c) {
				if err := consistent(f); err != nil {
					t.Errorf("seed %d film %d of %g s: %v", seed, i, seconds, err)
				}
			}
		}
	}
}

// consistent replays a script and reports the first thing that cannot be.
func consistent(f schemas.Film) error {
	on, holds, holder, put := map[string]bool{}, map[string]string{}, map[string]string{}, map[string]bool{}
	busy, pos, opened := map[string]float64{}, map[string]schemas.FilmPoint{}, map[string]bool{}
	text := ""
	count, last := map[string]int{}, 0.0
	var starts []float64
	for n, e := range f.Events {
		if e.Start < last || e.End <= e.Start || e.End > f.Duration() || e.Start < f.Card {
			return fmt.Errorf("event %d %s: bad times %g to %g", n, e.Kind, e.Start, e.End)
		}
		last = e.Start
		count[e.Kind]++
		if e.Kind != schemas.FilmWalks {
			starts = append(starts, e.Start)
		}
		if e.Actor != "" {
			if e.Kind != schemas.FilmEnters && !on[e.Actor] {
				return fmt.Errorf("event %d: %s %s while off stage", n, e.Actor, e.Kind)
			}
			if e.Start < busy[e.Actor]-1e-9 {
				return fmt.Errorf("event %d: %s does two things at %g", n, e.Actor, e.Start)
			}
			if p, ok := pos[e.Actor]; ok && p != *e.From {
				return fmt.Errorf("event %d: %s jumps from %v to %v", n, e.Actor, p, *e.From)
			}
			busy[e.Actor], pos[e.Actor] = e.End, *e.To
		}
		switch e.Kind {
		case schemas.FilmEnters:
			on[e.Actor] = true
		case schemas.FilmLeaves:
			on[e.Actor] = false
		case schemas.FilmPicks:
			if holder[e.Prop] != "" || holds[e.Actor] != "" {
				return fmt.Errorf("event %d: %s is held, or hands are full", n, e.Prop)
			}
			holder[e.Prop], holds[e.Actor] = e.Actor, e.Prop
		case schemas.FilmPuts:
			if holds[e.Actor] != e.Prop {
				return fmt.Errorf("event %d: %s puts down %s without holding it", n, e.Actor, e.Prop)
			}
			key := fmt.Sprint(*e.Place)
			if put[key] {
				return fmt.Errorf("event %d: two props put at %v", n, *e.Place)
			}
			holder[e.Prop], holds[e.Actor], put[key] = "", "", true
		case schemas.FilmOpens:
			if opened[e.Fixture] {
				return fmt.Errorf("event %d: %s is open already", n, e.Fixture)
			}
			opened[e.Fixture] = true
		case schemas.FilmChanges:
			if e.Text == text {
				return fmt.Errorf("event %d: the sign does not change", n)
			}
			text = e.Text
		}
	}
	slices.Sort(starts)
	for n := 1; n < len(starts); n++ {
		if starts[n]-starts[n-1] < minGap-0.01 {
			return fmt.Errorf("two events start within %g s", starts[n]-starts[n-1])
		}
	}
	picks := 4
	if f.Duration() < briefBelow {
		picks = 3
	}
	if count[schemas.FilmPicks] < picks || count[schemas.FilmOpens] < 2 || count[schemas.FilmChanges] < 3 || count[schemas.FilmEnters] < 2 {
		return fmt.Errorf("too little happens: %v", count)
	}
	return nil
}

func TestPropsOfOnePlaceDoNotComeBackSoon(t *testing.T) {
	seen := map[string]map[string]string{}
	for i, f := range generate(t, 5, config(schemas.FilmFull, 64)) {
		if seen[f.Place] == nil {
			seen[f.Place] = map[string]string{}
		}
		for _, p := range f.Props {
			if twins, known := seen[f.Place][p.Kind]; known && twins != f.Twins {
				t.Errorf("film %d: %s again in the %s", i, p.Kind, f.Place)
			}
			seen[f.Place][p.Kind] = f.Twins
		}
	}
}

func TestTitlesAreUnique(t *testing.T) {
	c := config(schemas.FilmFull, 1)
	seen := map[string]bool{}
	for i := range maxTitles {
		name := title(drawer(9), c, i)
		if seen[name] {
			t.Fatalf("film %d: second %q", i, name)
		}
		seen[name] = true
	}
}

func TestAScriptDoesNotDependOnTheCount(t *testing.T) {
	for _, kind := range []string{schemas.FilmFull, schemas.FilmClip} {
		few, many := generate(t, 1, config(kind, 5)), generate(t, 1, config(kind, 40))
		for i := range few {
			a, _ := record(few[i])
			b, _ := record(many[i])
			if a.ID != b.ID || string(a.Data) != string(b.Data) {
				t.Errorf("%s %d changed with the count", kind, i)
			}
			if !strings.HasPrefix(a.ID, "film-") || len(a.ID) != len("film-")+16 {
				t.Errorf("id %q", a.ID)
			}
		}
	}
}

func TestIdsAreUnique(t *testing.T) {
	seen := map[string]int{}
	for _, kind := range []string{schemas.FilmFull, schemas.FilmClip} {
		for i, f := range generate(t, 2, config(kind, 100)) {
			r, err := record(f)
			if err != nil {
				t.Fatal(err)
			}
			if j, ok := seen[r.ID]; ok {
				t.Errorf("%s %d has the id of %d", kind, i, j)
			}
			seen[r.ID] = i
		}
	}
}

func TestClipsCoverEveryCombination(t *testing.T) {
	c := config(schemas.FilmClip, 96)
	c.Actions, c.Scenes = 8, 6
	seen := map[string]int{}
	for _, f := range generate(t, 4, c) {
		seen[f.Labels["action"]+"/"+f.Labels["scene"]]++
		if f.Title != "" || f.Clock != nil || signAt(f.Fixtures) >= 0 || f.Card != 0 {
			t.Fatalf("a clip shows text: %+v", f)
		}
		if math.Abs(f.Duration()-2.4) > 0.02 {
			t.Fatalf("clip lasts %g s", f.Duration())
		}
	}
	if len(seen) != 48 {
		t.Fatalf("%d combinations, want 48", len(seen))
	}
	for k, n := range seen {
		if n != 2 {
			t.Errorf("%s: %d variants, want 2", k, n)
		}
	}
}

func TestBadConfigurationsAreRefused(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"kind": func(c *Config) { c.Kind = "opera" }, "count": func(c *Config) { c.Count = 0 },
		"seconds": func(c *Config) { c.Seconds = 4 }, "nan": func(c *Config) { c.Seconds = math.NaN() },
		"width": func(c *Config) { c.Width = 641 }, "fps": func(c *Config) { c.FPS = 1000 }, "uneven fps": func(c *Config) { c.FPS = 29 },
		"scenes": func(c *Config) { c.Scenes = 99 }, "actions": func(c *Config) { c.Actions = 1 },
	} {
		c := config(schemas.FilmFull, 3)
		change(&c)
		if _, err := New(c); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := New(config(schemas.FilmClip, 3)); err != nil {
		t.Error(err)
	}
}

func TestScriptsSurviveJSON(t *testing.T) {
	f := generate(t, 8, config(schemas.FilmFull, 1))[0]
	b, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	var g schemas.Film
	if err := json.Unmarshal(b, &g); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(g)
	if string(again) != string(b) {
		t.Error("a script changes in a JSON round trip")
	}
}
