package describe

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// TestTableOfChecksSaysWhereLotsWereDrawn: by gate, in all its rounds, and not where
// one answer of a gate was none.
func TestTableOfChecksSaysWhereLotsWereDrawn(t *testing.T) {
	probe := func(gate, view, model string) schemas.Probe {
		return schemas.Probe{Item: "q", Gate: gate, View: view, Model: model}
	}
	k := Release{Questions: none[schemas.Question](), Media: none[schemas.Media](), Verdicts: none[schemas.Verdict](), Probes: slices.Values([]schemas.Probe{
		probe("blind", "none", pipeline.BuiltInModel), probe("blind~2", "none", pipeline.BuiltInModel),
		probe("mixed", "none", pipeline.BuiltInModel), probe("mixed", "text", pipeline.BuiltInModel),
		probe("asked", "none", "big-1"), probe("asked", "none", pipeline.BuiltInModel),
	})}.summarizeChecks()
	if !slices.Equal(k.lots, []string{"blind"}) {
		t.Fatalf("lots in %v", k.lots)
	}
	unjudged := k.untestedGrid([]manifest.GateCounts{
		{Gate: "blind", In: 9, Passed: 9}, {Gate: "blind", Source: "films", In: 9, Passed: 9}, {Gate: "sure", In: 9, Passed: 2, NotApplicable: 6, Flagged: 1},
		{Gate: "oracle", In: 249, Passed: 70, Flagged: 2, Insufficient: 177, InsufficientReasons: []manifest.ReasonCount{{Code: "unread", Count: 177}}},
		{Gate: "oracle", Round: 1, In: 2, Passed: 1, NotApplicable: 1}, {Gate: "broken", In: 4, Passed: 3, Errors: 1},
	})
	want := [][]string{{"blind", "9", "none", "the stand-in guessed at random"}, {"oracle", "250", "73", "unread"}, {"broken", "4", "3", "no usable answer"}}
	if !reflect.DeepEqual(unjudged.Rows, want) {
		t.Errorf("what could not be tested: %q, want %q", unjudged.Rows, want)
	}
	gates := []manifest.GateInfo{{Name: "blind", Summary: "nobody <guesses>"}, {Name: "mixed", Summary: "so"}}
	got := k.gatesGrid([]manifest.GateCounts{{Gate: "blind", In: 1, Passed: 1}, {Gate: "mixed", In: 1, Passed: 1}}, gates).markdown()
	for _, want := range []string{"| blind | the stand-in guessed at random, so nothing was checked. With a model: nobody &lt;guesses&gt; | 1 |", "| mixed | so | 1 |"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
