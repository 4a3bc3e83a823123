package extraction

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// What a session weighs that nobody has seen, how many points it gives, and how many more
// requests are put because an answer cannot be used, for want of a measurement.
const (
	sessionChars  = 4000
	sessionPoints = 13
	pointTokens   = 140
	sessionShown  = 3
	knownTokens   = 30
	againShare    = 0.25
	megapixels    = 0.3
	// How visual.dialogues counts what conversations hold.
	volumeSessions = "visual.sessions"
	volumePictures = "visual.pictures"
)

// Forecast implements pipeline.Forecaster: a request a session, with the pictures of it
// and half of the points that a task ends with.
func (s *stage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n, tasks := in[volumeSessions].Records, in[nameDialogue].Records
	calls := n
	if s.cfg.Attempts > 1 {
		calls *= 1 + againShare
	}
	shown, known := 0.0, 0.0
	if n > 0 && tasks > 0 {
		shown = min(float64(s.cfg.Pictures), max(sessionShown, in[volumePictures].Records/n))
		known = min(float64(s.cfg.Live), sessionPoints*n/tasks/2)
	}
	text := model.TextTokens(sessionChars + min(float64(s.cfg.Chars), sessionChars*float64(s.cfg.Window)))
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameSession: {Records: n, Rough: true}, schemas.NameQuestion: in[schemas.NameQuestion], Name: {Records: 2 * sessionPoints * n, Rough: true},
		},
		Calls: calls, Images: calls * shown,
		TokensIn:  calls * (s.job.PromptTokens() + text + known*knownTokens + model.ImageTokens(megapixels*shown)),
		TokensOut: calls * sessionPoints * pointTokens,
	}
}
