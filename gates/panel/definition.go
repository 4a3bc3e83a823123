package panel

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// Definition is a gate that asks models, as data. Register is the list of those
// here; Add registers one of a plugin's own.
type Definition struct {
	Name, Version, Summary string
	// Accepts is the schema of the items; empty means questions.
	Accepts string
	// Form is what is asked of an item: Letter, YesNo, Call, Open, Labels, or one of
	// the plugin's own.
	Form Form
	// Precheck judges what follows from the item alone, or is nil. A judgement
	// without an outcome settles nothing.
	Precheck func(*pipeline.Item) pipeline.Judgement
	// ByRule judges an item about which there is something to ask, where the built-in model plays
	// all roles: what a rule proposes, models judge, and without one a narrower rule decides. Nil
	// asks the built-in model.
	ByRule func(*pipeline.Item) pipeline.Judgement
	// Share of the items about which there is something to ask, for forecasts; 0 means all.
	Share float64
	// Labels are those that a question must have to be judged.
	Labels map[string]string
	// Options is the fewest a question must have.
	Options int
	// View is the kind of view to ask under: one, or one for each piece, source or
	// modality. Least is the fewest that tell anything, Few the code of an item
	// with fewer.
	View       string
	MinViews   int
	TooFewCode string
	// Controls are views that the full protocol alone asks under.
	Controls []string
	// Pictures says that the views may show videos, or more pictures than a model
	// takes: then they are taken and fitted.
	Pictures bool
	// WordsAlone says that the built-in rule looks at no picture: none is taken for it.
	WordsAlone bool

	// Rest says that a judge also sees what the evidence leaves out, see view.Settings.
	Rest bool

	// Roles are asked, Rotations placements of the options each, Runs times each.
	Roles           []string
	Rotations, Runs int
	// ByModel asks one model all it is asked under a view before the next. InTurn
	// makes a call again only where the one before gave no usable answer.
	ByModel, InTurn bool

	// Rule is when an item is flagged, over the calls of each view.
	Rule func(views [][]protocol.Call) protocol.Rule
	// Code and Told say what it means that the rule holds; %s in Told stands for
	// the views under which calls were right. Explain says it from the probes
	// instead, where it is set.
	Code, Message string
	Explain       func([]schemas.Probe) (code, reason string, err error)
	// Relabel gives the labels that fit an item which the rule flags under so many
	// views by these probes; it may be nil, and may give none.
	Relabel func(views int, probes []schemas.Probe) map[string]string
	// CleanRate is the chance that a call about a sound item is right, OneView that it
	// is so under one of the views only. For forecasts.
	CleanRate float64
	OneView   bool
	// NeedsAbility says that a verdict against an item tells something only if who was asked could
	// have answered: the guesses of the built-in model are none.
	NeedsAbility bool
}

// Roles of a panel: two models, and one that checks evidence and grades answers.
const (
	roleA     = "panel_a"
	roleB     = "panel_b"
	roleJudge = "judge"
)

// Add registers a gate by its definition.
func Add(r *pipeline.Registry, d Definition) {
	AddAs(r, d, func(c Config) (Config, error) { return c, nil }, func(c *Config) {
		c.EntireTypes = r.TypesWhere(func(t pipeline.QuestionType) bool { return t.ShowsAllMedia })
	})
}

// AddAs is Add for a gate with a narrower configuration.
func AddAs[C any](r *pipeline.Registry, d Definition, config func(C) (Config, error), defaults ...func(*C)) {
	pipeline.AddGate(r, d.Name, d.Version, d.Summary, func(given C) (pipeline.Gate, error) {
		c, err := config(given)
		if err != nil {
			return nil, err
		}
		return New(d, c)
	}, defaults...)
}

// New makes a gate of a definition that depends on a configuration.
func New(d Definition, c Config) (pipeline.Gate, error) { return newGate(d, c) }

// Config of a gate that asks models. What is left empty or 0 is as the table of
// gates has it.
type Config struct {
	Types        []string `json:"types" doc:"question types to judge; empty means all"`
	Roles        []string `json:"roles" doc:"roles to ask; empty means those of the gate (docs/gates.md)"`
	Rotations    int      `json:"rotations" doc:"how many placements of the options each role answers; 0 means the gate's own"`
	Runs         int      `json:"runs" doc:"how often each call is made, for a vote: with the question after, before and around the evidence, then with other samples; 0 means the gate's own"`
	FullProtocol bool     `json:"full_protocol" doc:"ask everything, also what cannot change the verdict"`
	Frames       int      `json:"frames" doc:"most pictures shown of a span of a video"`
	Whole        int      `json:"whole" doc:"most pictures shown of a video that is shown whole"`
	EntireTypes  []string `json:"entire_types" doc:"question types whose evidence tells the answer by its shape: who answers under oracle or all_clues is shown all media instead"`
	MaxPictures  int      `json:"max_pictures" doc:"most pictures shown in one call; lowered to what the models behind the roles take. A view of more is fitted"`
}

