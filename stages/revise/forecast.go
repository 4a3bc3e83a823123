package revise

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Tokens of what is told and answered: the question with four options and its
// explanation, eight pieces of evidence of a sentence or two, and what two
// gates found, each at three words to four tokens with the keys around it.
const (
	questionTokens = 300
	evidenceTokens = 8 * 60
	findingTokens  = 2 * 60
	draftTokens    = 300
	// toldTokens is what a question was written from: two videos of ten sections,
	// described under six keys.
	toldTokens = 20 * 290
)

// againShare is how many more requests are put because a rewrite cannot be
// used, for want of a measurement with a model that understands.
const againShare = 0.25

// Forecast implements pipeline.Forecaster: every flagged question is rewritten.
func (s *reviseStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n, calls := in[schemas.NameFlagged].Records, in[schemas.NameFlagged].Records
	if s.cfg.Attempts > 1 {
		calls *= 1 + againShare
	}
	return pipeline.Forecast{
		Out:       pipeline.Volume{schemas.NameQuestion: {Records: n}},
		Calls:     calls,
		TokensIn:  calls * (s.job.PromptTokens() + questionTokens + evidenceTokens + findingTokens + min(toldTokens, model.TextTokens(float64(s.cfg.ToldChars)))),
		TokensOut: calls * draftTokens,
	}
}
