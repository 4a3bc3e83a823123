package gates

import (
	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// Runs of ffmpeg and ffprobe that look at one video: its packets, its picture,
// its sound, a few jumps.
const runsToInspect = 12

// Forecast implements pipeline.Forecaster: every video is decoded, and so is
// what it is held against.
func (*integrity) Forecast(in pipeline.Volume) pipeline.Forecast {
	m := in[schemas.NameMedia]
	return pipeline.Forecast{
		Out: pipeline.Volume{schemas.NameMedia: m, schemas.NameVerdict: {Records: m.Records}},
		CPU: media.Runs(runsToInspect*m.Records) + 2*media.Decoding(m),
	}
}

// shortcutCPU is what studying one question for shortcuts takes, in seconds:
// 1.8 s for the 2,636 questions of the default release.
const shortcutCPU = 7e-4

// Forecast implements pipeline.Forecaster: no form can be answered by a shortcut,
// and every question passes.
func (*shortcuts) Forecast(in pipeline.Volume) pipeline.Forecast {
	q := in[schemas.NameQuestion]
	return pipeline.Forecast{
		Out: pipeline.Volume{schemas.NameQuestion: q, schemas.NameVerdict: {Records: q.Records}}, CPU: (structural.RuleCPU + shortcutCPU) * q.Records,
	}
}
