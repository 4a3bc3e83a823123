package crosssource

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/simulate"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// What worlds hold, counted between plugins of the family.
const (
	volumeItems    = "crosssource.items"
	volumePictures = "crosssource.pictures"
	volumePeople   = "crosssource.people"
	volumeTasks    = "crosssource.tasks"
	volumeTurns    = "crosssource.turns"
)

// Seconds of a processor that a picture and a turn take, and their bytes. Pictures a
// item is an average over the tasks, as measured.
const (
	secondsPicture = 0.035
	secondsRead    = 0.14 // of a picture by exhibit-legible
	bytesPicture   = 24_000
	secondsTurn    = 2e-4
	perItem        = 1.5
	piecesPerItem  = 4.5
)

// Forecast counts worlds, and what comes of them.
func (s worldSource) Forecast(pipeline.Volume) pipeline.Forecast {
	n, items := float64(s.cfg.Count), 0
	for _, t := range simulate.Tasks() {
		items += s.cfg.Size.Items[t]
	}
	return pipeline.Forecast{Out: pipeline.Volume{
		nameWorld: {Records: n}, volumeItems: {Records: n * float64(items)}, volumePeople: {Records: n * float64(s.cfg.Size.People)},
		volumePictures: {Records: n * float64(items) * (perItem + s.cfg.Size.Decoys), Rough: true},
	}}
}

// Forecast counts pictures: most of a build's work.
func (*drawStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[volumePictures].Records
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameEvidenceItem: in[volumeItems], schemas.NameProfile: in[volumePeople], namePicture: {Records: n, Rough: true},
			schemas.NameMedia: {Records: n, Bytes: n * bytesPicture, Rough: true},
		},
		CPU: n * secondsPicture, Bytes: n * bytesPicture,
	}
}

// Forecast reads pictures.
func (legibleGate) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[namePicture]
	return pipeline.Forecast{Out: pipeline.Volume{namePicture: n, schemas.NameVerdict: {Records: n.Records, Rough: true}}, CPU: n.Records * secondsRead}
}

// Forecast counts sources: those that a batch has whatever its items are, a profile
// of each of its people, and a table or picture of its own of a part of the items.
func (s planStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	items, people := in[schemas.NameEvidenceItem].Records, in[schemas.NameProfile].Records
	batches := items / float64(s.cfg.Batch)
	arrangements := 1.0
	if s.cfg.Twins {
		arrangements = 2
	}
	turns := float64(s.cfg.Turns)
	if len(s.cfg.Lengths) > 0 {
		turns = weights.Mean(s.cfg.Lengths)
	}
	chats := batches * float64(s.cfg.Groups+s.cfg.Privates)
	sources := arrangements * (chats + batches*float64(s.cfg.Documents) + people + 0.4*items)
	return pipeline.Forecast{Out: pipeline.Volume{
		volumeTasks: {Records: arrangements * batches}, nameChannel: {Records: sources, Rough: true},
		namePosition: {Records: arrangements * items * piecesPerItem, Rough: true}, volumeTurns: {Records: arrangements * chats * turns, Rough: true},
	}}
}

// Forecast writes turns.
func (writeStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	return pipeline.Forecast{
		Out: pipeline.Volume{schemas.NameTask: in[volumeTasks], schemas.NameSession: in[nameChannel], namePosition: in[namePosition]}, CPU: secondsTurn * in[volumeTurns].Records,
	}
}

// Forecast counts a placement of each item in each arrangement.
func (placeStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	return pipeline.Forecast{Out: pipeline.Volume{namePlacement: {Records: in[namePosition].Records / piecesPerItem, Rough: true}}}
}

// Forecast asks one question of each placement.
func (askStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameQuestion: in[namePlacement]}}
}

// Forecast asks one question of each item.
func (itemQuestionStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameQuestion: in[schemas.NameEvidenceItem]}}
}

// Forecast keeps the items whose questions passed.
func (keepStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	kept := in[schemas.NameQuestion]
	return pipeline.Forecast{Out: pipeline.Volume{
		schemas.NameEvidenceItem: kept, schemas.NameProfile: in[schemas.NameProfile], schemas.NameMedia: {Records: kept.Records, Rough: true},
	}}
}
