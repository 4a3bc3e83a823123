package assemble

import (
	"errors"
	"testing"

	"github.com/memforge/memforge/pipeline/engine"
)

// One record that is lost to a cause that may pass is enough to release nothing.
func TestOnePassingLossIsPartial(t *testing.T) {
	node := func(name string, lost, passing int) engine.StepRun {
		return engine.StepRun{Step: engine.Step{Name: name}, Summary: engine.Summary{Lost: lost, Transient: passing}}
	}
	if err := checkPartial([]engine.StepRun{node("a", 0, 0), node("b", 3, 0)}); err != nil {
		t.Errorf("losses for good: %v", err)
	}
	var found *PartialError
	err := checkPartial([]engine.StepRun{node("a", 4, 1), node("b", 3, 0), node("c", 2, 2)})
	if !errors.As(err, &found) || len(found.Steps) != 2 || found.Steps[0] != "a" || found.Lost[0] != 1 || found.Steps[1] != "c" || found.Lost[1] != 2 {
		t.Errorf("%v, want 1 in a and 2 in c", err)
	}
}
