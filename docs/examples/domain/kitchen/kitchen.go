// Package kitchen is a domain of memory tasks: things are moved about a
// kitchen, and one has to remember where each is in the end.
package kitchen

import "github.com/memforge/memforge/pipeline"

// Schema names the record of a world.
const Schema = "kitchen.world"

// ClueSchema names the record of a clue.
const ClueSchema = "kitchen.clue"

// Clue is what the answer of a question rests on. A release has a table of them.
type Clue struct {
	QuestionID string `json:"question_id"`
	Thing      string `json:"thing"`
	// Places are those where the thing was put, in order; the last is the answer.
	Places []string `json:"places"`
}

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

// Register adds the domain's source, stage and table.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "kitchen.worlds", "1", "things that are moved about a kitchen", newWorlds)
	pipeline.AddStage(r, "kitchen.ask", "2", "ask where each thing is in the end", newAsk)
	pipeline.AddTable[Clue](r, "kitchen_clues", ClueSchema, []string{"question_id"},
		pipeline.Reference{Column: "question_id", Tables: []string{"questions"}})
}
