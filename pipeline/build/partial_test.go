package build

import (
	"errors"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/run"
)

// One record that is lost to a cause that may pass is enough to release nothing.
func TestOnePassingLossIsPartial(t *testing.T) {
	node := func(name string, lost, passing int) run.Node {
		return run.Node{Step: pipeline.Step{Node: pipeline.Node{Name: name}}, Summary: pipeline.Summary{Lost: lost, Transient: passing}}
	}
	if err := partial([]run.Node{node("a", 0, 0), node("b", 3, 0)}); err != nil {
		t.Errorf("losses for good: %v", err)
	}
	var found *PartialError
	err := partial([]run.Node{node("a", 4, 1), node("b", 3, 0), node("c", 2, 2)})
	if !errors.As(err, &found) || len(found.Nodes) != 2 || found.Nodes[0] != "a" || found.Lost[0] != 1 || found.Nodes[1] != "c" || found.Lost[1] != 2 {
		t.Errorf("%v, want 1 in a and 2 in c", err)
	}
}
