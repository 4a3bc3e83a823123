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

// TestTwinsShareOneThingAndOneText checks that just one thing is picked up in
// both and just one text comes up in both, that they have one role in common in
// two colours, and that neither shows what is said to be in neither.
func TestTwinsShareOneThingAndOneText(t *testing.T) {
	for seed := range uint64(4) {
		films := generate(t, seed, config(schemas.FilmFull, 32))
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
			if shared[schemas.FilmPicks] != 1 || shared[schemas.FilmChanges] != 1 || shared[schemas.FilmOpens] != 0 {
				t.Errorf("films %d and %d share %v", i, i+1, shared)
			}
			roles := 0
			for _, x := range a.Actors {
				for _, y := range b.Actors {
					if x.Role == y.Role {
						roles++
					}
					if x.Description == y.Description {
						t.Errorf("films %d and %d: %q is in both", i, i+1, x.Description)
					}
				}
			}
			if roles != 1 {
				t.Errorf("films %d and %d have %d roles in common", i, i+1, roles)
			}
			checkLures(t, a, b)
		}
	}
}

func checkLures(t *testing.T, films ...schemas.Film) {
	t.Helper()
	for _, f := range films {
		lures := f.Lures[schemas.FilmChanges]
		if len(lures) != luresPerPair || !slices.Equal(lures, films[0].Lures[schemas.FilmChanges]) {
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
