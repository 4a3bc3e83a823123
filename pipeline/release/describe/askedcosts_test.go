package describe

import (
	"reflect"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// TestCostsPerReleasedQuestion: calls of the built-in model cost nothing, an equal view of one
// model is asked once about an item, and items that were dropped count for those released.
func TestCostsPerReleasedQuestion(t *testing.T) {
	gate := func(name string) manifest.GateInfo {
		return manifest.GateInfo{Name: name, Models: map[string]string{"panel_a": "m"}}
	}
	probe := func(item, gate, role, view string) schemas.Probe {
		return schemas.Probe{Item: item, Gate: gate, Role: role, Model: "m", ViewDigest: view, Response: "{}", InputTokens: 100, OutputTokens: 10}
	}
	k := Release{
		Manifest:  manifest.Manifest{Gates: []manifest.GateInfo{gate("texts"), gate("captions"), gate("captions~1")}},
		Questions: slices.Values([]schemas.Question{{QuestionID: "a"}, {QuestionID: "b"}}), Media: none[schemas.Media](), Verdicts: none[schemas.Verdict](),
		Probes: slices.Values([]schemas.Probe{
			probe("a", "captions", "panel_a", "v"), probe("a", "texts", "panel_a", "v"), probe("a", "texts", "judge", "v"),
			probe("b", "captions", "panel_a", "w"), probe("b", "captions~1", "panel_a", "x"), probe("gone", "texts", "panel_a", "v"),
		}),
	}.summarizeChecks()
	want := [][]string{
		{"texts", "2", "0", "200", "20", "1.0", "110.0"},
		{"captions", "2", "1", "200", "20", "1.0", "110.0"},
		{"all", "4", "1", "400", "40", "2.0", "220.0"},
	}
	if got := k.costGrid().Rows; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	k.asked.checks = nil
	if got := k.costGrid(); len(got.Rows) > 0 {
		t.Errorf("without calls: %q, by %s", got.Rows, pipeline.BuiltInModel)
	}
}
