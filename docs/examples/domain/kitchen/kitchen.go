// Package kitchen is a domain of memory tasks: things are moved about a
// kitchen, and one has to remember where each is in the end.
package kitchen

import "github.com/memforge/memforge/pipeline"

// Schema names the record of a world.
const Schema = "kitchen.world"

// World is a sequence of moves. It is the truth that questions are derived
// from.
type World struct {
	Moves []Move `json:"moves"`
}

// Move puts a thing somewhere.
type Move struct {
	Thing string `json:"thing"`
	Place string `json:"place"`
}

// Last says where a thing is in the end, and where it was before, oldest first.
func (w World) Last(thing string) (now string, before []string) {
	for _, m := range w.Moves {
		if m.Thing != thing {
			continue
		}
		if now != "" {
			before = append(before, now)
		}
		now = m.Place
	}
	return now, before
}

// Register adds the domain's source and stage.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "kitchen.worlds", "1", "things that are moved about a kitchen", newWorlds)
	pipeline.AddStage(r, "kitchen.ask", "1", "ask where each thing is in the end", newAsk)
}
