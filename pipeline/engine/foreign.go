package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// ForeignError says that a task was made by another program or on another machine:
// its result would stand under a key that names what did not make it.
type ForeignError struct{ Differs []string }

func (e *ForeignError) Error() string {
	return fmt.Sprintf("the task was made elsewhere (%s); make and run it with one build of memforge and the same tools", strings.Join(e.Differs, "; "))
}

// checkIdentity makes sure that an identity is the one that this program would make.
func checkIdentity(ctx context.Context, r *pipeline.Registry, id pipeline.Identity, spec pipeline.Spec) error {
	own := id
	if err := r.Complete(ctx, &own, spec); err != nil {
		return err
	}
	var e ForeignError
	e.compare("tool", id.Tools, own.Tools)
	e.compare("prompt", digestTexts(id.Prompts), digestTexts(own.Prompts))
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

func digestTexts(m map[string]pipeline.Digest) map[string]string {
	out := map[string]string{}
	for k, d := range m {
		out[k] = string(d)
	}
	return out
}
