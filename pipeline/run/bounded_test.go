package run

import (
	"errors"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// TestCopiesOfAGateMayJudgeNothing: they see the few items that were rewritten.
func TestCopiesOfAGateMayJudgeNothing(t *testing.T) {
	none := &pipeline.Verdicts{}
	none.Add(schemas.Verdict{Outcome: schemas.NotApplicable, Reason: "other-type: x"})
	node := func(name string, v *pipeline.Verdicts) *Node {
		n := &Node{Summary: pipeline.Summary{In: 1, Out: 1, Verdicts: v}}
		n.Step.Name, n.Step.Kind = name, pipeline.KindGate
		return n
	}
	var e *pipeline.UnjudgedError
	if err := (&runner{}).bounded(node("blind", none)); !errors.As(err, &e) || e.Gate != "blind" {
		t.Errorf("the gate itself: %v", err)
	}
	for name, v := range map[string]*pipeline.Verdicts{pipeline.RoundName("blind", 1): none, "empty": {}, "stage": nil} {
		if err := (&runner{}).bounded(node(name, v)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
