package procedural

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// happenings are the things, by kind of event, that something happens to.
func happenings(f schemas.Film) map[string]bool {
	out := map[string]bool{}
	for _, e := range f.Events {
		for _, p := range f.Props {
			if e.Prop == p.ID {
				out[e.Kind+": "+p.Description] = true
			}
		}
		for _, x := range f.Fixtures {
			if e.Fixture == x.ID && e.Kind == schemas.FilmOpens {
				out[e.Kind+": "+x.Description] = true
			}
		}
		if e.Text != "" {
			out[e.Kind+": "+e.Text] = true
		}
	}
	return out
}

// TestTwinsShareSomeThingsAndTexts checks that just what is dealt to both is
// picked up in both and comes up in both, that twins have one role in common and
// no colour of a garment, and that neither shows what is said to be in neither.
func TestTwinsShareSomeThingsAndTexts(t *testing.T) {
	usual := config(schemas.FilmFull, 32)
	apart, alike := config(schemas.FilmFull, 16), config(schemas.FilmFull, 16)
	apart.Shared, apart.Changes, apart.Parts, apart.Seconds, apart.FPS = 0, 8, 0, 26, 10
	alike.Shared, alike.Changes, alike.Seconds = 4, 9, 32
	for seed := range uint64(4) {
		for _, c := range []Config{usual, apart, alike} {
			checkTwins(t, c, generate(t, seed, c))
		}
	}
}

func checkTwins(t *testing.T, c Config, films []schemas.Film) {
	t.Helper()
	for i := 0; i < len(films); i += 2 {
		a, b := films[i], films[i+1]
		if a.Place != b.Place || a.Twins != b.Twins || len(a.Actors) != len(b.Actors) {
			t.Fatalf("films %d and %d are no twins: %s, %s", i, i+1, a.Place, b.Place)
		}
		shared := map[string]int{}
		for h := range happenings(a) {
			if happenings(b)[h] {
				kind, _, _ := strings.Cut(h, ":")
				shared[kind]++
			}
		}
		c, _ := c.resolve()
		want := c.amount()
		if shared[schemas.FilmPicks] != want.sharedProps || shared[schemas.FilmChanges] != want.sharedTexts || shared[schemas.FilmOpens] != 0 {
			t.Errorf("films %d and %d share %v, want %+v", i, i+1, shared, want)
		}
		changes := 0
		for _, e := range a.Events {
			if e.Kind == schemas.FilmChanges {
				changes++
			}
		}
		if changes != want.changes || c.Changes > 0 && changes != c.Changes {
			t.Errorf("the sign of film %d changes %d times, want %d", i, changes, want.changes)
		}
		checkCasts(t, i, a, b)
		if want.sharedTexts > 0 {
			checkLures(t, a, b)
		}
	}
}

// checkCasts wants people who cannot be taken for one another.
func checkCasts(t *testing.T, i int, a, b schemas.Film) {
	t.Helper()
	roles, early := 0, 0
	for _, x := range a.Actors {
		for _, y := range b.Actors {
			if x.Role == y.Role {
				roles++
			}
			if x.Look.Colour == y.Look.Colour {
				t.Errorf("films %d and %d: %q and %q wear one colour", i, i+1, x.Description, y.Description)
			}
		}
	}
	for _, x := range slices.Concat(a.Actors, b.Actors) {
		if x.At != nil {
			early++
		}
	}
	if roles != 1 || early != 2 {
		t.Errorf("films %d and %d have %d roles in common, and %d people who are there when the title fades", i, i+1, roles, early)
	}
}

// TestLikenessSaysWhatTwinsHaveInCommon holds the table of docs/sources.md.
func TestLikenessSaysWhatTwinsHaveInCommon(t *testing.T) {
	for _, tc := range []struct {
		level                      float64
		palette, light, decoration bool
		openings, nouns            int // kinds in common
	}{
		{0, false, false, false, 0, 3}, {0.5, false, true, false, 1, 6}, {0.75, false, true, true, 2, 7}, {1, true, true, true, 2, 8},
	} {
		c := config(schemas.FilmFull, 16)
		c.Likeness = []float64{tc.level}
		films := generate(t, 7, c)
		for i := 0; i < len(films); i += 2 {
			a, b := films[i], films[i+1]
			if (a.Palette == b.Palette) != tc.palette || (a.Light == b.Light) != tc.light || (a.Seed == b.Seed && a.Camera == b.Camera) != tc.decoration {
				t.Errorf("likeness %g, films %d and %d: palettes %v %v, lights %s %s", tc.level, i, i+1, a.Palette, b.Palette, a.Light, b.Light)
			}
			nouns, openings := 0, 0
			for _, p := range a.Props {
				for _, q := range b.Props {
					nouns += map[bool]int{true: 1}[p.Kind == q.Kind]
				}
			}
			for _, x := range a.Fixtures {
				for _, y := range b.Fixtures {
					if x.Group != schemas.FilmOpening || x.Kind != y.Kind {
						continue
					}
					openings++
					if x.Colour == y.Colour {
						t.Errorf("films %d and %d have a %s", i, i+1, x.Description)
					}
				}
			}
			if nouns != tc.nouns || openings != tc.openings {
				t.Errorf("likeness %g, films %d and %d: %d nouns and %d openings in common, want %d and %d", tc.level, i, i+1, nouns, openings, tc.nouns, tc.openings)
			}
			for n, x := range a.Fixtures {
				if y := b.Fixtures[n]; x.At.X == y.At.X {
					t.Errorf("films %d and %d: %s and %s stand in one place", i, i+1, x.ID, y.ID)
				}
			}
			if a.Labels[schemas.LabelLikeness] != b.Labels[schemas.LabelLikeness] || a.Labels[schemas.LabelLikeness] == "" {
				t.Errorf("labels %v and %v", a.Labels, b.Labels)
			}
		}
	}
}

