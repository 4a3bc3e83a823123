package lifelong

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/question"
	"github.com/memforge/memforge/stages/lifelong/written"
)

// Volumes that only stages of this family count.
const (
	volumePictures = "lifelong.pictures"
	volumeSessions = "lifelong.sessions"
)

// Seconds of a processor that a picture takes, drawn and encoded, and its bytes.
const (
	secondsPicture = 0.03
	bytesPicture   = 18_000
	// A picture that trace-legible reads; a screen takes about twice as long.
	secondsRead, secondsScreen = 0.031, 0.07
)

// secondsJudged of a processor are what it takes to judge a session before it is drawn.
const secondsJudged = 0.0004

// Forecast counts simulations with their sessions and pictures.
func (s worldSource) Forecast(pipeline.Volume) pipeline.Forecast {
	lives, pictures, sessions := 0, 0, 0
	for _, d := range s.cfg.Domains {
		n, size := s.cfg.count(d), s.cfg.size(d)
		lives += n
		pictures += n * size.Sessions * (100*size.Pictures + size.Screens) / 100
		sessions += n * (size.Sessions + 1)
	}
	return pipeline.Forecast{Out: pipeline.Volume{
		nameSimulation: {Records: float64(lives)}, volumePictures: {Records: float64(pictures), Rough: true}, volumeSessions: {Records: float64(sessions)},
	}}
}

// daysPerLife is on how many days something happens to a user, on the average of LifeSim's.
const daysPerLife = 8

// Forecast counts one simulation a user, with its sessions and pictures.
func (l livesStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[schemas.NameProfile].Records
	return pipeline.Forecast{Out: pipeline.Volume{
		nameSimulation: {Records: n}, volumePictures: {Records: n * daysPerLife * float64(l.cfg.Size.Pictures), Rough: true}, volumeSessions: {Records: n * (daysPerLife + 1), Rough: true},
	}}
}

// Forecast counts pictures: most of the family's work.
func (*drawStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[volumePictures].Records
	return pipeline.Forecast{
		Out: pipeline.Volume{
			nameRendered: {Records: in[nameSimulation].Records}, namePicture: {Records: n, Rough: true}, volumeSessions: in[volumeSessions],
			schemas.NameMedia: {Records: n, Bytes: n * bytesPicture, Rough: true},
		},
		CPU: n * secondsPicture, Bytes: n * bytesPicture,
	}
}

// Forecast reads pictures, of which it is not known how many are screens.
func (g legibleGate) Forecast(in pipeline.Volume) pipeline.Forecast {
	n, each := in[namePicture].Records, secondsRead
	if g.cfg.Screens {
		each = secondsScreen
	}
	return pipeline.Forecast{Out: pipeline.Volume{namePicture: in[namePicture], schemas.NameVerdict: {Records: n, Rough: true}}, CPU: n * each}
}

// Forecast counts one task a simulation, with its sessions and checkpoints.
func (s sessionsStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[nameRendered].Records
	return pipeline.Forecast{Out: pipeline.Volume{
		schemas.NameTask: {Records: n}, schemas.NameSession: in[volumeSessions], schemas.NameCheckpoint: {Records: n * float64(s.cfg.Checkpoints)},
	}}
}

// Forecast counts what is given of written lives; a session sends two pictures, about.
func (s *assembleStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	lives, sessions := in[written.NameLife].Records, in[written.VolumeSessions].Records
	questions, pictures := pipeline.Amount{Records: lives * float64(s.cfg.Checkpoints*len(question.Types())), Rough: true}, 2*sessions
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameTask: {Records: lives}, schemas.NameSession: {Records: sessions}, schemas.NameCheckpoint: {Records: lives * float64(s.cfg.Checkpoints)},
			schemas.NameQuestion: questions, nameStanding: questions, namePlanRow: {Records: lives}, namePicture: {Records: pictures, Rough: true},
			schemas.NameMedia: {Records: pictures, Bytes: pictures * bytesPicture, Rough: true},
		},
		CPU: pictures * secondsPicture, Bytes: pictures * bytesPicture,
	}
}

// Forecast counts what is asked: at most as many of each type as the configuration has.
func (s askStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[nameRendered].Records * float64(s.cfg.Checkpoints*s.cfg.PerType*len(question.Types()))
	return pipeline.Forecast{Out: pipeline.Volume{schemas.NameQuestion: {Records: n, Rough: true}, nameStanding: {Records: n, Rough: true}}}
}

// Forecast counts checkpoints, and a row a question.
func (d dialoguesStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[schemas.NameQuestion].Records
	return pipeline.Forecast{Out: pipeline.Volume{
		schemas.NameSession: in[schemas.NameSession], schemas.NameCheckpoint: {Records: in[schemas.NameTask].Records * float64(d.cfg.Checkpoints), Rough: true},
		schemas.NameQuestion: {Records: n, Rough: true}, nameStanding: {Records: n, Rough: true},
	}}
}
