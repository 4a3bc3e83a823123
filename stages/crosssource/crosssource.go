// Package crosssource makes the family of memory tasks whose evidence no single
// source holds (SMMBench): items of data sets or of simulated worlds are spread over
// chats, documents, tables, profiles and pictures of one group of people.
//
// crosssource.worlds simulates worlds and crosssource.draw brings their items into the
// form that adapters of data sets give. crosssource.plan decides what stands where and
// when, crosssource.write writes each source by itself, crosssource.place says where
// each piece ended up, the gate placement judges that, and crosssource.ask asks.
package crosssource

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/author"
	"github.com/memforge/memforge/stages/crosssource/author/chatauthor"
	"github.com/memforge/memforge/stages/crosssource/format"
)

// Names of the family's schemas and tables.
const (
	family         = "crosssource"
	nameWorld      = "crosssource.world"
	namePicture    = "crosssource.exhibit"
	nameChannel    = "crosssource.channel"
	namePosition   = "crosssource.placed"
	namePlacement  = "crosssource.placement"
	tablePicture   = "crosssource_exhibits"
	tablePlacement = "crosssource_placements"
)

// domain of the family's tasks.
const domain = "group conversations"

// license of everything that is simulated and drawn.
const license = "CC0-1.0"

// Question types by the task of an item (SMMBench 3.3).
func types() map[string]string {
	return map[string]string{
		schemas.TaskSingleHop: "crosssource_single_hop", schemas.TaskMultiHop: "crosssource_multi_hop", schemas.TaskConflict: "crosssource_conflict",
		schemas.TaskPreference: "crosssource_preference", schemas.TaskFunctionCall: "crosssource_call",
	}
}

// Register adds all that the family has.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "crosssource.worlds", "13", "worlds of people who know parts of what is asked (SMMBench 3.1)", newWorlds)
	pipeline.AddStage(r, "crosssource.draw", "6", "draw charts, tables, cards and programmes of a world, and give its items", newDraw)
	pipeline.AddStage(r, "crosssource.plan", "11", "decide in which source each piece of evidence stands, and when (SMMBench B.5)", newPlan)
	chatauthor.Register(r)
	pipeline.AddStage(r, "crosssource.write", "8", "write a chat, document, table, profile or picture with its pieces of evidence (SMMBench B.4, B.5)", newWrite)
	pipeline.AddStage(r, "crosssource.place", "3", "say where each piece of an item's evidence stands", newPlace)
	pipeline.AddStage(r, "crosssource.ask", "4", "ask what takes several sources (SMMBench 3.3)", newAsk)
	author.Register(r)
	pipeline.AddStage(r, "crosssource.pose", "2", "ask what an item asks, on its evidence as it is, so that gates can judge the item before it is placed (SMMBench B.3)", newPose)
	pipeline.AddStage(r, "crosssource.keep", "1", "keep the items whose questions passed, in the words that these have now", newKeep)
	addPlacement(r)
	pipeline.AddGate(r, "exhibit-legible", "4", "a picture shows what its row says, as a reader finds that knows how letters look and not how exhibits are drawn", func(struct{}) (pipeline.Gate, error) { return newLegible() })
	format.Register(r)
	r.AddDerivation(family, derivation())
	pipeline.AddTable[RenderedPicture](r, tablePicture, namePicture, []string{"exhibit_id"}, pipeline.Reference{Column: "media_id", Tables: []string{pipeline.TableMedia}})
	pipeline.AddTable[Placement](r, tablePlacement, namePlacement, []string{"placement_id"},
		pipeline.Reference{Column: "question_id", Tables: []string{pipeline.TableQuestions}})
	for _, task := range worldsTasks() {
		t := pipeline.QuestionType{Name: types()[task]}
		if task != schemas.TaskFunctionCall {
			t.Options = map[string]int{schemas.RoleCorrect: 1, schemas.RoleDistractor: 3}
		}
		r.AddQuestionType(t)
	}
}
