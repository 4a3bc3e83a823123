package lvbench

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// meanSeconds is the mean length that LVBench states for its 103 videos.
const meanSeconds = 4101

// Forecast implements pipeline.Forecaster: all videos are there, and ordinary.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	const all = 103
	n := s.cfg.MaxVideos
	if n == 0 || n > all {
		n = all
	}
	videos := media.Footage(float64(n), meanSeconds)
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: videos}, CPU: media.Reading(videos), Bytes: videos.Bytes}
}
