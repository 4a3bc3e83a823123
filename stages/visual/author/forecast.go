package author

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/dialogue"
)

// Tokens of a round as it is told, of the answer, and megapixels of a picture whose
// size nobody knows; and how many more requests are put because an answer cannot be
// used, for want of a measurement with a model that sees.
const (
	answerTokens = 350
	megapixels   = 0.8
	retryShare   = 0.25
)

// Forecast implements pipeline.Forecaster: every question is found, and every request
// carries as many pictures and as much text as it may.
func (s *authorStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	tasks := in[dialogue.Name].Records
	questions := tasks * float64(len(s.cells)*s.cfg.PerCell)
	calls := questions
	if s.cfg.Attempts > 1 {
		calls *= 1 + retryShare
	}
	shown := float64(s.cfg.Pictures)
	if all := in[dialogue.VolumePictures].Records; tasks > 0 && all > 0 {
		shown = min(shown, all/tasks)
	}
	return pipeline.Forecast{
		Out:       pipeline.Volume{schemas.NameQuestion: {Records: questions, Rough: in[dialogue.Name].Rough}},
		Calls:     calls,
		Images:    calls * shown,
		TokensIn:  calls * (s.task.PromptTokens() + model.TextTokens(float64(s.cfg.Chars)) + model.ImageTokens(megapixels*shown)),
		TokensOut: calls * answerTokens,
	}
}
