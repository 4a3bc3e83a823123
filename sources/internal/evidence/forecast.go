package evidence

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Forecast is that of a source that gives at most so many items, 0 for all, of those
// that there are, each of which takes some seconds to read.
func Forecast(most, all int, cpu float64) pipeline.Forecast {
	if most == 0 || most > all {
		most = all
	}
	n := float64(most)
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameEvidenceItem: {Records: n}}, CPU: n * cpu}
}
