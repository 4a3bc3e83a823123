package gates

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// ruleCPU is what judging one question takes, in seconds, its verdict included.
const ruleCPU = 3e-4

// Forecast implements pipeline.Forecaster: every question passes, and nobody
// is asked.
func (*structural) Forecast(in pipeline.Volume) pipeline.Forecast {
	q := in[schemas.NameQuestion]
	return pipeline.Forecast{
		Out: pipeline.Volume{schemas.NameQuestion: q, schemas.NameVerdict: {Records: q.Records}}, CPU: ruleCPU * q.Records,
	}
}
