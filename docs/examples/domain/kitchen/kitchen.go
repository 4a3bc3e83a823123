// Package kitchen is a domain of memory tasks: things are moved about a
// kitchen, and one has to remember where each is in the end.
package kitchen

import (
	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/schemas"
)

// Names of its schemas, of the table of clues, and of the type of its questions.
const (
	Schema     = "kitchen.world"
	ClueSchema = "kitchen.clue"
	ClueTable  = "kitchen_clues"
	LastPlace  = "last_place"
)

// World is a sequence of moves. It is the truth that questions are derived
// from, handed from the source to the stage and in no release.
type World struct {
	Moves []Move `json:"moves"`
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

// Register adds all that the domain has.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "kitchen.worlds", "2", "things that are moved about a kitchen", newWorlds)
	pipeline.AddStage(r, "kitchen.ask", "3", "ask where each thing is in the end", newAsk)
	pipeline.AddTable[Clue](r, ClueTable, ClueSchema, []string{"question_id"},
		pipeline.Reference{Column: "question_id", Tables: []string{pipeline.TableQuestions}})
	r.AddQuestionType(pipeline.QuestionType{
		Name: LastPlace, Options: map[string]int{schemas.RoleCorrect: 1, schemas.RoleIntrusion: 1, schemas.RoleUnrelated: 2},
	})
	panel.Add(r, panel.Definition{
		Name: "kitchen.stale", Version: "2", Summary: "the moves before the last do not tell the place",
		Form: panel.YesNo(), View: view.StaleOnly, Roles: []string{"judge"}, Rule: panel.RobustUnderSome, CleanRate: 0.05,
		Code: "stale-tells", Message: "the place is told with %s shown",
	})
	export.Add(r, export.Format{Name: "kitchen", Root: "kitchen", Help: "One file, with a line a question.", Layout: layout})
	score.AddAnswerScorer(r, score.AnswerScorer{Name: "kitchen", Help: "An answer is a place, in whatever case.", By: []string{"moved"}, Mark: mark})
}
