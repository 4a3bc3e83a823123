package pipeline

import "testing"

func TestSplitRound(t *testing.T) {
	for name, want := range map[string]struct {
		node  string
		round int
	}{
		"oracle": {"oracle", 0}, RoundName("oracle", 2): {"oracle", 2}, ReviserName("oracle", 12): {"revise~oracle", 12},
		"oracle~": {"oracle~", 0}, "oracle~0": {"oracle~0", 0}, "oracle~x": {"oracle~x", 0}, "": {"", 0},
	} {
		if node, round := SplitRound(name); node != want.node || round != want.round {
			t.Errorf("%q: %q, %d", name, node, round)
		}
	}
}
