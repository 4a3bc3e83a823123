package kitchen

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
)

func TestGateConforms(t *testing.T) {
	testkit.ConformGate(t, testkit.Subject{
		Register: Register, Use: "kitchen.moved", Unpinned: unpinned,
		Inputs: questionsOf(t, dayOf(t, moves()...)),
	})
}

// TestGateFailsWhatCameBack: the cup of the first day stood on the shelf before.
func TestGateFailsWhatCameBack(t *testing.T) {
	items := questionsOf(t, dayOf(t, moves()...))
	verdicts, err := moved{}.Judge(t.Context(), nil, items)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []pipeline.Outcome{pipeline.Fail, pipeline.Pass} {
		if verdicts[i].Outcome != want {
			t.Errorf("%s: %+v, want %s", items[i].ID, verdicts[i], want)
		}
	}
}
