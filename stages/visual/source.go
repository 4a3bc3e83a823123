package visual

import (
	"context"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// SimulationConfig configures the source visual.lives.
type SimulationConfig struct {
	Scenarios []string                 `json:"scenarios" doc:"names of the scenarios; empty for all"`
	Count     int                      `json:"count" doc:"how many lives of each scenario"`
	Size      simulate.Size            `json:"size" doc:"sessions, rounds and pictures of each life; where they are 0, as published (MemEye table 3)"`
	Sizes     map[string]simulate.Size `json:"sizes" doc:"sizes by scenario, before size"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *SimulationConfig) SetDefaults() { c.Count = 1 }

type simulationSource struct {
	cfg       SimulationConfig
	scenarios []simulate.Scenario
}

func newSimulationSource(c SimulationConfig) (pipeline.Source, error) {
	s := simulationSource{cfg: c}
	known := []string{}
	for _, sc := range simulate.Scenarios() {
		known = append(known, sc.Name)
		if len(c.Scenarios) == 0 || slices.Contains(c.Scenarios, sc.Name) {
			s.scenarios = append(s.scenarios, sc)
		}
	}
	for _, name := range c.Scenarios {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("scenarios has %q; there are %q", name, known)
		}
	}
	for name := range c.Sizes {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("sizes has %q; there are %q", name, known)
		}
	}
	for _, sc := range s.scenarios {
		if err := s.sizeOf(sc).Check(); err != nil {
			return nil, fmt.Errorf("size of %s: %w", sc.Name, err)
		}
	}
	if c.Count < 0 || c.Count > 100_000 {
		return nil, fmt.Errorf("count is %d; want 0 to 100,000", c.Count)
	}
	return s, nil
}

func (s simulationSource) sizeOf(of simulate.Scenario) simulate.Size {
	out := of.Size
	for _, set := range []simulate.Size{s.cfg.Size, s.cfg.Sizes[of.Name]} {
		if set.Pictures > 0 {
			out = set
		}
	}
	return out
}

func (simulationSource) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{nameSimulation}, License: license}
}

func (simulationSource) Needs() []pipeline.Need { return nil }

func (s simulationSource) Forecast(pipeline.Volume) pipeline.Forecast {
	pictures, sessions := 0, 0
	for _, sc := range s.scenarios {
		pictures += s.cfg.Count * s.sizeOf(sc).Pictures
		sessions += s.cfg.Count * s.sizeOf(sc).Sessions
	}
	return pipeline.Forecast{Out: pipeline.Volume{
		nameSimulation: {Records: float64(s.cfg.Count * len(s.scenarios))}, volumePictures: {Records: float64(pictures)}, volumeSessions: {Records: float64(sessions)},
	}}
}

// Read emits the simulations. Each has random numbers of its own, so a further
// simulation or scenario changes no other.
func (s simulationSource) Read(ctx context.Context, scope *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for _, sc := range s.scenarios {
		for i := range s.cfg.Count {
			if err := ctx.Err(); err != nil {
				return err
			}
			id := fmt.Sprintf("%s-%04d", sc.Name, i)
			l, err := sc.Simulate(scope.Rand(id), s.sizeOf(sc))
			if err != nil {
				return err
			}
			r, err := pipeline.NewRecord(nameSimulation, id, l)
			if err != nil {
				return err
			}
			if err := emit(r); err != nil {
				return err
			}
		}
	}
	return nil
}
