package oracle

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/simulate"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// TestExhibitsLeaveChainsOpen: over many worlds, who looks at one picture or table that
// the question of a chain names, at any two, or at all of them, and at nothing else, is left with three
// options or more, unless there is no other evidence. And something leads to what stands
// before every option in the last table, by the link by which the right one is reached.
func TestExhibitsLeaveChainsOpen(t *testing.T) {
	t.Parallel()
	looked, paged := 0, 0
	for seed := range testsize.Choose(uint64(6), 30) {
		rnd := rand.New(rand.NewPCG(seed, 8))
		w, err := simulate.Simulate(rnd, simulate.Themes()[int(seed)%len(simulate.Themes())], simulate.Size{
			People: 8, Documents: 0.7, Pages: 0.5, Images: 0.3, Items: map[string]int{schemas.TaskMultiHop: 12},
			Pieces: []weights.Range{{From: 2, To: 5, Weight: 3}, {From: 6, To: 9, Weight: 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for n, item := range w.Items {
			reached(t, mask(t, rnd, item, -1))
			var named []int
			evidence := 0
			for i, u := range item.Units {
				if u.Role == schemas.RoleDistractor {
					continue
				}
				evidence++
				if u.Picture != nil || len(u.Rows) > 0 {
					named = append(named, i)
				}
				if u.Picture != nil && u.Picture.Kind == simulate.Page {
					paged++
				}
			}
			sets := [][]int{named}
			for i := range named {
				for j := range i + 1 {
					sets = append(sets, slices.Compact([]int{named[i], named[j]}))
				}
			}
			for _, seen := range sets {
				if len(seen) < evidence {
					looked++
					if open := only(t, rnd, item, seen).open(); len(open) < 3 {
						t.Errorf("seed %d, item %d: %q, of which pieces %v alone leave open %q: %+v", seed, n, item.Ask, seen, open, item.Units)
					}
				}
			}
		}
	}
	if looked < 150 || paged < 30 {
		t.Errorf("%d sets of exhibits were looked at, and %d pages: too few to tell", looked, paged)
	}
	t.Logf("%d sets of exhibits, %d pages", looked, paged)
}

// only is an item of which somebody reads these units and no others.
func only(t *testing.T, rnd *rand.Rand, item simulate.Item, places []int) masked {
	t.Helper()
	var units []simulate.Unit
	for _, i := range places {
		u := item.Units[i]
		u.Revises = nil
		units = append(units, u)
	}
	whole := item.Units
	item.Units = units
	m := mask(t, rnd, item, -1)
	m.item.Units = whole
	return m
}

// reached wants something to lead to the key of every option in the last table of a chain.
func reached(t *testing.T, m masked) {
	t.Helper()
	links, _ := m.links()
	led := values(m.task.find("fact", "a", links[len(links)-2]))
	for _, o := range m.item.Options {
		if key := m.before(o); !slices.Contains(led, key) {
			t.Errorf("%q: nothing leads to %q by the link %q, which stands before the option %q", m.item.Ask, key, links[len(links)-2], o)
		}
	}
}