// SetDefaults implements pipeline.Defaulter. Entire types are those that are
// declared so.
func (c *Config) SetDefaults() { c.Frames, c.Whole, c.MaxPictures = 8, 32, 32 }

// Bounds of a configuration.
const (
	maxRotations = 26
	maxRuns      = 99
	maxPictures  = 256
)

func (c Config) check(turns bool, known []string) error {
	switch {
	case slices.Contains(c.Types, "") || slices.Contains(c.EntireTypes, ""):
		return fmt.Errorf("types or entire_types holds an empty name; list question types as their questions have them")
	case c.Rotations < 0 || c.Rotations > maxRotations:
		return fmt.Errorf("rotations is %d; want 1 to %d, or 0 for the gate's own", c.Rotations, maxRotations)
	case c.Rotations > 1 && !turns:
		return fmt.Errorf("rotations is %d, but this gate shows no options; raise runs instead", c.Rotations)
	case c.Runs < 0 || c.Runs > maxRuns:
		return fmt.Errorf("runs is %d; want 1 to %d, or 0 for the gate's own", c.Runs, maxRuns)
	case min(c.Frames, c.Whole, c.MaxPictures) < 1 || max(c.Frames, c.Whole, c.MaxPictures) > maxPictures:
		return fmt.Errorf("frames is %d, whole %d and max_pictures %d; want each from 1 to %d", c.Frames, c.Whole, c.MaxPictures, maxPictures)
	}
	for i, r := range c.Roles {
		if !slices.Contains(known, r) || slices.Contains(c.Roles[:i], r) {
			return fmt.Errorf("roles holds %q; want each of %v at most once", r, known)
		}
	}
	return nil
}

type gate struct {
	Definition
	cfg   Config
	tools *media.Tools
	jobs  []Job
	// grader is the form where another model grades the answers, or nil.
	grader Grader
}

func newGate(d Definition, c Config) (*gate, error) {
	if d.Form == nil || d.Rule == nil || d.View == "" || len(d.Roles) == 0 {
		return nil, errors.New("the definition lacks a form, a rule, a view or roles")
	}
	if d.Accepts == "" {
		d.Accepts = schemas.NameQuestion
	}
	d.Rotations, d.Runs = max(d.Rotations, 1), max(d.Runs, 1)
	g := &gate{Definition: d, cfg: c, tools: media.Lazy()}
	var err error
	if g.jobs, err = d.Form.Jobs(); err != nil {
		return nil, err
	}
	g.grader, _ = d.Form.(Grader)
	if err := c.check(d.Rotations > 1 || d.Options > 0, g.jobs[0].Roles()); err != nil {
		return nil, err
	}
	if len(c.Roles) > 0 {
		g.Roles = c.Roles
	}
	if c.Rotations > 0 {
		g.Rotations = c.Rotations
	}
	if c.Runs > 0 {
		g.Runs = c.Runs
	}
	return g, nil
}

// Spec implements pipeline.Gate.
func (g *gate) Spec() pipeline.Spec {
	s := pipeline.Spec{Accepts: []string{g.Accepts}, Resource: pipeline.Model, Types: g.cfg.Types}
	if g.Definition.Pictures {
		s.Tools = []string{"ffmpeg"}
	}
	for _, r := range g.Roles {
		for _, t := range g.jobs {
			ask := t.For(r)
			ask.Optional = g.ByRule != nil
			s.Asks = append(s.Asks, ask)
		}
	}
	if g.grader != nil {
		s.Asks = append(s.Asks, g.grader.GradeJob().For(roleJudge))
	}
	return s
}

// Precheck that a question must pass, as that of an item.
func precheckQuestion(judge func(*schemas.Question) pipeline.Judgement) func(*pipeline.Item) pipeline.Judgement {
	return func(i *pipeline.Item) pipeline.Judgement {
		q, err := pipeline.ItemValue[schemas.Question](i)
		if err != nil {
			return pipeline.GateError.Because("no-question", "%v", err)
		}
		return judge(q)
	}
}

// MaxPictures implements pipeline.Shower.
func (g *gate) MaxPictures() int {
	if !g.Definition.Pictures {
		return 0
	}
	return g.cfg.MaxPictures
}

// LimitPictures implements pipeline.Fitter: views of more pictures are fitted.
func (g *gate) LimitPictures(most int) any {
	c := g.cfg
	c.MaxPictures = min(c.MaxPictures, most)
	return &c
}
