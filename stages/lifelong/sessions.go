package lifelong

import (
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/simulation"
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

// checkpointEnds returns the last session of each checkpoint. The first covers at least
// so many sessions, or half of all.
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

// Map emits the task of a simulation, its sessions with their points, and its
// checkpoints.
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

// firstTurn returns what the user says, or the step.
func firstTurn(r speech.Round) schemas.Turn {
	if r.Step == nil {
		return schemas.Turn{Role: schemas.TurnUser, Text: r.User}
	}
	return schemas.Turn{Role: schemas.TurnAgent, Observation: r.Step.Observation, Reasoning: r.Step.Reasoning, Action: r.Step.Action, Feedback: r.Step.Feedback}
}

// buildSessions returns the sessions of a simulation with their points. A round is two
// turns; in the bootstrap and where an agent acts it is one.
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

// holds is the status of what is true, in the attributes of points.
const holds = "holds"

// addPoints adds the memory points of the world's events to their sessions.
func addPoints(all []schemas.Session, a RenderedSimulation) {
	live := map[simulation.Key][]string{}
	for _, e := range a.Simulation.World.Events {
		s := &all[e.Session]
		for _, p := range eventPoints(e, live[e.Key]) {
			p.MemoryID, p.SessionID = schemas.PointIDOf(s.SessionID, len(s.Points)+1), s.SessionID
			turn := s.Turns[eventTurn(e)]
			p.EvidenceTurns, p.Modality, p.Importance = []string{turn.TurnID}, schemas.ModalityText, 0.5
			if e.Op == simulate.OpSlip { // the next round takes it back
				p.EvidenceTurns = append(p.EvidenceTurns, s.Turns[eventTurn(e)+2].TurnID)
			}
			if s.ArcRole == schemas.ArcMain {
				p.Importance = 1
			}
			if e.Picture >= 0 {
				p.EvidenceMedia, p.Modality = []string{a.MediaIDs[e.Picture]}, schemas.ModalityTextImage
				if a.Simulation.World.Pictures[e.Picture].Hidden {
					p.Modality = schemas.ModalityImage
				}
			}
			s.Points = append(s.Points, p)
		}
		updateLive(live, e, s.Points)
	}
}

func updateLive(live map[simulation.Key][]string, e simulate.Event, points []schemas.MemoryPoint) {
	n := len(points)
	switch {
	case simulate.Interferes(e.Op) || simulate.Silent(e.Op):
	case e.Op == simulate.OpDelete:
		delete(live, e.Key)
	case e.Op == simulate.OpSplit:
		live[e.Key] = []string{points[n-2].MemoryID, points[n-1].MemoryID}
	default:
		live[e.Key] = []string{points[n-1].MemoryID}
	}
}

func eventTurn(e simulate.Event) int {
	if e.Session == 0 || e.Step {
		return e.Round
	}
	return 2 * e.Round
}

func eventPoints(e simulate.Event, live []string) []schemas.MemoryPoint {
	p := schemas.MemoryPoint{
		Subject: e.Key.String(), Type: "fact", Content: pointContent(e),
		Attributes: map[string]string{"thing": e.Key.Entity, "aspect": e.Key.Aspect, "value": e.Value, "status": holds, "who": "user"},
	}
	if e.Session == 0 {
		p.Type = "profile"
	}
	if len(live) > 0 && !simulate.Interferes(e.Op) {
		p.IsUpdate, p.Supersedes = true, live
	}
	switch e.Op {
	case simulate.OpShow, simulate.OpRetract, simulate.OpConfirm:
		return nil
	case simulate.OpTagRule, simulate.OpHourRule:
		p.Type = "rule"
	case simulate.OpRevise:
		p.UpdateType = schemas.UpdateRevise
	case simulate.OpMerge:
		p.UpdateType = schemas.UpdateMerge
	case simulate.OpDelete:
		p.UpdateType = schemas.UpdateDelete
		p.Attributes["status"] = "ended"
		delete(p.Attributes, "value")
	case simulate.OpSplit:
		p.UpdateType = schemas.UpdateSplit
		second := p
		second.Content = fmt.Sprintf("%s is the %s of %s for the second half of it only", e.Also, e.Key.Aspect, e.Key.Entity)
		second.Attributes = map[string]string{"thing": e.Key.Entity, "aspect": e.Key.Aspect, "value": e.Also, "status": holds, "who": "user"}
		return []schemas.MemoryPoint{p, second}
	case simulate.OpJoke, simulate.OpHearsay, simulate.OpAffair, simulate.OpPlan, simulate.OpSlip, simulate.OpPast:
		p.Type, p.IsInterference, p.Resembles, p.DiffersIn = "interference", true, live[0], "status"
		p.Attributes["status"] = e.Op
		if e.Op == simulate.OpAffair {
			p.DiffersIn, p.Attributes["who"], p.Attributes["status"] = "who", e.Who, holds
		}
	}
	return []schemas.MemoryPoint{p}
}

// pointContent returns the text of a memory point. An update differs from the superseded
// text in more than one word (E1 of the formats says why). Interference is worded like a
// fact, as a misled memory would hold it: only the sessions tell which is which.
func pointContent(e simulate.Event) string {
	of := e.Key.Aspect + " of " + e.Key.Entity
	switch e.Op {
	case simulate.OpRevise, simulate.OpJoke, simulate.OpSlip, simulate.OpPast:
		return fmt.Sprintf("%s took the place of %s as the %s", e.Value, e.Old, of)
	case simulate.OpSplit:
		return fmt.Sprintf("%s is the %s for the first half of it only, where %s did both", e.Value, of, e.Old)
	case simulate.OpMerge:
		return fmt.Sprintf("%s alone is the %s again, for both halves", e.Value, of)
	case simulate.OpDelete:
		return fmt.Sprintf("There is no %s any more; %s was dropped", of, e.Old)
	case simulate.OpTagRule:
		return "A tag is " + e.Value
	case simulate.OpHourRule:
		return fmt.Sprintf("Quoted hours are rounded up to the next multiple of %s, and then %s is added", e.Value, e.Also)
	}
	return fmt.Sprintf("The %s is %s", of, e.Value)
}
