// Package visual has the visual family of memory tasks (MemEye): conversations over many
// sessions whose questions need the pictures. The source visual.lives simulates a user's
// life in one of eight scenarios, visual.render draws its pictures, visual.converse
// emits the sessions, and visual.ask the questions, each with a place on the grid of
// granularity and reasoning.
package visual

import (
	_ "embed"

	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/author"
	"github.com/memforge/memforge/stages/visual/captions"
	"github.com/memforge/memforge/stages/visual/dialogue"
	"github.com/memforge/memforge/stages/visual/format"
	"github.com/memforge/memforge/stages/visual/oracle/picturereader"
	"github.com/memforge/memforge/stages/visual/question"
)

// Names of the family's schemas and tables.
const (
	family         = "visual"
	nameSimulation = "visual.life"
	nameAlbum      = "visual.album"
	namePicture    = "visual.picture"
	tablePicture   = "visual_pictures"
)

// license of all simulated text and rendered pictures.
const license = "CC0-1.0"

// starter is what a configuration of the family begins from.
//
//go:embed starter.yaml
var starter string

// Register adds the plugins of the family.
func Register(r *pipeline.Registry) {
	pipeline.AddSource(r, "visual.lives", "6", "lives in eight scenarios, with pictures that change (MemEye A.1)", newSimulationSource)
	pipeline.AddStage(r, "visual.render", "5", "draw the pictures of a life, and note what each shows where", newRenderStage)
	pipeline.AddStage(r, "visual.converse", "1", "give the sessions of a life, with its pictures and their captions", newConversationStage)
	pipeline.AddStage(r, "visual.ask", "7", "ask what the pictures of a life show, in every cell of the grid (MemEye 3.1)", newQuestionStage)
	r.AddDerivation(family, derivation())
	r.AddReviewCriteria(family, // MemEye B.3
		pipeline.ReviewCriterion{Key: "answerable", Text: "Answerable from what is shown"}, pipeline.ReviewCriterion{Key: "one_answer", Text: "Exactly one answer is right"},
		pipeline.ReviewCriterion{Key: "needs_picture", Text: "Needs the picture"}, pipeline.ReviewCriterion{Key: "natural", Text: "Reads naturally"},
		pipeline.ReviewCriterion{Key: "x_fits", Text: "Its granularity (X) fits", Label: schemas.LabelGranularity, Values: []pipeline.LabelValue{
			{Value: "X1", Says: "the scene decides: activity, kind of place, weather"}, {Value: "X2", Says: "a region decides: where a thing is, what is beside it"},
			{Value: "X3", Says: "an instance decides: which of several alike things"}, {Value: "X4", Says: "a detail decides: colour, pattern, small text, count"},
		}},
		pipeline.ReviewCriterion{Key: "y_fits", Text: "Its reasoning (Y) fits", Label: schemas.LabelReasoning, Values: []pipeline.LabelValue{
			{Value: "Y1", Says: "one picture answers it"}, {Value: "Y2", Says: "several pictures together answer it"},
			{Value: "Y3", Says: "what changed answers it: what holds last, or held before the last change"},
		}})
	dialogue.Register(r)
	captions.Register(r)
	author.Register(r)
	r.Explain(family, terms())
	export.Add(r, format.Format())
	score.Add(r, format.Scorer())
	score.Add(r, format.Retrieval())
	tables.Add(r, format.Tables())
	panel.AddPictureReader(r, panel.PictureReader{Family: family, Version: picturereader.Version, Answer: new(builtInReader).readPictures})
	pipeline.AddGate(r, "visual.picture", "2", "a picture decodes whole, as what its row says", newPictureGate)
	pipeline.AddTable[Picture](r, tablePicture, namePicture, []string{"media_id"},
		pipeline.Reference{Column: "media_id", Tables: []string{pipeline.TableMedia}})
	for _, form := range question.Forms() {
		r.AddQuestionType(pipeline.QuestionType{Name: questionType(form), Options: optionCounts()})
	}
	pipeline.AddStarter(r, pipeline.Starter{
		Name: family, Summary: "pictures of simulated lives that change, on MemEye's grid",
		Title: "Memory questions about pictures of simulated lives",
		From:  []string{"shipped", "picture-files", "picture-talks"}, Steps: starter,
	})
}

func questionType(form string) string { return "visual_" + form }
