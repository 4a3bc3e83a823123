// Package panel holds the gates that ask models: each is a view (what a solver
// sees), a protocol (whom to ask, how often) and a rule (when to flag). The
// table in gates.go is the list of them.
//
// A gate asks no more than its rule needs: it stops as soon as no further
// answer can change the verdict, which is that of the full protocol. Each call
// is a probe, and the verdict follows from the probes alone (Recompute).
package panel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Register adds the gates and the built-in model's rules for their tasks.
func Register(r *pipeline.Registry) {
	w := wording{
		answer:  sync.OnceValues(func() (*answerTask, error) { return model.NewTask[answerInput, answerGiven](taskAnswer) }),
		support: sync.OnceValues(func() (*supportTask, error) { return model.NewTask[supportInput, supportGiven](taskSupport) }),
		contradiction: sync.OnceValues(func() (*contradictionTask, error) {
			return model.NewTask[supportInput, contradictionGiven](taskContradiction)
		}),
	}
	for _, d := range definitions() {
		pipeline.AddGate(r, d.name, "8", d.summary, func(c Config) (pipeline.Gate, error) { return newGate(d, c, w) })
	}
	r.AddRule(taskAnswer, "1", guessAnswer)
	r.AddRule(taskSupport, "2", guessSupport)
	r.AddRule(taskContradiction, "1", guessContradiction)
}

