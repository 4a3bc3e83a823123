// Package kitchen is a domain of memory tasks: things change their places during a day,
// and one has to remember where each is in the end.
package kitchen

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/schemas"
)

// Names of its schemas, of the table of clues, and of the type of its questions.
const (
	DaySchema  = "kitchen.day"
	ClueSchema = "kitchen.clue"
	ClueTable  = "kitchen_clues"
	LastPlace  = "last_place"
)

// Day is a sequence of moves. It is the truth that questions are derived from, handed
// from the source to the stage and in no release.
type Day struct {
	Moves []Move `json:"moves"`
	// Places are all that its file names: options come from them.
	Places []string `json:"places"`
}

// Move puts a thing somewhere.
type Move struct {
	Thing string `json:"thing"`
	Place string `json:"place"`
}

// Clue is what the answer of a question rests on. A release has a table of them.
type Clue struct {
	QuestionID string `json:"question_id"`
	Thing      string `json:"thing"`
	// Places are those where the thing was put, in order; the last is the answer.
	Places []string `json:"places"`
}

// Register adds all that the domain has. Raise a version when the output for the same
// input changes: results are kept under it.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "kitchen.days", "1", "moves of things, from CSV files", newDays)
	pipeline.AddStage(r, "kitchen.ask", "1", "ask where each thing is in the end", newAsk)
	pipeline.AddTable[Clue](r, ClueTable, ClueSchema, []string{"question_id"},
		pipeline.Reference{Column: "question_id", Tables: []string{pipeline.TableQuestions}})
	r.AddQuestionType(pipeline.QuestionType{
		Name: LastPlace, Options: map[string]int{schemas.RoleCorrect: 1, schemas.RoleIntrusion: 1, schemas.RoleUnrelated: 2},
	})
	pipeline.AddGate(r, "kitchen.moved", "1", "the last place is none where the thing was before", newMoved)
	export.Add(r, export.Format{Name: "kitchen", Root: "kitchen", Help: "One file, with a line a question.", Layout: layout})
	score.AddAnswerScorer(r, score.AnswerScorer{Name: "kitchen", Help: "An answer is the letter of an option, or a place in upper or lower case.", By: []string{"moved"}, Mark: mark})
}
