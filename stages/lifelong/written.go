package lifelong

import (
	"context"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	write "github.com/memforge/memforge/stages/lifelong/author"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/speech"
)

// writeStage has a model write the words of simulations.
type writeStage struct {
	author write.Author
	cfg    write.Config
}

func newWritten(c write.Config) (pipeline.Stage, error) {
	a, err := write.New(c)
	return writeStage{a, c}, err
}

// Spec declares that the author is asked.
func (s writeStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{nameSimulation}, Emits: []string{nameSimulation}, Resource: pipeline.Model, Asks: []pipeline.Ask{s.author.Ask()}}
}

// maxRejectionText bounds what is told to an author of a verdict, in characters.
const maxRejectionText = 600

// Map has the sessions of a simulation written. Runs of agents go on unchanged: their
// steps are what happened.
func (s writeStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	l, err := pipeline.Decode[Simulation](in)
	if err != nil {
		return nil, err
	}
	if simulate.Regime(l.World.Domain) != "" {
		return []pipeline.Record{in}, nil
	}
	before := judgeSimulation(l)
	if before.Outcome != pipeline.Pass {
		return nil, pipeline.Reject("unsound-life", "it is not sound before a word of it is written (%s); let the gate life-sessions judge it first", before.Code)
	}
	said, kept, err := s.author.WriteSessions(ctx, scope, in.ID, l.World, l.Rounds, func(said [][]speech.Round) string {
		one := l
		one.Rounds = said
		if j := judgeSimulation(one); j.Outcome != pipeline.Pass {
			return words.Shorten(j.Reason, maxRejectionText)
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	l.Rounds = said
	for i := range kept {
		scope.Reject(kept[i].ID, &kept[i])
	}
	r, err := pipeline.NewRecord(nameSimulation, in.ID, l)
	return []pipeline.Record{r}, err
}

// What a session weighs when it is written, and how many more requests are put because an
// answer cannot be used, for want of a measurement.
const (
	roundsWritten = 13
	roundTokens   = 90
	againWritten  = 0.25
)

// Forecast counts a request a session, which carries its rounds.
func (s writeStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	calls := in[volumeSessions].Records - in[nameSimulation].Records
	if s.cfg.Attempts > 1 {
		calls *= 1 + againWritten
	}
	read := float64(roundsWritten + s.cfg.Last)
	return pipeline.Forecast{
		Out:   pipeline.Volume{nameSimulation: in[nameSimulation], volumePictures: in[volumePictures], volumeSessions: in[volumeSessions]},
		Calls: calls, TokensIn: calls * (s.author.Tokens() + read*roundTokens), TokensOut: calls * roundsWritten * roundTokens,
		CPU: secondsJudged * in[volumeSessions].Records * in[volumeSessions].Records / max(1, in[nameSimulation].Records),
	}
}
