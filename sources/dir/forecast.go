package dir

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// readCPU is what storing a byte takes, in seconds: it is copied and hashed.
const readCPU = 2e-9

// Forecast implements pipeline.Forecaster: every file becomes a video.
func (*source) Forecast(in pipeline.Volume) pipeline.Forecast {
	files := in[pipeline.VolumeFile]
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameVideo: files}, CPU: readCPU * files.Bytes, Bytes: files.Bytes}
}
