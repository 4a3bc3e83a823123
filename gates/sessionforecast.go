package gates

import (
	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// What a judge reads and answers about one session of the size that
// WorldMemArena 4.3 gives: 15 to 20 turns, 4 pictures, 15 points.
const (
	sessionChars     = 9000
	sessionImages    = 4
	sessionMegapixel = 0.5 // of one picture
	repliesPer       = 15
	tokensPerReply   = 35
)

// Forecast implements pipeline.Forecaster: every session is sound and asked
// about once.
func (g *sessionJudge) Forecast(in pipeline.Volume) pipeline.Forecast {
	s := in[schemas.NameSession]
	f := passing(s)
	f.Calls, f.TokensOut = s.Records, s.Records*repliesPer*tokensPerReply
	f.TokensIn = s.Records * (g.task.Tokens() + model.TextTokens(sessionChars))
	if g.view() == sessions.ViewSession {
		f.Images = s.Records * sessionImages
		f.TokensIn += model.ImageTokens(f.Images * sessionMegapixel)
	}
	return f
}

// Forecast implements pipeline.Forecaster: nobody is asked.
func (*sessionRule) Forecast(in pipeline.Volume) pipeline.Forecast {
	return passing(in[schemas.NameSession])
}

func passing(s pipeline.Amount) pipeline.Forecast {
	return pipeline.Forecast{
		Out: pipeline.Volume{schemas.NameSession: s, schemas.NameVerdict: {Records: s.Records}}, CPU: ruleCPU * s.Records,
	}
}
