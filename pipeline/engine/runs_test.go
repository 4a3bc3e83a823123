package engine

import (
	"reflect"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// What a run left comes back as it was, with what its steps do not say by themselves.
func TestRunsRoundTrip(t *testing.T) {
	step := Step{Name: "a", Identity: pipeline.Identity{Use: "u"}}
	ran := step
	ran.Identity.Corrections = pipeline.DigestOf([]byte("corrected"))
	was := []StepRun{{
		Step: ran, Units: pipeline.DigestOf([]byte("units")), Assets: []pipeline.Asset{{Path: "p", Size: 3}},
		Summary: Summary{In: 4, Units: 4, Reused: 3, Transient: 2, Waiting: 1, Lost: 2, Reasons: map[string]int{"slow": 2}},
	}}
	text, err := EncodeRuns(was)
	if err != nil {
		t.Fatal(err)
	}
	is, err := DecodeRuns([]Step{step}, text)
	if err != nil || !reflect.DeepEqual(is, was) {
		t.Errorf("%+v, %v; want %+v", is, err, was)
	}
	if _, err := DecodeRuns(nil, text); err == nil || !strings.Contains(err.Error(), `"a"`) {
		t.Errorf("a step that the plan has not: %v", err)
	}
	if _, err := DecodeRuns([]Step{step}, []byte(`[{"node":"a","more":1}]`)); err == nil {
		t.Error("an unknown field passed")
	}
}
