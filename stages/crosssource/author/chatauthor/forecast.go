package chatauthor

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
)

// What a turn weighs, and how many more requests are put because an answer cannot be
// used, for want of a measurement.
const (
	turnChars  = 160
	turnTokens = 50
	again      = 0.1
	// volumeTurns is what crosssource.plan calls the turns of its chats.
	volumeTurns = "crosssource.turns"
)

// Forecast implements pipeline.Forecaster: a request for each turn, which carries the
// last ones. What is asked for each piece and each chat is little beside it.
func (s *stage) Forecast(in pipeline.Volume) pipeline.Forecast {
	turns := in[volumeTurns].Records
	calls := turns
	if s.cfg.Attempts > 1 {
		calls *= 1 + again
	}
	return pipeline.Forecast{
		Out:   in,
		Calls: calls, TokensIn: calls * (s.turn.PromptTokens() + model.TextTokens(float64(turnChars*s.cfg.Memory))), TokensOut: calls * turnTokens,
	}
}
