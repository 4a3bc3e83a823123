package procedural

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// What writing one script takes, s: the longer it is, the more people have to
// keep out of each other's way.
const (
	scriptCPU   = 0.001
	draftingCPU = 0.0005 // a second of film
)

// Forecast implements pipeline.Forecaster: the amount is known exactly.
func (s source) Forecast(pipeline.Volume) pipeline.Forecast {
	films := media.MarkDrawn(media.PlayingAmount(float64(s.cfg.Count), s.cfg.Seconds, s.cfg.Width, s.cfg.Height, s.cfg.FPS))
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameFilm: films}, CPU: scriptCPU*films.Records + draftingCPU*films.Seconds}
}
