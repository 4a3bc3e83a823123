// Package engine is what any executor of a build calls: a Plan is resolved to
// steps, State says which tasks are ready, Execute runs one and owns its effects.
// What runs when is the executor's.
package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// PlanStep is one source, stage or gate of a plan, fully decided.
type PlanStep struct {
	Name    string             `json:"name"`
	Kind    pipeline.Kind      `json:"kind"`
	Use     string             `json:"use"`
	Version string             `json:"version"`
	Config  pipeline.RawConfig `json:"config"`
	From    []string           `json:"from,omitempty"`
	// OnFail is what becomes of an item that a gate flags: one of OnFail....
	OnFail string `json:"on_fail,omitempty"`
	// MaxLoss is the share of inputs (0 to 1) the node may lose.
	MaxLoss float64 `json:"max_loss"`
	// MaxInsufficient is the share (0 to 1) of the items that a gate applies to
	// which it may leave without a judgement; nil means any as long as it judges
	// one. See Verdicts.Check.
	MaxInsufficient *float64 `json:"max_insufficient,omitempty"`
}

// Plan is a build as data: nodes in topological order, sorted by name where
// the order is free.
type Plan struct {
	Seed    uint64           `json:"seed"`
	Steps   []PlanStep       `json:"nodes"`
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

// Only is the part of the plan that makes one node: it and what it reads,
// directly or not. It reports false where the plan has no such node.
func (p Plan) Only(name string) (Plan, bool) {
	read := map[string]bool{name: true}
	var kept []PlanStep
	for _, n := range slices.Backward(p.Steps) {
		if !read[n.Name] {
			continue
		}
		for _, up := range n.From {
			read[up] = true
		}
		kept = append(kept, n)
	}
	slices.Reverse(kept)
	p.Steps, p.Release.From = kept, []string{name}
	return p, len(kept) > 0
}

// fullProtocol is the field of a gate's configuration that makes it ask all it
// may ask.
const fullProtocol = "full_protocol"

// AskEverything is the plan with the full protocol for every gate that has one.
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

// FullProtocol is a gate's configuration with the full protocol, where it has
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

// Step is a node together with what its plugin and the machine's tools add:
// all an executor needs.
type Step struct {
	PlanStep
	// Summary is the plugin's own line.
	Summary  string
	Spec     pipeline.Spec
	Identity pipeline.Identity
	// Instant says that models answer it at once, from records or by rule: nothing
	// is gained by asking for many items side by side.
	Instant bool
	// Each says that the node's records are units of their own.
	Each bool
	// Needs of a source.
	Needs []pipeline.Need
}

// Resolve constructs every plugin of the plan and asks the versions of the
// tools they use. All unmet requirements are reported together.
func (p Plan) Resolve(ctx context.Context, reg *pipeline.Registry) ([]Step, error) {
	var errs []error
	steps := make([]Step, 0, len(p.Steps))
	for _, n := range p.Steps {
		step, err := p.resolveStep(ctx, reg, n)
		if _, round := pipeline.SplitRound(n.Name); err != nil && (round > 1 || round == 1 && n.Kind == pipeline.KindGate) {
			continue // said of the node before already
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("node %s: %w", n.Name, err))
			continue
		}
		steps = append(steps, step)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return steps, nil
}

func (p Plan) resolveStep(ctx context.Context, reg *pipeline.Registry, n PlanStep) (Step, error) {
	id := pipeline.Identity{Kind: n.Kind, Use: n.Use, Version: n.Version, Config: n.Config, OnFail: n.OnFail, Seed: p.Seed}
	built, err := reg.Build(id)
	if err != nil {
		return Step{}, err
	}
	step := Step{PlanStep: n, Spec: built.Spec(), Identity: id, Each: eachOf(built)}
	if p, ok := reg.Plugin(n.Kind, n.Use); ok {
		step.Summary = p.Summary
	}
	if src, ok := built.(pipeline.Source); ok {
		step.Needs = src.Needs()
	}
	if step.Spec.Resource == "" {
		step.Spec.Resource = pipeline.CPU
	}
	if n.Kind != pipeline.KindStage {
		step.Identity.Name = n.Name
	}
	for _, a := range step.Spec.Asks {
		if m, ok := p.Models[a.Role]; ok {
			if step.Identity.Models == nil {
				step.Identity.Models = map[string]pipeline.ModelIdentity{}
			}
			step.Identity.Models[a.Role] = m
		}
	}
	if err := reg.Complete(ctx, &step.Identity, step.Spec); err != nil {
		return Step{}, err
	}
	return step, nil
}

func eachOf(plugin any) bool {
	switch p := plugin.(type) {
	case pipeline.Map:
		return true
	case pipeline.Gate:
		return !p.Spec().Whole
	}
	return false
}