func TestPairsTakeTheLevelsInTurn(t *testing.T) {
	c := config(schemas.FilmFull, 8)
	c.Likeness = []float64{0, 0.25, 1}
	var got []string
	for _, f := range generate(t, 1, c) {
		got = append(got, f.Labels[schemas.LabelLikeness])
	}
	if want := []string{"0", "0", "0.25", "0.25", "1", "1", "0", "0"}; !slices.Equal(got, want) {
		t.Errorf("levels %q, want %q", got, want)
	}
}

// TestThingsHappenAgainInLongFilms wants people to come back, things to be taken
// up again and signs to change over the whole length, and a good part of it to
// happen just once, so that it can be asked about.
func TestThingsHappenAgainInLongFilms(t *testing.T) {
	c := config(schemas.FilmFull, 4)
	c.Seconds = 150
	for i, f := range generate(t, 2, c) {
		times, quarter := map[string]int{}, map[string][4]int{}
		for _, e := range f.Events {
			times[e.Kind+" "+e.Actor+e.Text]++
			if e.Kind == schemas.FilmPicks {
				times["taken "+e.Prop]++
			}
			q := quarter[e.Kind]
			q[int(4*e.Start/f.Duration())]++
			quarter[e.Kind] = q
		}
		again := map[string]int{}
		for what, n := range times {
			kind, _, _ := strings.Cut(what, " ")
			again[kind] += map[bool]int{true: 1}[n > 1]
			again["once "+kind] += map[bool]int{true: 1}[n == 1]
		}
		if again["enters"] == 0 || again["sign"] == 0 || again["once taken"] < 6 || again["once sign"] < 5 {
			t.Errorf("film %d: %v", i, again)
		}
		for _, kind := range []string{schemas.FilmPicks, schemas.FilmPuts, schemas.FilmChanges} {
			if q := quarter[kind]; slices.Min(q[:]) == 0 {
				t.Errorf("film %d: %s %v times by quarter", i, kind, q)
			}
		}
	}
}

func checkLures(t *testing.T, films ...schemas.Film) {
	t.Helper()
	for _, f := range films {
		lures := f.Lures[schemas.FilmChanges]
		if len(lures) == 0 || !slices.Equal(lures, films[0].Lures[schemas.FilmChanges]) {
			t.Errorf("lures %v", lures)
		}
		for _, l := range lures {
			if !slices.Contains(signs[f.Place], l) || happenings(f)[schemas.FilmChanges+": "+l] || f.Fixtures[signAt(f.Fixtures)].Text == l {
				t.Errorf("%q is shown in %q, or does not suit it", l, f.Title)
			}
		}
	}
}

func TestVocabularyIsLargeAndWellFormed(t *testing.T) {
	if len(nouns) < 30 || len(actions) < 8 || len(places) < 6 {
		t.Fatalf("%d nouns, %d actions, %d places", len(nouns), len(actions), len(places))
	}
	for _, p := range places {
		for _, n := range p.suited {
			if !slices.Contains(nouns, n) {
				t.Errorf("%s: unknown prop %q", p.name, n)
			}
		}
		for _, o := range p.openings {
			if _, ok := handles[o]; !ok {
				t.Errorf("%s: opening %q has no handle", p.name, o)
			}
		}
		for _, r := range p.roles {
			if garments[r].garment == "" {
				t.Errorf("%s: %q wears nothing", p.name, r)
			}
		}
		if len(signs[p.name]) != len(signs[places[0].name]) {
			t.Errorf("%s has %d texts; places must have as many", p.name, len(signs[p.name]))
		}
		if len(p.openings) < 4 || len(p.roles) < 3 || len(p.surfaces) != 2 || boards[p.board] == "" {
			t.Errorf("%s is poorly furnished", p.name)
		}
	}
}

// TestEveryTextIsInOnePlace wants no text twice: one that more places have would
// be true more often.
func TestEveryTextIsInOnePlace(t *testing.T) {
	seen := map[string]string{}
	for name, list := range signs {
		for _, text := range list {
			if other, known := seen[text]; known {
				t.Errorf("%q is in the %s and in the %s", text, name, other)
			}
			seen[text] = name
			if len(text) > 16 {
				t.Errorf("%q is too long for a sign", text)
			}
		}
	}
}
