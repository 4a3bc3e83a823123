package author

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// What a request weighs, and how many more are put because an answer cannot be used,
// for want of a measurement.
const (
	evidenceChars = 2500
	picturesShown = 1.2
	megapixels    = 0.8
	answerTokens  = 90
	againShare    = 0.25
)

// Forecast implements pipeline.Forecaster: every item is asked for topics and wrong
// options, and for one thing of its data set.
func (s *stage) Forecast(in pipeline.Volume) pipeline.Forecast {
	items := in[schemas.NameEvidenceItem].Records
	calls := 3 * items
	if s.cfg.Attempts > 1 {
		calls *= 1 + againShare
	}
	each := (s.complement.PromptTokens()+s.distract.PromptTokens()+s.topics.PromptTokens())/3 + model.TextTokens(evidenceChars) + model.ImageTokens(megapixels*picturesShown)
	return pipeline.Forecast{
		Out:   pipeline.Volume{schemas.NameEvidenceItem: {Records: items, Rough: true}, schemas.NameProfile: in[schemas.NameProfile]},
		Calls: calls, Images: calls * picturesShown, TokensIn: calls * each, TokensOut: calls * answerTokens,
	}
}
