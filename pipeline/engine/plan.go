// Package engine is what any executor of a build calls: a Plan is resolved to
// steps, State says which tasks are ready, Execute runs one and owns its effects.
// What runs when is the executor's.
package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// Step is one source, stage or gate of a plan, fully decided. Plan.Resolve adds what its
// plugin and the machine's tools say: then it is all an executor needs.
type Step struct {
	Name    string             `json:"name"`
	Kind    pipeline.Kind      `json:"kind"`
	Use     string             `json:"use"`
	Version string             `json:"version"`
	Config  pipeline.RawConfig `json:"config"`
	From    []string           `json:"from,omitempty"`
	// OnFail is what becomes of an item that a gate flags: one of OnFail....
	OnFail string `json:"on_fail,omitempty"`
	// KeepBecause is why a gate keeps written content that a model finds faulty.
	KeepBecause string `json:"keep_because,omitempty"`
	// MaxLoss is the share of inputs (0 to 1) the step may lose.
	MaxLoss float64 `json:"max_loss"`
	// MaxInsufficient is the share (0 to 1) of the items that a gate applies to
	// which it may leave without a judgement; nil means any as long as it judges
	// one. See Verdicts.Check.
	MaxInsufficient *float64 `json:"max_insufficient,omitempty"`

	// Summary is the plugin's own line.
	Summary  string            `json:"-"`
	Spec     pipeline.Spec     `json:"-"`
	Identity pipeline.Identity `json:"-"`
	// Instant says that models answer it at once, from records or by rule: nothing
	// is gained by asking for many items side by side.
	Instant bool `json:"-"`
	// Each says that the step's records are units of their own.
	Each bool `json:"-"`
	// Needs of a source.
	Needs []pipeline.Need `json:"-"`
}

// Plan is a build as data: steps in topological order, sorted by name where
// the order is free.
type Plan struct {
	Seed    uint64           `json:"seed"`
	Steps   []Step           `json:"nodes"`
	Release pipeline.Release `json:"release"`
	// Models are the models behind the roles; a role that is not among them is
	// played by the built-in model.
	Models map[string]pipeline.ModelIdentity `json:"models,omitempty"`
}

// Digest of everything that can change what is built.
func (p Plan) Digest() (pipeline.Digest, error) {
	b, err := pipeline.Canonical(p)
	if err != nil {
		return "", fmt.Errorf("digest of the plan: %w", err)
	}
	return pipeline.DigestOf(b), nil
}

// Only returns the part of the plan that makes one step: it and what it reads,
// directly or not. It reports false where the plan has no such step.
func (p Plan) Only(name string) (Plan, bool) {
	read := p.Upstream([]string{name})
	var kept []Step
	for _, s := range p.Steps {
		if read[s.Name] {
			kept = append(kept, s)
		}
	}
	p.Steps, p.Release.From = kept, []string{name}
	return p, len(kept) > 0
}

// Upstream returns the steps that some read, directly or not, and these.
func (p Plan) Upstream(names []string) map[string]bool {
	read := map[string]bool{}
	for _, name := range names {
		read[name] = true
	}
	for _, s := range slices.Backward(p.Steps) {
		for _, from := range s.From {
			read[from] = read[from] || read[s.Name]
		}
	}
	return read
}

// fullProtocol is the field of a gate's configuration that makes it ask all it
// may ask.
const fullProtocol = "full_protocol"

// AskEverything returns the plan with the full protocol for every gate that has one.
// What such a gate asks beyond its verdict's need changes no verdict.
func (p Plan) AskEverything() (Plan, error) {
	p.Steps = slices.Clone(p.Steps)
	for i, n := range p.Steps {
		if n.Kind != pipeline.KindGate {
			continue
		}
		var err error
		if p.Steps[i].Config, err = FullProtocol(n.Config); err != nil {
			return Plan{}, fmt.Errorf("full protocol of gate %s: %w", n.Name, err)
		}
	}
	return p, nil
}

// FullProtocol returns a gate's configuration with the full protocol, where it has
// one.
func FullProtocol(c pipeline.RawConfig) (pipeline.RawConfig, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(c, &fields); err != nil {
		return nil, err
	}
	if fields[fullProtocol] == nil {
		return c, nil
	}
	fields[fullProtocol] = json.RawMessage("true")
	return pipeline.Canonical(fields)
}

