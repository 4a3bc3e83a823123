// Package life simulates stretches of somebody's life: what changes in a symbolic
// world, which pictures are taken of it, and in which sessions they are talked
// about. Eight scenarios (MemEye A.1, tables 3 and 4) are of one shape, so one
// renderer draws them and one set of question forms asks about them.
package simulate

import (
	"embed"
	"fmt"
	"math/rand/v2"

	"github.com/memforge/memforge/pipeline/kit/grammar"
	"github.com/memforge/memforge/pipeline/kit/simulation"
	"github.com/memforge/memforge/stages/visual/scene"
)

//go:embed talk/*.txt
var grammars embed.FS

// Scenario is a kind of life.
type Scenario struct {
	// Name is as in configurations, Title as a reader has it, Domain one of
	// leisure, domestic, professional and personal (table 4).
	Name, Title, Domain string
	// Size is that of the published benchmark (table 3).
	Size Size
	// Plot simulates a world and says what each of so many pictures shows.
	Plot func(rnd *rand.Rand, pictures int) (Plot, error)
}

// Size of a task.
type Size struct {
	Sessions  int `json:"sessions"`
	Rounds    int `json:"rounds"`
	Pictures  int `json:"pictures"`
	Questions int `json:"questions"`
}

// Plot is what happens, without the words that people make about it.
type Plot struct {
	// Profile is who keeps the conversation: name, occupation and what else the
	// scenario has.
	Profile map[string]string
	// World has the moments of the scenes: that of a scene is its place in Scenes.
	World *simulation.Timeline
	// Scenes are the pictures, in the order of time.
	Scenes []scene.Scene
	// Pools have values that an aspect could have, for wrong options: by aspect, or
	// by "aspect:class" for things of a class.
	Pools map[string][]string
}

// Scenarios are the eight, in the order of table 3.
func Scenarios() []Scenario {
	return []Scenario{
		homeScenario(),
		brandScenario(),
		cardScenario(),
		cartoonScenario(),
		archiveScenario(),
		townScenario(),
		healthScenario(),
		chatScenario(),
	}
}

// Simulation is a plot with its conversation: the record that a source gives.
type Simulation struct {
	Scenario string              `json:"scenario"`
	Profile  map[string]string   `json:"profile"`
	Sessions []Session           `json:"sessions"`
	Scenes   []scene.Scene       `json:"scenes"`
	Events   []simulation.Event  `json:"events"`
	Pools    map[string][]string `json:"pools"`
}

// Session is a day's conversation.
type Session struct {
	Date   string  `json:"date"` // 2025-03-12
	Rounds []Round `json:"rounds"`
}

// Round is what the user says and what the assistant answers. Scene is the place of
// the picture that comes with it, -1 where none does.
type Round struct {
	User      string `json:"user"`
	Assistant string `json:"assistant"`
	Scene     int    `json:"scene"`
}

// Simulate makes a life of a size. It fails where the plot contradicts itself,
// which no seed may bring about.
func (s Scenario) Simulate(rnd *rand.Rand, size Size) (Simulation, error) {
	if err := size.Check(); err != nil {
		return Simulation{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	plot, err := s.Plot(rnd, size.Pictures)
	if err != nil {
		return Simulation{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	if err := plot.check(size); err != nil {
		return Simulation{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	l := Simulation{Scenario: s.Name, Profile: plot.Profile, Scenes: plot.Scenes, Events: plot.World.Events(), Pools: plot.Pools}
	if l.Sessions, err = s.writeSessions(rnd, plot, size); err != nil {
		return Simulation{}, fmt.Errorf("scenario %s: %w", s.Name, err)
	}
	return l, nil
}

// Check says what no life can be like.
func (s Size) Check() error {
	if s.Sessions < 1 || s.Pictures < 1 || s.Rounds < s.Pictures || s.Rounds < s.Sessions {
		return fmt.Errorf("%d sessions, %d rounds, %d pictures: want at least one of each, and a round for every session and every picture", s.Sessions, s.Rounds, s.Pictures)
	}
	if s.Rounds > 100_000 {
		return fmt.Errorf("%d rounds: want at most 100,000 in a task; make several tasks", s.Rounds)
	}
	return nil
}

// check holds scenes against the world: what a picture tells is true at its moment.
func (p Plot) check(size Size) error {
	if len(p.Scenes) != size.Pictures {
		return fmt.Errorf("%d scenes, want %d", len(p.Scenes), size.Pictures)
	}
	for at, s := range p.Scenes {
		if err := s.Check(); err != nil {
			return fmt.Errorf("picture %d: %w", at, err)
		}
		for _, t := range s.NamedThings() {
			for _, a := range t.Tells {
				if truth := p.World.At(at, simulation.Key{Entity: t.Name, Aspect: a}); truth != t.Look[a] {
					return fmt.Errorf("picture %d: the %s of %s is drawn as %q and is %q", at, a, t.Name, t.Look[a], truth)
				}
			}
		}
	}
	return nil
}

// loadGrammar is the scenario's grammar: rules shown, reply, aside and answer, and what is
// said in any life: kept, tail and also.
func (s Scenario) loadGrammar() (grammar.Grammar, error) {
	text, err := grammars.ReadFile("talk/" + s.Name + ".txt")
	if err != nil {
		return grammar.Grammar{}, fmt.Errorf("talk of scenario %s: %w", s.Name, err)
	}
	common, err := grammars.ReadFile("talk/common.txt")
	if err != nil {
		return grammar.Grammar{}, fmt.Errorf("talk of any scenario: %w", err)
	}
	return grammar.Parse(string(text) + "\n" + string(common))
}
