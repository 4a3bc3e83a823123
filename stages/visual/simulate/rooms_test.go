package simulate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/stages/visual/scene"
)

// roomed are the scenarios whose pictures are of rooms that are visited again.
func roomed() []Scenario {
	return scenarios("home_renovation", "cross_scene_archive", "health_dashboard")
}

// scenarios returns those of some names.
func scenarios(names ...string) []Scenario {
	return slices.DeleteFunc(Scenarios(), func(s Scenario) bool { return !slices.Contains(names, s.Name) })
}

func simulate(t *testing.T, s Scenario, seed uint64, pictures int) Simulation {
	t.Helper()
	size := Size{Sessions: 1 + pictures/5, Rounds: 2 * pictures, Pictures: pictures}
	l, err := s.Simulate(rand.New(rand.NewPCG(seed, 1)), size)
	if err != nil {
		t.Fatalf("%s, seed %d, %d pictures: %v", s.Name, seed, pictures, err)
	}
	return l
}

func TestRoomsSimulateAnySeedAndSize(t *testing.T) {
	for _, s := range roomed() {
		for seed := range testsize.Choose[uint64](25, 50) {
			for _, pictures := range []int{1, 2, 5, 20, 61} {
				if l := simulate(t, s, seed, pictures); len(l.Scenes) != pictures {
					t.Fatalf("%s, seed %d: %d scenes, want %d", s.Name, seed, len(l.Scenes), pictures)
				}
			}
		}
	}
}

// TestRoomsChangeInEveryWay holds that pictures of a life show each pattern of
// change, return of what was away included.
func TestRoomsChangeInEveryWay(t *testing.T) {
	for _, s := range roomed() {
		patterns := map[string]int{}
		for seed := range uint64(5) {
			for _, c := range simulate(t, s, seed, 57).Chains() {
				patterns[c.Pattern()]++
			}
		}
		for _, p := range []string{simulation.Steady, simulation.Override, simulation.StaleMajority, simulation.Reversal, simulation.Return} {
			if patterns[p] == 0 {
				t.Errorf("%s: nothing changes by %s in 5 lives: %v", s.Name, p, patterns)
			}
		}
	}
}

// TestRoomsKeepPlacesApart holds that no two things of a picture are told to be at
// one place, and no two of a class to have one look that tells them apart.
func TestRoomsKeepPlacesApart(t *testing.T) {
	for _, s := range roomed() {
		for seed := range uint64(20) {
			for i, sc := range simulate(t, s, seed, 40).Scenes {
				seen := map[string]string{}
				for _, thing := range sc.NamedThings() {
					for _, a := range []string{scene.Place, scene.Beside, scene.Which} {
						if !slices.Contains(thing.Tells, a) {
							continue
						}
						v := a + " " + thing.Class + " " + thing.Look[a]
						if seen[v] != "" {
							t.Fatalf("%s, seed %d, picture %d: %s and %s both have %s", s.Name, seed, i, seen[v], thing.Name, v)
						}
						seen[v] = thing.Name
					}
				}
			}
		}
	}
}

func TestCourseShowsItsPattern(t *testing.T) {
	for _, tc := range []struct {
		pattern string
		visits  int
	}{{simulation.Steady, 6}, {simulation.Override, 6}, {simulation.StaleMajority, 6}, {simulation.Reversal, 6}, {simulation.Reversal, 3}, {simulation.StaleMajority, 4}} {
		for seed := range uint64(20) {
			s := newVisitState(rand.New(rand.NewPCG(seed, 2)), nil)
			s.deck = []string{tc.pattern}
			var c simulation.Observations
			for i, v := range s.pickCourse([]string{"a", "b", "c", "d"}, tc.visits) {
				c = append(c, simulation.Observation{At: i, Value: v})
			}
			got := c.Pattern()
			if late := tc.pattern == simulation.Override && got == simulation.StaleMajority; got != tc.pattern && !late {
				t.Errorf("%s over %d visits, seed %d: %v is %s", tc.pattern, tc.visits, seed, c, got)
			}
		}
	}
}
