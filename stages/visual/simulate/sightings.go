package simulate

import (
	"fmt"
	"math/rand/v2"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/visual/scene"
)

// sightingState are of things that are seen now and then rather than at every visit: their
// courses go on each time they are seen.
type sightingState struct {
	*visitState
	plannedSightings map[string]int // how many there will be, by entity
	shown            map[simulation.Key]int
}

func newSightingState(rnd *rand.Rand) sightingState {
	return sightingState{visitState: newVisitState(rnd), plannedSightings: map[string]int{}, shown: map[simulation.Key]int{}}
}

// nextValue is what the next look at an entity shows of an aspect.
func (s sightingState) nextValue(entity, aspect string, from []string) string {
	k := simulation.Key{Entity: entity, Aspect: aspect}
	if _, planned := s.courses[k]; !planned {
		s.plan(entity, aspect, from, s.plannedSightings[entity])
	}
	s.shown[k]++
	return s.courses[k][s.shown[k]-1]
}

// record makes the world be as a scene tells it, from its moment on.
func (s sightingState) record(at int, shown scene.Scene) error {
	for _, t := range shown.NamedThings() {
		for _, a := range t.Tells {
			s.set(at, t.Name, a, t.Look[a])
		}
	}
	for _, name := range shown.Absent {
		s.set(at, name, scene.Place, "")
	}
	if s.err != nil {
		return fmt.Errorf("picture %d: %w", at, s.err)
	}
	return nil
}
