package benchmark

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// Forecast is that of a source which gives at most so many videos, 0 for no bound, of
// those that there are, 0 where nobody knows beforehand: all are there, and ordinary.
func Forecast(most, all int, meanSeconds float64) pipeline.Forecast {
	if most == 0 && all == 0 {
		return pipeline.Forecast{Unknown: "max_videos is not set, and how many videos there are shows when it is read"}
	}
	if most == 0 || all > 0 && most > all {
		most = all
	}
	videos := media.FootageAmount(float64(most), meanSeconds)
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: videos}, CPU: media.ReadingCPU(videos), Bytes: videos.Bytes}
}
