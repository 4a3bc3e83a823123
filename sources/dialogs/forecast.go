package dialogs

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// What a file holds, by the two conversations of LoCoMo that were counted, and what
// reading it takes, in seconds.
const (
	sessionsPerFile  = 19
	questionsPerFile = 150
	readCPU          = 0.1
)

// Forecast implements pipeline.Forecaster: what files hold shows when they are read,
// so a file is taken for a conversation of the usual size.
func (*source) Forecast(in pipeline.Volume) pipeline.Forecast {
	files := in[pipeline.VolumeFile].Records
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameTask: {Records: files}, schemas.NameSession: {Records: sessionsPerFile * files}, schemas.NameQuestion: {Records: questionsPerFile * files},
		},
		CPU: readCPU * files, Bytes: in[pipeline.VolumeFile].Bytes,
	}
}
