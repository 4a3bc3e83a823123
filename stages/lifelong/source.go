package lifelong

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/stages/lifelong/simulate"
	"github.com/memforge/memforge/stages/lifelong/simulate/agent"
	"github.com/memforge/memforge/stages/lifelong/simulate/speech"
)

// WorldsConfig says what to simulate.
type WorldsConfig struct {
	Domains []string                 `json:"domains" doc:"names of the domains; empty for all seven"`
	Count   int                      `json:"count" doc:"how many worlds of each domain"`
	Counts  map[string]int           `json:"counts" doc:"how many by domain, before count"`
	Size    simulate.Size            `json:"size" doc:"how much each world holds"`
	Sizes   map[string]simulate.Size `json:"sizes" doc:"sizes by domain, and by regime (gui, embodied) of those that have none, before size"`
}

// SetDefaults makes a world of each domain, as dense as the published data and as long.
func (c *WorldsConfig) SetDefaults() {
	c.Count = 1
	c.Size = simulate.Size{Sessions: 29, Facts: 6, Pictures: 3, Interference: 1, Chatter: 3}
}

// SimulatorsConfig says which runs of agents to simulate.
type SimulatorsConfig WorldsConfig

// SetDefaults makes a run in each application and place, as long as the published ones
// are on the average, and with as many pictures.
func (c *SimulatorsConfig) SetDefaults() {
	c.Count = 1
	c.Size = simulate.Size{Sessions: 16, Facts: 2, Pictures: 1, Interference: 1, Chatter: 1, Screens: 81}
}

// simulationBuilder simulates worlds and writes their words, and the steps of agents.
type simulationBuilder struct {
	speech speech.Writer
	agent  agent.Agent
}

func newSimulationBuilder() (simulationBuilder, error) {
	w, err := speech.New()
	if err != nil {
		return simulationBuilder{}, err
	}
	p, err := agent.New()
	return simulationBuilder{w, p}, err
}

// build returns a simulation with its id, world and words. Equal random numbers give
// equal simulations.
func (a simulationBuilder) build(rnd *rand.Rand, id, domain string, size simulate.Size) (Simulation, error) {
	w, err := simulate.Simulate(rnd, domain, size)
	if err != nil {
		return Simulation{}, err
	}
	out := Simulation{ID: id, World: w, Size: size}
	if simulate.Regime(domain) == "" {
		out.Rounds, err = a.speech.Sessions(rnd, w)
		return out, err
	}
	out.World, out.Rounds, err = a.agent.Act(rnd, w, size.Screens)
	return out, err
}

type worldSource struct {
	cfg     WorldsConfig
	builder simulationBuilder
}

func newWorlds(c WorldsConfig) (pipeline.Source, error) { return openWorlds(c, simulate.Domains()) }

func newSimulators(c SimulatorsConfig) (pipeline.Source, error) {
	return openWorlds(WorldsConfig(c), simulate.Agentic())
}

func openWorlds(c WorldsConfig, known []string) (pipeline.Source, error) {
	named := slices.Clone(c.Domains)
	for d := range c.Counts {
		named = append(named, d)
	}
	for d := range c.Sizes {
		named = append(named, d)
	}
	slices.Sort(named)
	var regimes []string
	for _, d := range known {
		regimes = append(regimes, simulate.Regime(d))
	}
	for _, d := range named {
		if _, size := c.Sizes[d]; !slices.Contains(known, d) && (!size || d == "" || !slices.Contains(regimes, d)) {
			return nil, fmt.Errorf("there is no domain %q; there are %q", d, known)
		}
	}
	if len(c.Domains) == 0 {
		c.Domains = known
	}
	for _, d := range c.Domains {
		if n := c.count(d); n < 0 || n > 100_000 {
			return nil, fmt.Errorf("count of %s is %d; want 0 to 100,000", d, n)
		}
		size := c.size(d)
		if err := size.Check(); err != nil {
			return nil, fmt.Errorf("size of %s: %w", d, err)
		}
		if simulate.Regime(d) == "" && size.Screens > 0 {
			return nil, fmt.Errorf("size of %s: screens is %d, and no agent acts in a life; leave it out", d, size.Screens)
		}
	}
	a, err := newSimulationBuilder()
	return worldSource{c, a}, err
}

func (c WorldsConfig) count(domain string) int {
	if n, set := c.Counts[domain]; set {
		return n
	}
	return c.Count
}

func (c WorldsConfig) size(domain string) simulate.Size {
	for _, name := range []string{domain, simulate.Regime(domain)} {
		if s, set := c.Sizes[name]; set {
			return s
		}
	}
	return c.Size
}

// Spec declares what is made.
func (worldSource) Spec() pipeline.Spec {
	return pipeline.Spec{Emits: []string{nameSimulation}, License: license}
}

// Needs nothing.
func (worldSource) Needs() []pipeline.Need { return nil }

// Read emits the simulations. Each has random numbers of its own, so that a further one
// changes none.
func (s worldSource) Read(ctx context.Context, scope *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for _, d := range s.cfg.Domains {
		for i := range s.cfg.count(d) {
			if err := ctx.Err(); err != nil {
				return err
			}
			id := fmt.Sprintf("%s-%04d", d, i)
			l, err := s.builder.build(scope.Rand(id), id, d, s.cfg.size(d))
			if err != nil {
				return fmt.Errorf("world %s: %w", id, err)
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