// Resolve constructs every plugin of the plan and asks the versions of the
// tools they use. All unmet requirements are reported together.
func (p Plan) Resolve(ctx context.Context, reg *pipeline.Registry) ([]Step, error) {
	var errs []error
	steps := make([]Step, 0, len(p.Steps))
	for _, s := range p.Steps {
		s.Identity = pipeline.Identity{Kind: s.Kind, Use: s.Use, Version: s.Version, Config: s.Config, OnFail: s.OnFail, Seed: p.Seed}
		if s.Kind != pipeline.KindStage {
			s.Identity.Name = s.Name
		}
		built, err := reg.Build(s.Identity)
		if err == nil {
			if info, ok := reg.Plugin(s.Kind, s.Use); ok {
				s.Summary = info.Summary
			}
			if src, ok := built.(pipeline.Source); ok {
				s.Needs = src.Needs()
			}
			s.Spec = built.Spec()
			s.Spec.Resource = cmp.Or(s.Spec.Resource, pipeline.CPU)
			_, isMap := built.(pipeline.Map)
			_, isGate := built.(pipeline.Gate)
			s.Each = isMap || isGate && !s.Spec.Whole
			for _, ask := range s.Spec.Asks {
				if m, ok := p.Models[ask.Role]; ok {
					if s.Identity.Models == nil {
						s.Identity.Models = map[string]pipeline.ModelIdentity{}
					}
					s.Identity.Models[ask.Role] = m
				}
			}
			err = reg.Complete(ctx, &s.Identity, s.Spec)
		}
		if _, round := pipeline.SplitRound(s.Name); err != nil && (round > 1 || round == 1 && s.Kind == pipeline.KindGate) {
			continue // said of the step before already
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("step %s: %w", s.Name, err))
			continue
		}
		steps = append(steps, s)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return steps, nil
}

// Loop is a row of gates whose flagged items are rewritten and judged again
// from the first of them on.
type Loop struct {
	// Gates in their order, and those of them that have items rewritten.
	Gates, Revising []string
	// Use is the plugin that rewrites.
	Use    string
	Rounds int
}

// Loops lists the loops that the plan spells out, in its order.
func (p Plan) Loops() []Loop {
	var out []Loop
	for _, n := range p.Steps {
		head, round, ok := pipeline.SplitReviser(n.Name)
		if !ok || round != 1 {
			continue
		}
		l := Loop{Gates: []string{head}, Revising: append(p.revising(pipeline.FlagsName(head, 1)), p.revising(pipeline.GathererName(head, 1))...), Use: n.Use, Rounds: 1}
		for p.has(pipeline.ReviserName(head, l.Rounds+1)) {
			l.Rounds++
		}
		for at := head; at != ""; {
			if at = p.copyAfter(at); at != "" {
				l.Gates = append(l.Gates, at)
			}
		}
		out = append(out, l)
	}
	return out
}

// revising returns the gates that a step reads and that have items rewritten.
func (p Plan) revising(node string) []string {
	var out []string
	i := slices.IndexFunc(p.Steps, func(n Step) bool { return n.Name == node })
	if i < 0 {
		return nil
	}
	for _, from := range p.Steps[i].From {
		if slices.ContainsFunc(p.Steps, func(n Step) bool { return n.Name == from && n.OnFail == pipeline.OnFailRevise }) {
			out = append(out, from)
		}
	}
	return out
}

func (p Plan) has(name string) bool {
	return slices.ContainsFunc(p.Steps, func(n Step) bool { return n.Name == name })
}

// copyAfter returns the gate whose copy of the first round reads the copy of gate.
func (p Plan) copyAfter(gate string) string {
	for _, n := range p.Steps {
		written, round := pipeline.SplitRound(n.Name)
		if round == 1 && n.Kind == pipeline.KindGate && slices.Equal(n.From, []string{pipeline.RoundName(gate, 1)}) {
			return written
		}
	}
	return ""
}

func (l Loop) String() string {
	again := "starts again at " + l.Gates[0]
	if len(l.Gates) > 1 {
		again += " (then " + strings.Join(l.Gates[1:], ", ") + ")"
	}
	return fmt.Sprintf("what %s flags is rewritten by %s and %s; rounds: up to %d", strings.Join(l.Revising, ", "), l.Use, again, l.Rounds)
}
