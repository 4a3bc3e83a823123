package visual

import (
	"cmp"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/dialogue"
	"github.com/memforge/memforge/stages/visual/question"
)

// Volumes that plugins of the family count for each other.
const (
	volumePictures = dialogue.VolumePictures
	volumeSessions = "visual.sessions"
)

// Cost of one picture: processor seconds to draw and encode it, its bytes, and
// processor seconds to decode it.
const (
	secondsPicture = 0.1
	bytesPicture   = 180_000
	secondsDecode  = 0.02
)

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

func (conversationStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[nameAlbum].Records
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameTask: {Records: n}, schemas.NameSession: {Records: n + in[volumeSessions].Records}, volumePictures: in[volumePictures]}}
}

// Forecast counts the most questions that the cells can hold.
func (s questionStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	most := 0
	for _, form := range question.Forms() {
		granularities := map[string]int{question.Sum: 1, question.First: 3}[form]
		most += cmp.Or(granularities, 4) * cmp.Or(s.cfg.PerForm[form], s.cfg.PerCell)
	}
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameQuestion: {Records: float64(most) * in[nameAlbum].Records, Rough: true}}}
}

func (pictureGate) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[schemas.NameMedia]
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameMedia: n, schemas.NameVerdict: {Records: n.Records}}, CPU: n.Records * secondsDecode}
}
