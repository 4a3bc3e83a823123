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
	lookCPU          = 0.02 // a picture, decoded
)

// Forecast implements pipeline.Forecaster: what files hold shows when they are read,
// so a file is taken for a conversation of the usual size, and every picture for one
// that is shared.
func (*source) Forecast(in pipeline.Volume) pipeline.Forecast {
	files, pictures := in[pipeline.VolumeFileOf(needDialogues)].Records, in[pipeline.VolumeFileOf(needPictures)]
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameMedia: {Records: pictures.Records, Bytes: pictures.Bytes},
			schemas.NameTask:  {Records: files}, schemas.NameSession: {Records: sessionsPerFile * files}, schemas.NameQuestion: {Records: questionsPerFile * files, Rough: true},
		},
		CPU: readCPU*files + lookCPU*pictures.Records, Bytes: in[pipeline.VolumeFile].Bytes,
	}
}
