package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Node is one source, stage or gate of a plan, fully decided.
type Node struct {
	Name    string    `json:"name"`
	Kind    Kind      `json:"kind"`
	Use     string    `json:"use"`
	Version string    `json:"version"`
	Config  RawConfig `json:"config"`
	From    []string  `json:"from,omitempty"`
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
	Seed    uint64  `json:"seed"`
	Nodes   []Node  `json:"nodes"`
	Release Release `json:"release"`
	// Models are the models behind the roles; a role that is not among them is
	// played by the built-in model.
	Models map[string]ModelIdentity `json:"models,omitempty"`
}

// Digest of everything that can change what is built.
func (p Plan) Digest() (Digest, error) {
	b, err := canonicalJSON(p)
	if err != nil {
		return "", fmt.Errorf("digest of the plan: %w", err)
	}
	return DigestOf(b), nil
}

// Only is the part of the plan that makes one node: it and what it reads,
// directly or not. It reports false where the plan has no such node.
func (p Plan) Only(name string) (Plan, bool) {
	read := map[string]bool{name: true}
	var kept []Node
	for _, n := range slices.Backward(p.Nodes) {
		if !read[n.Name] {
			continue
		}
		for _, up := range n.From {
			read[up] = true
		}
		kept = append(kept, n)
	}
	slices.Reverse(kept)
	p.Nodes, p.Release.From = kept, []string{name}
	return p, len(kept) > 0
}

// fullProtocol is the field of a gate's configuration that makes it ask all it
// may ask.
const fullProtocol = "full_protocol"

// AskEverything is the plan with the full protocol for every gate that has one.
// What such a gate asks beyond its verdict's need changes no verdict.
func (p Plan) AskEverything() (Plan, error) {
	p.Nodes = slices.Clone(p.Nodes)
	for i, n := range p.Nodes {
		if n.Kind != KindGate {
			continue
		}
		var err error
		if p.Nodes[i].Config, err = FullProtocol(n.Config); err != nil {
			return Plan{}, fmt.Errorf("full protocol of gate %s: %w", n.Name, err)
		}
	}
	return p, nil
}

// FullProtocol is a gate's configuration with the full protocol, where it has
// one.
func FullProtocol(c RawConfig) (RawConfig, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(c, &fields); err != nil {
		return nil, err
	}
	if fields[fullProtocol] == nil {
		return c, nil
	}
	fields[fullProtocol] = json.RawMessage("true")
	return canonicalJSON(fields)
}

// Release says what to write at the end of a build.
type Release struct {
	Name    string `json:"name"`
	Version string `json:"version"` // semantic version or "auto"
	Title   string `json:"title,omitempty"`
	// License the maintainer publishes under; must be at least as strict as
	// the strictest of the parts. Empty: that strictest one.
	License string   `json:"license,omitempty"`
	From    []string `json:"from"`
}

// Step is a node together with what its plugin and the machine's tools add:
// all an executor needs.
type Step struct {
	Node
	// Summary is the plugin's own line.
	Summary  string
	Spec     Spec
	Identity Identity
	// Instant says that models answer it at once, from records or by rule: nothing
	// is gained by asking for many items side by side.
	Instant bool
	// Each says that the node's records are units of their own.
	Each bool
	// Needs of a source.
	Needs []Need
}

// Resolve constructs every plugin of the plan and asks the versions of the
// tools they use. All unmet requirements are reported together.
func (p Plan) Resolve(ctx context.Context, reg *Registry) ([]Step, error) {
	var errs []error
	steps := make([]Step, 0, len(p.Nodes))
	for _, n := range p.Nodes {
		step, err := p.resolveNode(ctx, reg, n)
		if _, round := SplitRound(n.Name); err != nil && (round > 1 || round == 1 && n.Kind == KindGate) {
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

func (p Plan) resolveNode(ctx context.Context, reg *Registry, n Node) (Step, error) {
	built, err := reg.build(n)
	if err != nil {
		return Step{}, err
	}
	step := Step{Node: n, Spec: built.Spec(), Each: eachOf(built)}
	if p, ok := reg.Plugin(n.Kind, n.Use); ok {
		step.Summary = p.Summary
	}
	if src, ok := built.(Source); ok {
		step.Needs = src.Needs()
	}
	if step.Spec.Resource == "" {
		step.Spec.Resource = CPU
	}
	step.Identity = Identity{
		Kind: n.Kind, Use: n.Use, Version: n.Version, Config: n.Config, OnFail: n.OnFail, Seed: p.Seed,
	}
	if n.Kind != KindStage {
		step.Identity.Name = n.Name
	}
	for _, a := range step.Spec.Asks {
		if m, ok := p.Models[a.Role]; ok {
			step.Identity.Models = with(step.Identity.Models, a.Role, m)
		}
	}
	if err := reg.complete(ctx, &step.Identity, step.Spec); err != nil {
		return Step{}, err
	}
	return step, nil
}

// specced is what every plugin has in common.
type specced interface{ Spec() Spec }

// build constructs a node's plugin and checks that the plan was made for it.
func (r *Registry) build(n Node) (specced, error) {
	plugin, ok := r.Plugin(n.Kind, n.Use)
	if !ok {
		return nil, fmt.Errorf("no %s is called %q; `memforge %ss list` shows those there are", n.Kind, n.Use, n.Kind)
	}
	if plugin.Version != n.Version {
		return nil, fmt.Errorf("%s %q has version %s here, the task was made for %s; run both with one build of memforge", n.Kind, n.Use, plugin.Version, n.Version)
	}
	built, err := plugin.BuildRaw(n.Config)
	if err != nil {
		return nil, err
	}
	s, ok := built.(specced)
	if !ok {
		return nil, fmt.Errorf("%s %q has no Spec method", n.Kind, n.Use)
	}
	return s, nil
}

func eachOf(plugin any) bool {
	switch p := plugin.(type) {
	case Map:
		return true
	case Gate:
		return !p.Spec().Whole
	}
	return false
}
