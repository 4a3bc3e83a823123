package pipeline

import (
	"context"
	"fmt"
	"sync"
)

// Identify completes an identity of which plugin, configuration and models are
// decided with what this program and this machine add: versions of tools, digests
// of prompts, versions of built-in rules and of question checks.
func (r *Registry) Identify(ctx context.Context, id Identity) (Identity, error) {
	built, err := r.Build(id)
	if err != nil {
		return id, err
	}
	return id, r.Complete(ctx, &id, built.Spec())
}

// Complete is Identify for who has the plugin's Spec.
func (r *Registry) Complete(ctx context.Context, id *Identity, spec Spec) error {
	id.Tools, id.Prompts, id.Rules = nil, nil, nil
	for _, name := range spec.Tools {
		version, err := r.toolVersion(ctx, name)
		if err != nil {
			return err
		}
		id.Tools = setEntry(id.Tools, name, version)
	}
	for _, a := range spec.Asks {
		if a.Prompt != "" {
			id.Prompts = setEntry(id.Prompts, a.Task, a.Prompt)
		}
		if _, live := id.Models[a.Role]; live {
			continue
		}
		rule, ok := r.rules[a.Task]
		if !ok {
			return fmt.Errorf("it asks the role %q for %q, which the built-in model cannot answer; give the role to a model in the roles block%s", a.Role, a.Task, otherwiseText(a))
		}
		id.Rules = setEntry(id.Rules, a.Task, rule.version)
	}
	r.resolveChecks(id, spec)
	return nil
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
