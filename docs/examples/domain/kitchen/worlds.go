package kitchen

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/memforge/memforge/pipeline"
)

// WorldsConfig is what pipeline.yaml says of the source.
type WorldsConfig struct {
	Count int `yaml:"count" json:"count" doc:"how many worlds to make"`
	Moves int `yaml:"moves" json:"moves" doc:"moves in each world"`
}

// SetDefaults makes ten worlds of eight moves.
func (c *WorldsConfig) SetDefaults() { c.Count, c.Moves = 10, 8 }

var (
	things = []string{"cup", "knife", "bowl"}
	places = []string{"shelf", "table", "drawer", "sink", "oven", "basket"}
)

type worlds struct{ cfg WorldsConfig }

func newWorlds(c WorldsConfig) (pipeline.Source, error) {
	if c.Count < 0 || c.Moves < len(things) {
		return nil, fmt.Errorf("count %d, moves %d: want no negative count and at least %d moves, one for each thing", c.Count, c.Moves, len(things))
	}
	return worlds{c}, nil
}

// Spec says that the source is generated, under a licence of its own.
func (worlds) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{Schema}, License: "CC0-1.0"}
}

// Needs nothing: the source is generated.
func (worlds) Needs() []pipeline.Need { return nil }

// Read makes the worlds. Each draws from its own generator, so that a larger
// count adds worlds and changes none.
func (s worlds) Read(_ context.Context, scope *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for i := range s.cfg.Count {
		id := fmt.Sprintf("%s-%05d", scope.Name(), i)
		r, err := pipeline.NewRecord(Schema, id, s.world(scope.Rand(id)))
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

// world puts every thing somewhere first and then moves things to other places.
func (s worlds) world(rnd *rand.Rand) World {
	var w World
	for i := range s.cfg.Moves {
		thing := things[rnd.IntN(len(things))]
		if i < len(things) {
			thing = things[i]
		}
		now, _ := w.Last(thing)
		place := places[rnd.IntN(len(places))]
		for place == now {
			place = places[rnd.IntN(len(places))]
		}
		w.Moves = append(w.Moves, Move{Thing: thing, Place: place})
	}
	return w
}
