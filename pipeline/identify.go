package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Identify completes an identity of which plugin, configuration and models are
// decided with what this program and this machine add: versions of tools, digests
// of prompts, versions of built-in rules and of question checks.
func (r *Registry) Identify(ctx context.Context, id Identity) (Identity, error) {
	built, err := r.build(Node{Kind: id.Kind, Use: id.Use, Version: id.Version, Config: id.Config})
	if err != nil {
		return id, err
	}
	return id, r.complete(ctx, &id, built.Spec())
}

// complete sets what a plugin's Spec makes part of its identity.
func (r *Registry) complete(ctx context.Context, id *Identity, spec Spec) error {
	id.Tools, id.Prompts, id.Rules = nil, nil, nil
	for _, name := range spec.Tools {
		version, err := r.toolVersion(ctx, name)
		if err != nil {
			return err
		}
		id.Tools = with(id.Tools, name, version)
	}
	for _, a := range spec.Asks {
		if a.Prompt != "" {
			id.Prompts = with(id.Prompts, a.Task, a.Prompt)
		}
		if _, live := id.Models[a.Role]; live {
			continue
		}
		rule, ok := r.rules[a.Task]
		if !ok {
			return fmt.Errorf("it asks the role %q for %q, which the built-in model cannot answer; give the role to a model in the roles block%s", a.Role, a.Task, alternative(a))
		}
		id.Rules = with(id.Rules, a.Task, rule.version)
	}
	r.resolveChecks(id, spec)
	return nil
}

// ForeignError says that a task was made by another program or on another machine:
// its result would stand under a key that names what did not make it.
type ForeignError struct{ Differs []string }

func (e *ForeignError) Error() string {
	return fmt.Sprintf("the task was made elsewhere (%s); make and run it with one build of memforge and the same tools", strings.Join(e.Differs, "; "))
}

// owns makes sure that an identity is the one that this program would make.
func (r *Registry) owns(ctx context.Context, id Identity, spec Spec) error {
	own := id
	if err := r.complete(ctx, &own, spec); err != nil {
		return err
	}
	var e ForeignError
	e.compare("tool", id.Tools, own.Tools)
	e.compare("prompt", plain(id.Prompts), plain(own.Prompts))
	e.compare("built-in rule", id.Rules, own.Rules)
	e.compare("question check", id.Checks, own.Checks)
	if len(e.Differs) > 0 {
		return &e
	}
	return nil
}

// compare lists what a task and this program name otherwise.
func (e *ForeignError) compare(what string, task, own map[string]string) {
	names := map[string]bool{}
	for _, m := range []map[string]string{task, own} {
		for name := range m {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if task[name] != own[name] {
			e.Differs = append(e.Differs, fmt.Sprintf("%s %s: %s there, %s here", what, name, orNone(task[name]), orNone(own[name])))
		}
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func plain(m map[string]Digest) map[string]string {
	out := map[string]string{}
	for k, d := range m {
		out[k] = string(d)
	}
	return out
}

// versions are those of tools that were asked: a tool is asked once, since every
// task names its version.
type versions struct {
	mu    sync.Mutex
	known map[string]string
}

func (r *Registry) toolVersion(ctx context.Context, name string) (string, error) {
	ask, ok := r.tools[name]
	if !ok {
		return "", fmt.Errorf("it uses the tool %q, which is not registered", name)
	}
	r.versions.mu.Lock()
	defer r.versions.mu.Unlock()
	if v, ok := r.versions.known[name]; ok {
		return v, nil
	}
	v, err := ask(ctx)
	if err != nil {
		return "", fmt.Errorf("tool %s: %w", name, err)
	}
	r.versions.known[name] = v
	return v, nil
}
