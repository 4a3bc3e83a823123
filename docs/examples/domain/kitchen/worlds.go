package kitchen

import (
	"fmt"
	"math/rand/v2"

	"github.com/memforge/memforge/pipeline"
)

// WorldsConfig is what pipeline.yaml says of the source.
type WorldsConfig struct {
	Count int `json:"count" doc:"how many worlds to make"`
}

// SetDefaults makes ten worlds.
func (c *WorldsConfig) SetDefaults() { c.Count = 10 }

func newWorlds(c WorldsConfig) (pipeline.Source, error) {
	if c.Count < 0 {
		return nil, fmt.Errorf("count is %d; want 0 or more", c.Count)
	}
	return pipeline.Generated[World]{Schema: Schema, License: "CC0-1.0", Count: c.Count, Make: world}, nil
}

var (
	things = []string{"cup", "knife", "bowl"}
	places = []string{"shelf", "table", "drawer", "sink", "oven", "basket"}
)

// moves in a world: at least three of each thing.
const moves = 10

// world puts things somewhere, in turn, and never where they are already.
func world(rnd *rand.Rand) (w World) {
	at := map[string]string{}
	for i := range moves {
		thing := things[i%len(things)]
		place := at[thing]
		for place == at[thing] {
			place = places[rnd.IntN(len(places))]
		}
		at[thing] = place
		w.Moves = append(w.Moves, Move{thing, place})
	}
	return w
}
