package simulate

import (
	"fmt"
	"math/rand/v2"

	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/visual/scene"
)

// sightings are of things that are seen now and then rather than at every visit: their
// courses go on each time they are seen.
type sightings struct {
	*stage
	looks map[string]int // how many there will be, by entity
	done  map[simulation.Key]int
}

func newSightings(rnd *rand.Rand) sightings {
	return sightings{stage: newStage(rnd), looks: map[string]int{}, done: map[simulation.Key]int{}}
}

// next is what the next look at an entity shows of an aspect.
func (s sightings) next(entity, aspect string, from []string) string {
	k := simulation.Key{Entity: entity, Aspect: aspect}
	if _, planned := s.courses[k]; !planned {
		s.plan(entity, aspect, from, s.looks[entity])
	}
	s.done[k]++
	return s.courses[k][s.done[k]-1]
}

// note makes the world be as a scene tells it, from its moment on.
func (s sightings) note(at int, shown scene.Scene) error {
	for _, t := range shown.Named() {
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
