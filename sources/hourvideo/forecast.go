package hourvideo

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// meanSeconds is the mean length of the dev set's videos: 39.3 hours over 50.
const meanSeconds = 2830

// Forecast implements pipeline.Forecaster: all videos are there, and ordinary.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	n := s.cfg.MaxVideos
	if all := map[string]int{"dev": 50, "test": 500}[s.cfg.Split]; n == 0 || n > all {
		n = all
	}
	videos := media.Footage(float64(n), meanSeconds)
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: videos}, CPU: media.Reading(videos), Bytes: videos.Bytes}
}
