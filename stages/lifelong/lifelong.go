// Package lifelong makes the lifelong regime of WorldMemArena: tasks of many sessions
// in which facts appear, change, part, come together again and end, told and shown.
// lifelong.worlds simulates one and writes what is said, lifelong.draw draws its
// pictures, lifelong.sessions gives sessions, memory points and checkpoints, and
// lifelong.ask the questions of eleven types.
package lifelong

import (
	_ "embed"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/agentruns"
	"github.com/memforge/memforge/stages/lifelong/author/extraction"
	"github.com/memforge/memforge/stages/lifelong/author/segmentation"
	"github.com/memforge/memforge/stages/lifelong/format"
	"github.com/memforge/memforge/stages/lifelong/question"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/speech"
	"github.com/memforge/memforge/stages/lifelong/written"
)

// Names of the family's schemas and tables.
const (
	family         = "lifelong"
	nameSimulation = "lifelong.life"
	nameRendered   = "lifelong.album"
	namePicture    = "lifelong.exhibit"
	nameStanding   = "lifelong.standing"
	tablePicture   = "lifelong_exhibits"
	tableStanding  = "lifelong_standings"
)

// license of everything that is simulated and drawn.
const license = "CC0-1.0"

// Simulation is a world and what is said in it, by session.
type Simulation struct {
	// ID is that of its record.
	ID     string           `json:"id"`
	World  simulate.World   `json:"world"`
	Rounds [][]speech.Round `json:"said"`
	// Size is how much the world was to hold, nothing where it is a real user's; Try how often the simulation was made anew,
	// because a gate found something wrong with it.
	Size simulate.Size `json:"size"`
	Try  int           `json:"try"`
	// Disclosed is what the gate looks at. A record that is judged again has it in place of
	// the world.
	Disclosed *Disclosure `json:"told,omitempty"`
}

// RenderedSimulation is a simulation whose pictures are drawn.
type RenderedSimulation struct {
	Simulation Simulation `json:"life"`
	// MediaIDs are the media ids of its pictures.
	MediaIDs []string `json:"pictures"`
}

// starter is what a configuration of the family begins from.
//
//go:embed starter.yaml
var starter string

// Register adds all that the family has.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "lifelong.worlds", "9", "worlds of six verticals and the life course, and what is said in them (WorldMemArena 4.1, C.3)", newWorlds)
	pipeline.AddSource(r, "lifelong.simulators", "10", "runs of agents in simulated applications and places: what is done, fails and is mended (WorldMemArena 4.1)", newSimulators)
	pipeline.AddStage(r, "lifelong.draw", "8", "draw the forms, tables and charts of a life, and note what each shows", newDraw)
	pipeline.AddStage(r, "lifelong.sessions", "6", "give the sessions, memory points and checkpoints of a life (WorldMemArena C.3)", newSessions)
	pipeline.AddStage(r, "lifelong.ask", "13", "ask the eleven types of questions at each checkpoint (WorldMemArena table 4)", newAsk)
	pipeline.AddStage(r, "lifelong.anew", "7", "make a life anew, world and words, of which a gate flagged a session (WorldMemArena C.2)", newResimulate)
	pipeline.AddStage(r, "lifelong.lives", "8", "simulate life courses around real users: what is known of them, and what happened to them on which day", newLives)
	pipeline.AddStage(r, "lifelong.dialogues", "1", "ask LoCoMo's questions at checkpoints of their conversations, as the types of questions that they are", newDialogues)
	addGates(r)
	pipeline.AddStage(r, "lifelong.assemble", "1", "give the sessions, memory points, checkpoints, questions and pictures of written lives", newAssemble)
	pipeline.AddTable[PlanRow](r, tablePlanRow, namePlanRow, []string{"plan_id"}, pipeline.Reference{Column: "task_id", Tables: []string{pipeline.TableTasks}})
	segmentation.Register(r)
	extraction.Register(r)
	agentruns.Register(r)
	format.Register(r)
	written.Register(r, func(checkpoints, sessions int) []int {
		return CheckpointConfig{checkpoints}.checkpointEnds(sessions, begun)
	}, newReadBack())
	r.AddDerivation(family, derivation())
	r.AddDisclosure(nameSimulation, disclose)
	r.Explain(family, terms())
	pipeline.AddTable[RenderedPicture](r, tablePicture, namePicture, []string{"exhibit_id"}, pipeline.Reference{Column: "media_id", Tables: []string{pipeline.TableMedia}})
	pipeline.AddTable[Standing](r, tableStanding, nameStanding, []string{"standing_id"}, pipeline.Reference{Column: "question_id", Tables: []string{pipeline.TableQuestions}})
	for _, t := range question.Types() {
		of := pipeline.QuestionType{Name: questionType(t), Options: map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3}}
		if question.UsesSharedForm(t) {
			of.Form = family + "_plain"
		}
		r.AddQuestionType(of)
	}
	pipeline.AddStarter(r, pipeline.Starter{
		Name: family, Summary: "what becomes true and stops being so in lives and runs of agents, as in WorldMemArena",
		Title: "What became true over many sessions, and when it stopped being so",
		From:  []string{"shipped", "boundary", "history", "trace-files", "trace-rows"}, Steps: starter,
	})
}

func questionType(t string) string { return family + "_" + t }

func taskID(record string) string { return family + "/" + record }
