package author

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/dialogue"
)

// Estimates per request: tokens of the answer, megapixels of a picture of unknown size,
// and the share of requests that are repeated because the answer cannot be used. They
// are not measured with a model that sees.
const (
	answerTokens = 350
	megapixels   = 0.8
	retryShare   = 0.25
)

// Forecast assumes that every question is found and every prompt is as large as
// configured.
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
