package dir

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// Forecast implements pipeline.Forecaster: every file becomes a video.
func (*source) Forecast(in pipeline.Volume) pipeline.Forecast {
	files := in[pipeline.VolumeFile]
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: files}, CPU: media.ReadingCPU(files), Bytes: files.Bytes}
}
