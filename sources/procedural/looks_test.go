package procedural

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestPeopleAreNamedByWhatIsSeen wants the description of everybody to say the colour and
// the garment of the look that is drawn, and nothing else, and no colour twice in a film
// and its twin.
func TestPeopleAreNamedByWhatIsSeen(t *testing.T) {
	for seed := range uint64(3) {
		films := generate(t, seed, config(schemas.FilmFull, 32))
		for i, f := range films {
			for _, a := range slices.Concat(f.Actors, films[i^1].Actors) {
				at := slices.IndexFunc(paints, func(c colour) bool { return c.hex == a.Look.Colour })
				if at < 0 || a.Description != "the person in the "+paints[at].name+" "+a.Look.Garment {
					t.Errorf("film %d: %q wears %+v", i, a.Description, a.Look)
				}
				if strings.Contains(a.Description, a.Role) {
					t.Errorf("film %d: %q says what no picture shows", i, a.Description)
				}
			}
		}
	}
}

// TestRolesOfAPlaceWearDifferentThings wants as many garments as roles, so that what
// somebody wears in a colour can be asked.
func TestRolesOfAPlaceWearDifferentThings(t *testing.T) {
	for _, p := range places {
		worn := map[string]bool{}
		for _, r := range p.roles {
			worn[garments[r].garment] = true
		}
		if len(worn) != len(p.roles) {
			t.Errorf("%s: %d roles wear %d garments", p.name, len(p.roles), len(worn))
		}
	}
}
