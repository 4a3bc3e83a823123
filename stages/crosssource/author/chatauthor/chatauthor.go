// Package chatauthor has a model write the sources of a batch (SMMBench B.4): portraits of its
// people, who know each other; documents and profiles; chats turn by turn, from the chat's own
// turns, who speaks, the theme, a drawn discourse act and a drawn length. None of these requests
// holds any evidence. Then it finds places for what will be shared in chats, and writes what is
// said around it (B.5): only that request, Thread, sees the piece.
//
// A chat is one record, so that chats are written side by side. Each answer is in the
// ledger before the next is asked for: who comes back after a stop pays for none twice.
package chatauthor

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

// nameChannel is the schema of sources that are planned.
const nameChannel = "crosssource.channel"

const role = "author"

// Codes of what a model did not write, and rules wrote in its place. Nothing is lost
// by it, so they count as flagged.
const (
	codeTopics = "bad-topics"
	codeTurn   = "bad-turn"
	codeAnchor = "bad-anchor"
	codeThread = "bad-thread"
	codePeople = "bad-people"
	codePaper  = "bad-paper"
)

// Config of the stage.
type Config struct {
	Memory   int `json:"memory" doc:"how many of a chat's last turns the author reads before it writes the next"`
	Window   int `json:"window" doc:"how many turns before and after its planned place something may be shared; 0 leaves it there"`
	Attempts int `json:"attempts" doc:"how often each thing is asked for, with the reasons against the earlier answers, before it is written by rule"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() { *c = Config{Memory: 12, Window: 4, Attempts: 2} }

// Bounds of a configuration.
const (
	maxMemory   = 500
	maxWindow   = 200
	maxAttempts = 5
)

// stage is crosssource.converse.
type stage struct {
	cfg       Config
	subtopics *model.Job[Subtopics, Planned]
	turn      *model.Job[Turn, Written]
	anchor    *model.Job[Anchor, Anchored]
	thread    *model.Job[Thread, Threaded]
	people    *model.Job[People, Portrayed]
	paper     *model.Job[Paper, Entries]
}

// Register adds the stage.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "crosssource.converse", "7", "have an author write people, documents, profiles and chats without seeing evidence, and what is said around it (SMMBench B.4, B.5)", newStage)
}

func newStage(c Config) (pipeline.Stage, error) {
	if err := cmp.Or(pipeline.CheckRange("memory", c.Memory, 1, maxMemory), pipeline.CheckRange("window", c.Window, 0, maxWindow), pipeline.CheckRange("attempts", c.Attempts, 1, maxAttempts)); err != nil {
		return nil, err
	}
	s := &stage{cfg: c}
	var errs [6]error
	s.subtopics, errs[0] = model.NewJob[Subtopics, Planned]("crosssource.subtopics")
	s.turn, errs[1] = model.NewJob[Turn, Written]("crosssource.turn")
	s.anchor, errs[2] = model.NewJob[Anchor, Anchored]("crosssource.anchor")
	s.thread, errs[3] = model.NewJob[Thread, Threaded]("crosssource.thread")
	s.people, errs[4] = model.NewJob[People, Portrayed]("crosssource.people")
	s.paper, errs[5] = model.NewJob[Paper, Entries]("crosssource.paper")
	return s, errors.Join(errs[:]...)
}

// Spec implements pipeline.Stage.
func (s *stage) Spec() pipeline.Spec {
	asks := []pipeline.Ask{s.subtopics.For(role), s.turn.For(role), s.anchor.For(role), s.thread.For(role), s.people.For(role), s.paper.For(role)}
	for i := range asks {
		asks[i].Otherwise = "leave the stage out: crosssource.write writes sources by rule"
	}
	return pipeline.Spec{Accepts: []string{nameChannel}, Emits: []string{nameChannel}, Resource: pipeline.Model, Asks: asks}
}

// Map writes a source. One without turns of its own goes on as it is.
func (s *stage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	c, err := pipeline.Decode[placement.Channel](in)
	if err != nil {
		return nil, err
	}
	if c.Base == 0 {
		return []pipeline.Record{in}, nil
	}
	w, err := newChatWriter(s, scope, c)
	if err != nil {
		return nil, err
	}
	steps := []func(context.Context) error{w.portrayPeople, w.writePaper}
	if c.Kind == schemas.KindGroupChat || c.Kind == schemas.KindPrivateChat {
		steps = []func(context.Context) error{w.portrayPeople, w.planTopics, w.writeTurns, w.placeSlots, w.writeThreads}
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, fmt.Errorf("write %s: %w", c.SessionID, err)
		}
	}
	r, err := pipeline.NewRecord(nameChannel, in.ID, w.channel, in.Blobs...)
	if err != nil {
		return nil, err
	}
	for i := range w.fallbacks {
		scope.Reject(w.fallbacks[i].ID, &w.fallbacks[i])
	}
	return []pipeline.Record{r}, nil
}

// chatWriter is that on one chat.
type chatWriter struct {
	*stage
	scope     *pipeline.Scope
	channel   placement.Channel
	voice     *basetalk.Voice
	topics    []string
	portraits []Portrait
	fallbacks []pipeline.Rejection
}

// newChatWriter seeds the writer with the key of the chat, not its id: a twin has the
// same turns and the same requests.
func newChatWriter(s *stage, scope *pipeline.Scope, c placement.Channel) (*chatWriter, error) {
	v, err := basetalk.NewVoice(scope.Rand("own", c.Key), c.Themes, c.Cast)
	return &chatWriter{stage: s, scope: scope, channel: c, voice: v}, err
}

// fallBack reports whether an error is a finding about an answer, so that rules stand in,
// and notes it. It is false for errors that may pass and for those that end a build.
func (w *chatWriter) fallBack(ctx context.Context, err error, code, what string, place int) bool {
	why, ok := model.PermanentRejection(ctx, err)
	if !ok {
		return false
	}
	noted := *why
	noted.ID, noted.Code, noted.Flagged = fmt.Sprintf("%s/%s-%04d", w.channel.SessionID, what, place), code, true
	w.fallbacks = append(w.fallbacks, noted)
	return true
}

// What a turn weighs, and how many more requests are put because an answer cannot be
// used, for want of a measurement.
const (
	turnChars  = 160
	turnTokens = 50
	again      = 0.1
	// volumeTurns is what crosssource.plan calls the turns of its chats.
	volumeTurns = "crosssource.turns"
)

// Forecast implements pipeline.Forecaster: a request for each turn, which carries the
// last ones. What is asked for each piece and each chat is little beside it.
func (s *stage) Forecast(in pipeline.Volume) pipeline.Forecast {
	turns := in[volumeTurns].Records
	calls := turns
	if s.cfg.Attempts > 1 {
		calls *= 1 + again
	}
	return pipeline.Forecast{
		Out:   in,
		Calls: calls, TokensIn: calls * (s.turn.PromptTokens() + model.TextTokens(float64(turnChars*s.cfg.Memory))), TokensOut: calls * turnTokens,
	}
}
