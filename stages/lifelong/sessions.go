package lifelong

import (
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/speech"
)

// CheckpointConfig says when questions are asked.
type CheckpointConfig struct {
	Checkpoints int `json:"checkpoints" doc:"how often questions are asked in a task, evenly spread, in lives and runs that are simulated the first time after four sessions or half of them at least; the last time after all sessions"`
}

// SetDefaults asks five times, as the paper does.
func (c *CheckpointConfig) SetDefaults() { c.Checkpoints = 5 }

func (c CheckpointConfig) check() error {
	return pipeline.CheckRange("checkpoints", c.Checkpoints, 1, 20)
}

// begun is how many sessions the first checkpoint covers at least: with fewer there are no
// four days to choose from, nor mostly four things whose pictures show an aspect.
const begun = 4

// checkpointEnds are the orders of the last sessions that the checkpoints cover, the first of them so
// many at least, or half of those that there are.
func (c CheckpointConfig) checkpointEnds(sessions, least int) []int {
	last, start := sessions-1, 0
	least = min(least, last/2)
	if short := least*c.Checkpoints - last; short > 0 && c.Checkpoints > 1 {
		start = min(last, (short+c.Checkpoints-2)/(c.Checkpoints-1))
	}
	var out []int
	for i := range c.Checkpoints {
		out = append(out, start+(i+1)*(last-start)/c.Checkpoints)
	}
	return slices.Compact(out)
}

type sessionsStage struct{ cfg CheckpointConfig }

func newSessions(c CheckpointConfig) (pipeline.Stage, error) { return sessionsStage{c}, c.check() }

// Spec declares what is given.
func (sessionsStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{nameRendered}, Emits: []string{schemas.NameTask, schemas.NameSession, schemas.NameCheckpoint}}
}

// Map gives the task of a life, its sessions with their points, and its checkpoints.
func (s sessionsStage) Map(_ context.Context, _ *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	album, err := pipeline.Decode[RenderedSimulation](in)
	if err != nil {
		return nil, err
	}
	task := taskID(in.ID)
	all := buildSessions(task, album)
	var out pipeline.RecordBuilder
	out.Add(schemas.NameTask, task, buildTask(task, in.ID, album))
	var ids []string
	for _, one := range all {
		one = one.DeriveFields(all)
		ids = append(ids, one.SessionID)
		out.Add(schemas.NameSession, one.SessionID, one)
	}
	for i, end := range s.cfg.checkpointEnds(len(all), begun) {
		c := schemas.Checkpoint{CheckpointID: schemas.CheckpointIDOf(task, i), TaskID: task, Order: int32(i), Sessions: ids[:end+1]}
		out.Add(schemas.NameCheckpoint, c.CheckpointID, c)
	}
	return out.Records()
}

func buildTask(id, record string, a RenderedSimulation) schemas.Task {
	media := slices.Sorted(slices.Values(a.MediaIDs))
	return schemas.Task{
		TaskID: id, Family: family, Domain: a.Simulation.World.Domain, Scenario: scenarioOf(a.Simulation.World.Domain), SourceRecords: []string{record}, Media: slices.Compact(media),
		Summary: fmt.Sprintf("%d sessions with %s, %d pictures", len(a.Simulation.World.Sessions), a.Simulation.World.Person, len(a.MediaIDs)),
	}
}

// firstTurn is the first turn of a round: what the user says, or a step.
func firstTurn(r speech.Round) schemas.Turn {
	if r.Step == nil {
		return schemas.Turn{Role: schemas.TurnUser, Text: r.User}
	}
	return schemas.Turn{Role: schemas.TurnAgent, Observation: r.Step.Observation, Reasoning: r.Step.Reasoning, Action: r.Step.Action, Feedback: r.Step.Feedback}
}

// buildSessions are the sessions of a life with their points. A round is two turns; in the
// bootstrap and where an agent acts it is one.
func buildSessions(task string, a RenderedSimulation) []schemas.Session {
	w := a.Simulation.World
	var out []schemas.Session
	for n, of := range w.Sessions {
		s := schemas.Session{
			SessionID: schemas.SessionIDOf(task, n), TaskID: task, Kind: schemas.KindDialogue, Order: int32(n), Date: of.Date,
			Participants: []string{w.Person, schemas.TurnAssistant}, Arc: of.Arc, ArcRole: schemas.ArcSide, EventType: of.EventType, OnMainLine: of.OnMainLine,
		}
		if of.Main {
			s.ArcRole = schemas.ArcMain
		}
		if simulate.Regime(w.Domain) != "" {
			s.Kind, s.Participants = schemas.KindTrajectory, []string{schemas.TurnUser, schemas.TurnAgent}
		}
		if n == 0 {
			s.Kind, s.Title, s.Participants = schemas.KindProfile, "Profile", []string{w.Person}
		}
		pictures := 0
		for _, r := range a.Simulation.Rounds[n] {
			first := firstTurn(r)
			if r.Picture >= 0 {
				pictures++
				first.Attachments = []schemas.Attachment{attachPicture(s.SessionID, pictures, r.Picture, a)}
			}
			s.Turns = append(s.Turns, first)
			if r.Assistant != "" {
				s.Turns = append(s.Turns, schemas.Turn{Role: schemas.TurnAssistant, Text: r.Assistant})
			}
		}
		for i := range s.Turns {
			s.Turns[i].TurnID, s.Turns[i].SessionID, s.Turns[i].Order = schemas.TurnIDOf(s.SessionID, i+1), s.SessionID, int32(i+1)
		}
		out = append(out, s)
	}
	addPoints(out, a)
	return out
}
