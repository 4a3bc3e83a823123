package film

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// What drawing takes, measured on the build of testdata/measured.yaml in
// pipeline/cli/plugins: 12 films of 12 s and 36 clips of 2.4 s, 640x360 at 25.
const (
	startCPU = 0.27  // s a film
	drawCPU  = 0.017 // s a megapixel
)

// Forecast implements pipeline.Forecaster: the packets are kept twice, as a
// mezzanine and as a film to play.
func (s stage) Forecast(in pipeline.Volume) pipeline.Forecast {
	v := in[schemas.NameFilm]
	if !s.cfg.Sound {
		v.Sound = 0
	}
	v.Bytes = media.EncodedBytes(v)
	return pipeline.Forecast{
		Out:   pipeline.Volume{schemas.NameVideo: v},
		CPU:   startCPU*v.Records + media.RunsCPU(v.Records) + drawCPU*v.Megapixels + media.EncodingCPU(v),
		Bytes: 2 * v.Bytes,
	}
}
