package choices

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// drawCPU is what it takes to compare a question's answer with the others of its
// task, in seconds.
const drawCPU = 1e-3

// Forecast implements pipeline.Forecaster: every question goes on.
func (*choices) Forecast(in pipeline.Volume) pipeline.Forecast {
	q := in[schemas.NameQuestion]
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameQuestion: q}, CPU: drawCPU * q.Records}
}
