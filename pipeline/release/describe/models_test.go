package describe

import (
	"testing"

	"github.com/memforge/memforge/pipeline/release/manifest"
)

func TestTheCardSaysWhatIsOneOpinion(t *testing.T) {
	seats := func(b string) []manifest.ModelUse {
		return []manifest.ModelUse{{Role: "judge", Model: "x", Host: "h"}, {Role: "panel_a", Model: "x", Host: "h"}, {Role: "panel_b", Model: b, Host: "h"}}
	}
	nodes := []manifest.StepModels{
		{Step: "alone", Kind: "gate", Models: seats("x")}, {Step: "alone~1", Kind: "gate", Models: seats("x")},
		{Step: "both", Kind: "gate", Models: seats("y")}, {Step: "last", Kind: "gate", Models: seats("x")},
	}
	const want = "In alone, last the roles panel_a and panel_b were one model, x at h: that they agree is one opinion."
	if got := describeModels(nodes); got != want {
		t.Errorf("%q", got)
	}
	if got := describeModels(nodes[2:3]); got != "" {
		t.Errorf("two models: %q", got)
	}
}
