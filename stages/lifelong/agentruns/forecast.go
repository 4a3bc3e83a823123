package agentruns

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// By the 14 runs of ALFRED that were counted: questions a run, and what a session takes,
// in seconds.
const (
	questionsPerRun = 2
	sessionCPU      = 1e-3
)

// Forecast implements pipeline.Forecaster: sessions and tasks go on, and a run has one
// checkpoint.
func (runsStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	tasks, sessions := in[schemas.NameTask], in[schemas.NameSession]
	return pipeline.Forecast{
		Out: pipeline.Volume{
			schemas.NameTask: tasks, schemas.NameSession: sessions, schemas.NameCheckpoint: {Records: tasks.Records, Rough: true},
			schemas.NameQuestion: {Records: questionsPerRun * tasks.Records, Rough: true},
		},
		CPU: sessionCPU * sessions.Records,
	}
}
