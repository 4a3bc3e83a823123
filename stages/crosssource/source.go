package crosssource

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/simulate"
	"github.com/memforge/memforge/stages/crosssource/weights"
)

// WorldsConfig says what to simulate.
type WorldsConfig struct {
	Themes []string      `json:"themes" doc:"themes of the worlds, in turn; empty for all of SMMBench E.4"`
	Count  int           `json:"count" doc:"how many worlds"`
	Size   simulate.Size `json:"size" doc:"people, items and pieces of evidence of each world"`
}

// SetDefaults makes worlds in which most items take two or three pieces, and some
// many: 4.5 on average, as SMMBench has (3.3, figure 8).
func (c *WorldsConfig) SetDefaults() {
	c.Count = 4
	c.Size = simulate.Size{
		People: 12, Documents: 0.6, Pages: 0.4, Images: 0.4, Decoys: 0.25,
		Items: map[string]int{schemas.TaskSingleHop: 4, schemas.TaskMultiHop: 4, schemas.TaskConflict: 4, schemas.TaskPreference: 4, schemas.TaskFunctionCall: 4},
		Pieces: []weights.Range{
			{From: 2, Weight: 30}, {From: 3, Weight: 30}, {From: 4, Weight: 14}, {From: 5, To: 6, Weight: 14}, {From: 7, To: 9, Weight: 4}, {From: 10, To: 17, Weight: 6}, {From: 22, To: 26, Weight: 2},
		},
	}
}

func worldsTasks() []string { return simulate.Tasks() }

type worldSource struct{ cfg WorldsConfig }

func newWorlds(c WorldsConfig) (pipeline.Source, error) {
	for _, t := range c.Themes {
		if !slices.Contains(simulate.Themes(), t) {
			return nil, fmt.Errorf("themes has %q; there are %q", t, simulate.Themes())
		}
	}
	if c.Count < 0 || c.Count > 10_000 {
		return nil, fmt.Errorf("count is %d; want 0 to 10,000", c.Count)
	}
	if len(c.Themes) == 0 {
		c.Themes = simulate.Themes()
	}
	return worldSource{c}, c.Size.Check()
}

// Spec declares what is made.
func (worldSource) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{nameWorld}, License: license}
}

// Needs nothing.
func (worldSource) Needs() []pipeline.Need { return nil }

// SimulatedWorld is a world and where it is from.
type SimulatedWorld struct {
	Source string         `json:"source"`
	World  simulate.World `json:"world"`
}

// Read gives the worlds. Each is drawn from numbers of its own, so a further one
// changes none.
func (s worldSource) Read(ctx context.Context, scope *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for i := range s.cfg.Count {
		if err := ctx.Err(); err != nil {
			return err
		}
		theme := s.cfg.Themes[i%len(s.cfg.Themes)]
		id := fmt.Sprintf("%s-%04d", strings.ReplaceAll(theme, " ", "-"), i)
		w, err := simulate.Simulate(scope.Rand(id), theme, s.cfg.Size)
		if err != nil {
			return fmt.Errorf("world %s: %w", id, err)
		}
		r, err := pipeline.NewRecord(nameWorld, id, SimulatedWorld{scope.Name(), w})
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}