// Config of a gate that asks models. What is left empty or 0 is as the table of
// gates has it.
type Config struct {
	Types        []string `yaml:"types" json:"types" doc:"question types to judge; empty means all"`
	Roles        []string `yaml:"roles" json:"roles" doc:"roles to ask; empty means those of the gate (docs/gates.md)"`
	Rotations    int      `yaml:"rotations" json:"rotations" doc:"how many placements of the options each role answers; 0 means the gate's own"`
	Runs         int      `yaml:"runs" json:"runs" doc:"how often each call is made, for a vote: with the question after, before and around the evidence, then with other samples; 0 means the gate's own"`
	FullProtocol bool     `yaml:"full_protocol" json:"full_protocol" doc:"ask everything, also what cannot change the verdict"`
	Frames       int      `yaml:"frames" json:"frames" doc:"most pictures shown of a span of a video"`
	Whole        int      `yaml:"whole" json:"whole" doc:"most pictures shown of a video that is shown whole"`
	EntireTypes  []string `yaml:"entire_types" json:"entire_types" doc:"question types whose evidence tells the answer by its shape: who answers under oracle or all_clues is shown all media instead"`
	MaxPictures  int      `yaml:"max_pictures" json:"max_pictures" doc:"most pictures shown in one call; lowered to what the models behind the roles take. A view of more is fitted"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() {
	c.Frames, c.Whole, c.MaxPictures = 8, 32, 32
	c.EntireTypes = []string{schemas.TypeFalseMemory, schemas.TypeSourceMemory}
}

// Bounds of a configuration.
const (
	mostRotations = 26
	mostRuns      = 99
	mostPictures  = 256
)

func (c Config) check(d definition, known []string) error {
	switch {
	case slices.Contains(c.Types, "") || slices.Contains(c.EntireTypes, ""):
		return fmt.Errorf("types or entire_types holds an empty name; list question types, for example %q", schemas.TypeInterference)
	case c.Rotations < 0 || c.Rotations > mostRotations:
		return fmt.Errorf("rotations is %d; want 1 to %d, or 0 for the gate's own", c.Rotations, mostRotations)
	case c.Rotations > 1 && d.form == formSupport:
		return fmt.Errorf("rotations is %d, but this gate shows no options; raise runs instead", c.Rotations)
	case c.Runs < 0 || c.Runs > mostRuns:
		return fmt.Errorf("runs is %d; want 1 to %d, or 0 for the gate's own", c.Runs, mostRuns)
	case min(c.Frames, c.Whole, c.MaxPictures) < 1 || max(c.Frames, c.Whole, c.MaxPictures) > mostPictures:
		return fmt.Errorf("frames is %d, whole %d and max_pictures %d; want each from 1 to %d", c.Frames, c.Whole, c.MaxPictures, mostPictures)
	}
	for i, r := range c.Roles {
		if !slices.Contains(known, r) || slices.Contains(c.Roles[:i], r) {
			return fmt.Errorf("roles holds %q; want each of %v at most once", r, known)
		}
	}
	return nil
}

type (
	answerTask        = model.Task[answerInput, answerGiven]
	supportTask       = model.Task[supportInput, supportGiven]
	contradictionTask = model.Task[supportInput, contradictionGiven]
)

// wording gives the tasks of the gates. Prompts are parsed and schemas compiled
// once: every batch of items has a gate of its own.
type wording struct {
	answer        func() (*answerTask, error)
	support       func() (*supportTask, error)
	contradiction func() (*contradictionTask, error)
}

// gate is a definition under a configuration.
type gate struct {
	definition
	cfg   Config
	tools *media.Tools
	// Those of the form: answer, or support and, for what is said to occur
	// nowhere, contradiction.
	answer        *answerTask
	support       *supportTask
	contradiction *contradictionTask
}

func newGate(d definition, c Config, w wording) (pipeline.Gate, error) {
	g := &gate{definition: d, cfg: c, tools: media.Lazy()}
	roles, err := g.take(w)
	if err != nil {
		return nil, err
	}
	if err := c.check(d, roles); err != nil {
		return nil, err
	}
	if len(c.Roles) > 0 {
		g.roles = c.Roles
	}
	if c.Rotations > 0 {
		g.rotations = c.Rotations
	}
	if c.Runs > 0 {
		g.runs = c.Runs
	}
	return g, nil
}

// take takes the task of the gate's form and returns the roles it is for.
func (g *gate) take(w wording) (roles []string, err error) {
	if g.form == formSupport {
		if g.support, err = w.support(); err != nil {
			return nil, err
		}
		if g.contradiction, err = w.contradiction(); err != nil {
			return nil, err
		}
		return g.support.Roles(), nil
	}
	if g.answer, err = w.answer(); err != nil {
		return nil, err
	}
	return g.answer.Roles(), nil
}

// Spec implements pipeline.Gate.
func (g *gate) Spec() pipeline.Spec {
	s := pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Resource: pipeline.Model, Types: g.cfg.Types}
	if g.pictures {
		s.Tools = []string{"ffmpeg"}
	}
	for _, r := range g.roles {
		if g.form == formSupport {
			s.Asks = append(s.Asks, g.support.For(r), g.contradiction.For(r))
		} else {
			s.Asks = append(s.Asks, g.answer.For(r))
		}
	}
	return s
}

// Judge implements pipeline.Gate.
func (g *gate) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	out := make([]pipeline.Judgement, len(items))
	for i, r := range items {
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			return nil, err
		}
		if out[i], err = g.judge(ctx, scope, r.ID, &q); err != nil {
			return nil, fmt.Errorf("gate %s on %q: %w", g.name, r.ID, err)
		}
	}
	return out, nil
}

func (g *gate) judge(ctx context.Context, scope *pipeline.Scope, id string, q *schemas.Question) (pipeline.Judgement, error) {
	views, settled := g.settle(q)
	if settled != nil {
		return *settled, nil
	}
	s := &sitting{gate: g, scope: scope, question: q, views: views, taken: map[view.Picture][]pipeline.Digest{}, put: map[placed]put{}}
	order := g.drawn(scope, id, len(views))
	_, _, err := protocol.Run(g.rule(len(views)), order, g.cfg.FullProtocol, func(call int) (protocol.Mark, error) { return s.ask(ctx, call) })
	var unseen *unseenError
	switch {
	case errors.As(err, &unseen):
		return gateError("no-picture-taken", "%v", unseen), nil
	case err != nil:
		return pipeline.Judgement{}, err
	case s.waiting != nil:
		return pipeline.Judgement{}, s.waiting
	}
	return g.Recompute(q, s.probes, len(order))
}

// perView is how many calls one view takes.
func (g *gate) perView() int { return len(g.roles) * g.rotations * g.runs }

// calls is the shape of the protocol over each view.
func (g *gate) calls(views int) []protocol.Calls {
	out := make([]protocol.Calls, views)
	for i := range out {
		out[i] = protocol.Calls{First: i * g.perView(), Models: len(g.roles), Rotations: g.rotations, Runs: g.runs}
	}
	return out
}

// rule is when the item is flagged. The last views are controls: the full
// protocol asks under them, and the verdict does not rest on them.
func (g *gate) rule(views int) protocol.Rule {
	return g.flagged(g.calls(views - len(g.controls)))
}

// drawn is the order of the calls about an item.
func (g *gate) drawn(scope *pipeline.Scope, id string, views int) []int {
	return g.order(views, scope.Rand("order", id).Perm)
}

// order draws the order of the calls for each item: view by view, so that one
// view is done with before the next, and within a view model by model where the
// rule counts each model's right answers. Elsewhere models take turns by lot,
// so that one which never finds the answer is soon asked.
func (g *gate) order(views int, perm func(int) []int) []int {
	blocks, each := 1, g.perView()
	if g.byModel {
		blocks, each = len(g.roles), g.rotations*g.runs
	}
	var out []int
	for _, v := range perm(views) {
		for _, b := range perm(blocks) {
			for _, c := range perm(each) {
				out = append(out, v*g.perView()+b*each+c)
			}
		}
	}
	return out
}

func fail(code, format string, args ...any) *pipeline.Judgement {
	return &pipeline.Judgement{Outcome: pipeline.Fail, Code: code, Reason: code + ": " + fmt.Sprintf(format, args...)}
}

// notApplicable is for items of a kind that the gate does not judge.
func notApplicable(code, format string, args ...any) *pipeline.Judgement {
	return &pipeline.Judgement{Outcome: pipeline.NotApplicable, Code: code, Reason: code + ": " + fmt.Sprintf(format, args...)}
}

// insufficient is for items that lack what the gate would judge them by.
func insufficient(code, format string, args ...any) *pipeline.Judgement {
	return &pipeline.Judgement{Outcome: pipeline.Insufficient, Code: code, Reason: code + ": " + fmt.Sprintf(format, args...)}
}

func gateError(code, format string, args ...any) pipeline.Judgement {
	return pipeline.Judgement{Outcome: pipeline.GateError, Code: code, Reason: code + ": " + fmt.Sprintf(format, args...)}
}
