package assemble

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

func TestInstantIsWhatWaitsForNoServer(t *testing.T) {
	live := map[string]pipeline.ModelIdentity{"judge": {Model: "m"}}
	step := func(r pipeline.Resource, models map[string]pipeline.ModelIdentity, tools ...string) engine.Step {
		return engine.Step{Spec: pipeline.Spec{Resource: r, Tools: tools}, Identity: pipeline.Identity{Models: models}}
	}
	steps := []engine.Step{
		step(pipeline.Model, live), step(pipeline.Model, live, "ffmpeg"), step(pipeline.Model, nil), step(pipeline.Model, nil, "ffmpeg"), step(pipeline.FFmpeg, nil),
	}
	for offline, want := range map[bool][]bool{false: {false, false, true, false, false}, true: {true, true, true, true, false}} {
		for i, s := range instant(steps, offline) {
			if s.Instant != want[i] || steps[i].Instant {
				t.Errorf("offline %t, step %d: instant %t, want %t", offline, i, s.Instant, want[i])
			}
		}
	}
}
