package videomme

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// meanSeconds is the middle of what Video-MME calls long, 30 to 60 minutes.
const meanSeconds = 2700

// Forecast implements pipeline.Forecaster: all videos are there, and ordinary.
func (s *source) Forecast(pipeline.Volume) pipeline.Forecast {
	n := s.cfg.MaxVideos
	if n == 0 {
		return pipeline.Forecast{Unknown: "max_videos is not set, and how many videos there are shows when it is read"}
	}
	videos := media.Footage(float64(n), meanSeconds)
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: videos}, CPU: media.Reading(videos), Bytes: videos.Bytes}
}
