package describe

import (
	"reflect"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// TestLabelsAreExplainedByFamily joins families that mean the same by a label and its values, and
// keeps apart those that do not.
func TestLabelsAreExplainedByFamily(t *testing.T) {
	rel := Release{Manifest: manifest.Manifest{Terms: map[string]pipeline.Terms{
		"a": {Labels: map[string]string{"lure": "where else", "lure=near": "beside", "lure=far": "away", "fact": "the fact"}},
		"b": {Labels: map[string]string{"lure": "a wrong answer", "fact": "the fact", "unused": "nothing"}},
		"c": {Labels: map[string]string{"level=X1": "the scene"}},
	}}}
	got := labelsGrid(rel.explainLabels([]labelBars{{Label: "fact"}, {Label: "level"}, {Label: "lure"}, {Label: "strange"}})).Rows
	want := [][]string{{"fact", "a, b", "the fact"}, {"level", "c", "X1: the scene"}, {"lure", "a", "where else; far: away; near: beside"}, {"lure", "b", "a wrong answer"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
