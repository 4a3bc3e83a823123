package lifelong

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/oracle"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// simulationGate judges a simulation as a whole before its pictures are drawn. If one
// session fails, the whole is simulated anew.
type simulationGate struct{ pipeline.Gate }

// Forecast passes simulations on with their volumes.
func (g simulationGate) Forecast(in pipeline.Volume) pipeline.Forecast {
	n := in[nameSimulation].Records
	return pipeline.Forecast{
		Out: pipeline.Volume{nameSimulation: in[nameSimulation], volumePictures: in[volumePictures], volumeSessions: in[volumeSessions], schemas.NameVerdict: {Records: n}},
		CPU: secondsJudged * in[volumeSessions].Records,
	}
}

// Disclosure is what a simulation says and shows: its sessions, and the content of each
// picture. It holds nothing of the hidden world that no session tells.
type Disclosure struct {
	Sessions []schemas.Session `json:"sessions"`
	Pictures []RenderedPicture `json:"exhibits"`
}

func (l Simulation) disclosure() (Disclosure, error) {
	if l.Disclosed != nil {
		return *l.Disclosed, nil
	}
	album, shown, err := renderWithoutPixels(l)
	return Disclosure{buildSessions(taskID(l.ID), album), shown}, err
}

// disclose keeps only the disclosure of a simulation: enough to judge it again, without
// the hidden world.
func disclose(r pipeline.Record) (pipeline.Record, error) {
	l, err := pipeline.Decode[Simulation](r)
	if err != nil {
		return r, err
	}
	told, err := l.disclosure()
	if err != nil {
		return r, err
	}
	return pipeline.NewRecord(nameSimulation, r.ID, struct {
		ID   string     `json:"id"`
		Told Disclosure `json:"told"`
	}{l.ID, told})
}

// judgeSimulation applies the checks of the session gates to a simulation's sessions, and
// those of an audit.
func judgeSimulation(l Simulation) pipeline.Judgement {
	told, err := l.disclosure()
	if err != nil {
		return pipeline.GateError.Because("unreadable", "its pictures have no names: %v", err)
	}
	all, shown := slices.Clone(told.Sessions), map[string]oracle.Picture{}
	for _, x := range told.Pictures {
		shown[x.MediaID] = x.oraclePicture()
	}
	if len(all) == 0 {
		return pipeline.Fail.Because("no-session", "it tells nothing")
	}
	for i := range all {
		all[i] = all[i].DeriveFields(all)
	}
	var faults []sessions.Fault
	history := sessions.History(all)
	for i, s := range all {
		faults = slices.Concat(faults, sessions.Coverage(s), sessions.Captions(s), sessions.Interference(s), history[i])
	}
	if err := oracle.New(all, shown).CheckPoints(); err != nil {
		faults = append(faults, sessions.Fault{Code: "other-points", Item: all[0].TaskID, Detail: err.Error()})
	}
	return sessions.Judge(faults)
}

// renderWithoutPixels renders a simulation without drawing: a picture's id is the digest
// of its data.
func renderWithoutPixels(l Simulation) (out RenderedSimulation, shown []RenderedPicture, err error) {
	out.Simulation = l
	for _, x := range l.World.Pictures {
		b, err := json.Marshal(x)
		if err != nil {
			return out, shown, fmt.Errorf("name the picture %q: %w", x.Title, err)
		}
		id := string(pipeline.DigestOf(b))
		out.MediaIDs = append(out.MediaIDs, id)
		shown = append(shown, renderedPicture(id, x))
	}
	return out, shown, nil
}

// resimulateStage simulates anew what a gate flagged.
type resimulateStage struct{ builder simulationBuilder }

func newResimulate(struct{}) (pipeline.Stage, error) {
	a, err := newSimulationBuilder()
	return resimulateStage{a}, err
}

// Spec declares that each simulation is repeated on its own.
func (resimulateStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameFlagged}, Emits: []string{nameSimulation}}
}

// Map replaces a flagged simulation by another of the same domain and size, under its id.
// No session of the old one stays, since each rests on those before it.
func (s resimulateStage) Map(_ context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	f, err := pipeline.Decode[schemas.Flagged](in)
	if err != nil {
		return nil, err
	}
	old, err := pipeline.Decode[Simulation](pipeline.Record{ID: f.Item, Schema: f.Schema, Data: f.Record})
	if err != nil {
		return nil, err
	}
	if old.Size == (simulate.Size{}) {
		return nil, fmt.Errorf("life %s is told around a real user and can't be made anew: let the gate of %s drop it (on_fail: drop)", f.Item, f.Gate)
	}
	try := old.Try + 1
	l, err := s.builder.build(scope.Rand(fmt.Sprintf("%s/%d", f.Item, try)), f.Item, old.World.Domain, old.Size)
	if err != nil {
		return nil, fmt.Errorf("life %s, made anew for the %d. time: %w", f.Item, try, err)
	}
	l.Try = try
	r, err := pipeline.NewRecord(nameSimulation, f.Item, l)
	return []pipeline.Record{r}, err
}

// Forecast counts repeated simulations; their pictures are counted where they were
// simulated first.
func (resimulateStage) Forecast(in pipeline.Volume) pipeline.Forecast {
	return pipeline.Forecast{Out: pipeline.Volume{nameSimulation: in[schemas.NameFlagged]}}
}
