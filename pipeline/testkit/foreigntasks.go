package testkit

import (
	"errors"
	"maps"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// checkForeignTasks gives out tasks whose tools, prompts or rules are not those of this
// program: a result under their keys would be named after what did not make it.
func (f *fixture) checkForeignTasks(t *testing.T) {
	for name, change := range map[string]func(*pipeline.Identity){
		"tools":   func(id *pipeline.Identity) { id.Tools = withChange(id.Tools, "another version") },
		"prompts": func(id *pipeline.Identity) { id.Prompts = withChange(id.Prompts, pipeline.DigestOf(nil)) },
		"rules":   func(id *pipeline.Identity) { id.Rules = withChange(id.Rules, "another version") },
	} {
		task := f.task
		change(&task.Identity)
		st := f.newStore(t)
		_, err := f.execute(t.Context(), t, st, task)
		var refused *engine.ForeignError
		if !errors.As(err, &refused) {
			t.Errorf("%s of another program: error %v", name, err)
		}
		other := *f
		other.task = task
		other.checkNothingStored(t, st)
	}
}

// withChange is a map with other values, or with one entry more where it is empty.
func withChange[V any](m map[string]V, v V) map[string]V {
	out := maps.Clone(m)
	for k := range out {
		out[k] = v
	}
	if len(out) == 0 {
		out = map[string]V{"another": v}
	}
	return out
}
