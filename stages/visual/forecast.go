package visual

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/dialogue"
)

// What lives hold, counted between plugins of the family.
const (
	volumePictures = dialogue.VolumePictures
	volumeSessions = "visual.sessions"
)

// Seconds of a processor that a picture takes, drawn and encoded, its bytes, and the
// seconds that a look at it takes.
const (
	secondsPicture = 0.1
	bytesPicture   = 180_000
	secondsDecode  = 0.02
)

// Forecast counts pictures: most of a build's work.
func (*renderStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[volumePictures].Records
	return pipeline.Forecast{
		Out: pipeline.Volume{
			nameAlbum: {Records: in[nameSimulation].Records}, namePicture: {Records: n}, volumePictures: {Records: n}, volumeSessions: in[volumeSessions],
			schemas.NameMedia: {Records: n, Bytes: n * bytesPicture},
		},
		CPU: n * secondsPicture, Bytes: n * bytesPicture,
	}
}

// Forecast counts a task a life, and the profile among its sessions.
func (conversationStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[nameAlbum].Records
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameTask: {Records: n}, schemas.NameSession: {Records: n + in[volumeSessions].Records}, volumePictures: in[volumePictures]}}
}

// Forecast counts what is asked: at most as many as the cells hold.
func (s questionStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	cells := 12.0
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameQuestion: {Records: cells * float64(s.cfg.PerCell) * in[nameAlbum].Records, Rough: true}}}
}

// Forecast decodes every picture.
func (pictureGate) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[schemas.NameMedia]
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameMedia: n, schemas.NameVerdict: {Records: n.Records}}, CPU: n.Records * secondsDecode}
}
