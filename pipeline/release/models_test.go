package release

import "testing"

func TestTheCardSaysWhatIsOneOpinion(t *testing.T) {
	seats := func(b string) []ModelUse {
		return []ModelUse{{Role: "judge", Model: "x", Host: "h"}, {Role: "panel_a", Model: "x", Host: "h"}, {Role: "panel_b", Model: b, Host: "h"}}
	}
	nodes := []NodeModels{
		{Node: "alone", Kind: "gate", Models: seats("x")}, {Node: "alone~1", Kind: "gate", Models: seats("x")},
		{Node: "both", Kind: "gate", Models: seats("y")}, {Node: "last", Kind: "gate", Models: seats("x")},
	}
	const want = "In alone, last the roles panel_a and panel_b were one model, x at h: that they agree is one opinion."
	if got := tellModels(nodes); got != want {
		t.Errorf("%q", got)
	}
	if got := tellModels(nodes[2:3]); got != "" {
		t.Errorf("two models: %q", got)
	}
}
