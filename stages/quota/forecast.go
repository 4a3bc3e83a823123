package quota

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// pickCPU is what choosing takes a question, in seconds.
const pickCPU = 1e-4

// Forecast implements pipeline.Forecaster: every count is met if there are as
// many questions in all.
func (s *quota) Forecast(in pipeline.Volume) pipeline.Forecast {
	q := in[schemas.NameQuestion]
	wanted := 0.0
	for _, c := range s.cfg.Counts {
		wanted += float64(c.Count)
	}
	kept := q
	if s.cfg.Unlisted == drop {
		kept.Records = min(q.Records, wanted)
	}
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameQuestion: kept}, CPU: pickCPU * q.Records}
}
