package engine

import (
	"errors"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// TestCopiesOfAGateMayJudgeNothing: they see the few items that were rewritten.
func TestCopiesOfAGateMayJudgeNothing(t *testing.T) {
	none := &VerdictCounts{}
	none.Add(schemas.Verdict{Outcome: schemas.NotApplicable, Reason: "other-type: x"})
	node := func(name string, v *VerdictCounts) *StepRun {
		n := &StepRun{Summary: Summary{In: 1, Out: 1, Verdicts: v}}
		n.Step.Name, n.Step.Kind = name, pipeline.KindGate
		return n
	}
	var e *UnjudgedError
	if err := (&Scheduler{}).checkLosses(node("blind", none)); !errors.As(err, &e) || e.Gate != "blind" {
		t.Errorf("the gate itself: %v", err)
	}
	for name, v := range map[string]*VerdictCounts{pipeline.RoundName("blind", 1): none, "empty": {}, "stage": nil} {
		if err := (&Scheduler{}).checkLosses(node(name, v)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
