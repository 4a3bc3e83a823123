package procedural

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// drawer is a Draw for tests: one seed, numbers by labels.
func drawer(seed uint64) RandFunc {
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
	for _, seconds := range []float64{10, 12, 16, 20, 30, 60} {
		for seed := range testsize.Choose[uint64](1, 3) {
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

// story is what is true of a film while its events are replayed.
type story struct {
	on     map[string]bool
	holds  map[string]string // prop by actor
	lies   map[string]string // slot by prop
	held   map[string]bool
	busy   map[string]float64
	pos    map[string]schemas.FilmPoint
	opened map[string]bool
	text   string
}

func (s *story) begin(f schemas.Film) {
	for _, a := range f.Actors {
		if a.At != nil {
			s.on[a.ID], s.pos[a.ID] = true, *a.At
		}
	}
	for _, p := range f.Props {
		if !p.Away {
			s.lies[p.ID] = fmt.Sprint(p.At)
		}
	}
	s.text = f.Fixtures[signAt(f.Fixtures)].Text
}

// play applies one event, or says why it cannot be.
func (s *story) play(e schemas.FilmEvent) string {
	if e.Actor != "" {
		switch p, known := s.pos[e.Actor]; {
		case (e.Kind == schemas.FilmEnters) == s.on[e.Actor]:
			return "it is off the stage, or enters twice"
		case e.Start < s.busy[e.Actor]-1e-9:
			return "the actor does two things at a time"
		case known && s.on[e.Actor] && p != *e.From:
			return fmt.Sprintf("the actor jumps from %v to %v", p, *e.From)
		}
		s.busy[e.Actor], s.pos[e.Actor] = e.End, *e.To
	}
	switch e.Kind {
	case schemas.FilmEnters:
		if e.Prop != "" && (s.held[e.Prop] || s.lies[e.Prop] != "") {
			return "what it brings is on the stage"
		}
		s.on[e.Actor], s.holds[e.Actor], s.held[e.Prop] = true, e.Prop, e.Prop != ""
	case schemas.FilmLeaves:
		if e.Prop != s.holds[e.Actor] {
			return "it leaves with something else than it holds"
		}
		s.on[e.Actor], s.holds[e.Actor], s.held[e.Prop] = false, "", false
	case schemas.FilmPicks:
		if s.lies[e.Prop] == "" || s.holds[e.Actor] != "" {
			return "the thing does not lie there, or hands are full"
		}
		delete(s.lies, e.Prop)
		s.holds[e.Actor], s.held[e.Prop] = e.Prop, true
	case schemas.FilmPuts:
		for _, at := range s.lies {
			if at == fmt.Sprint(*e.Place) {
				return "the place is taken"
			}
		}
		if s.holds[e.Actor] != e.Prop {
			return "the actor does not hold it"
		}
		s.holds[e.Actor], s.held[e.Prop], s.lies[e.Prop] = "", false, fmt.Sprint(*e.Place)
	case schemas.FilmOpens:
		if s.opened[e.Fixture] {
			return "it is open already"
		}
		s.opened[e.Fixture] = true
	case schemas.FilmChanges:
		if e.Text == s.text {
			return "the sign does not change"
		}
		s.text = e.Text
	}
	return ""
}

// consistent replays a script and reports the first thing that cannot be.
func consistent(f schemas.Film) error {
	s := story{
		on: map[string]bool{}, holds: map[string]string{}, lies: map[string]string{}, held: map[string]bool{},
		busy: map[string]float64{}, pos: map[string]schemas.FilmPoint{}, opened: map[string]bool{},
	}
	s.begin(f)
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
			if e.End-e.Start < 1.4-1e-6 {
				return fmt.Errorf("event %d %s: it lasts %.2f s", n, e.Kind, e.End-e.Start)
			}
		}
		if why := s.play(e); why != "" {
			return fmt.Errorf("event %d: %s %s %s%s%s: %s", n, e.Actor, e.Kind, e.Prop, e.Fixture, e.Text, why)
		}
		if !slices.Contains(slices.Collect(maps.Values(s.on)), true) {
			return fmt.Errorf("event %d: nobody is on the stage after it", n)
		}
	}
	slices.Sort(starts)
	for n := 1; n < len(starts); n++ {
		if starts[n]-starts[n-1] < minGap-0.01 {
			return fmt.Errorf("two events start within %g s", starts[n]-starts[n-1])
		}
	}
	if count[schemas.FilmPicks] < 2 || count[schemas.FilmOpens] < 1 || count[schemas.FilmChanges] < 3 || count[schemas.FilmEnters] < 1 {
		return fmt.Errorf("too little happens: %v", count)
	}
	return nil
}

func TestPropsOfOnePlaceDoNotComeBackSoon(t *testing.T) {
	seen := map[string]map[string]string{}
	for i, f := range generate(t, 5, config(schemas.FilmFull, 48)) {
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
		name := filmTitle(drawer(9), c, i)
		if seen[name] {
			t.Fatalf("film %d: second %q", i, name)
		}
		seen[name] = true
	}
}

// TestTitlesSayNothingOfTheFilm holds the words of titles against all that films
// can show; the first five letters are enough to be reminded.
func TestTitlesSayNothingOfTheFilm(t *testing.T) {
	shown := slices.Concat(nouns, actions)
	for _, p := range places {
		shown = slices.Concat(shown, signs[p.name], p.roles, p.openings, p.surfaces, []string{p.name})
	}
	for _, g := range garments {
		shown = append(shown, g.garment)
	}
	for _, c := range paints {
		shown = append(shown, c.name)
	}
	stem := func(w string) string { return w[:min(len(w), 5)] }
	stems := map[string]string{}
	for _, text := range shown {
		for _, w := range strings.Fields(strings.ToLower(text)) {
			stems[stem(w)] = text
		}
	}
	if len(stems) < 300 {
		t.Fatalf("%d stems are shown; the vocabulary has more", len(stems))
	}
	for _, w := range slices.Concat(adjectives, subjects) {
		if text, known := stems[stem(strings.ToLower(w))]; known {
			t.Errorf("a title can say %q, and a film show %q", w, text)
		}
	}
}

func TestAScriptDoesNotDependOnTheCount(t *testing.T) {
	for _, kind := range []string{schemas.FilmFull, schemas.FilmClip} {
		few, many := generate(t, 1, config(kind, 5)), generate(t, 1, config(kind, 40))
		for i := range few {
			a, _ := scriptRecord(few[i])
			b, _ := scriptRecord(many[i])
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
			r, err := scriptRecord(f)
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
		if f.Title != "" || signAt(f.Fixtures) >= 0 || f.Card != 0 {
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
		"too long": func(c *Config) { c.Seconds = 601 }, "no level": func(c *Config) { c.Likeness = nil }, "level": func(c *Config) { c.Likeness = []float64{0, 1.5} },
		"no number": func(c *Config) { c.Likeness = []float64{math.NaN()} }, "width": func(c *Config) { c.Width = 641 }, "fps": func(c *Config) { c.FPS = 1000 }, "uneven fps": func(c *Config) { c.FPS = 29 },
		"first": func(c *Config) { c.First = 3 }, "shared": func(c *Config) { c.Shared = 6 }, "changes": func(c *Config) { c.Changes = 21 },
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
