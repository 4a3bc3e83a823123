package assemble

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// TestAskedNamesModelsPromptsAndRules has a stage that asks two roles, one of
// them played by the built-in model, and one that asks nothing.
func TestAskedNamesModelsPromptsAndRules(t *testing.T) {
	asks := engine.Step{
		Name: "write", Kind: pipeline.KindStage, Use: "author",
		Spec: pipeline.Spec{Asks: []pipeline.Ask{
			{Role: "judge", Task: "check", Prompt: "d2", Version: "3"}, {Role: "author", Task: "ask", Prompt: "d1", Version: "1"}, {Role: "embedder", Task: pipeline.EmbedTask},
		}},
		Identity: pipeline.Identity{
			Models: map[string]pipeline.ModelIdentity{
				"judge":  {Name: "secretly-named", Model: "m-2", Host: "b.example"},
				"author": {Model: "m-1", Host: "a.example", Sampling: pipeline.RawConfig(`{"temperature":1}`), Form: pipeline.RawConfig(`{"schema":true}`)},
			},
			Prompts: map[string]pipeline.Digest{"check": "d2", "ask": "d1"}, Rules: map[string]string{pipeline.EmbedTask: "2"},
		},
	}
	quiet := engine.Step{Name: "pair", Kind: pipeline.KindStage, Use: "pair"}
	c := &collector{steps: []engine.StepRun{{Step: asks}, {Step: quiet}}}
	want := []manifest.StepModels{{
		Step: "write", Kind: "stage", Use: "author",
		Models: []manifest.ModelUse{
			{Role: "author", Model: "m-1", Host: "a.example", Sampling: json.RawMessage(`{"temperature":1}`)},
			{Role: "judge", Model: "m-2", Host: "b.example"},
		},
		Prompts: []manifest.PromptUse{{Task: "ask", Version: "1", Digest: "d1"}, {Task: "check", Version: "3", Digest: "d2"}},
		Rules:   []manifest.RuleUse{{Task: pipeline.EmbedTask, Version: "2"}},
	}}
	var in release.Input
	if c.describeModels(&in); !reflect.DeepEqual(in.Models, want) {
		t.Errorf("got  %+v\nwant %+v", in.Models, want)
	}
}

// TestOriginSeesThroughWholeGates puts a gate that judges all items at once, and
// a fold, between a source and a gate.
func TestOriginSeesThroughWholeGates(t *testing.T) {
	node := func(name string, kind pipeline.Kind, each bool, from ...string) engine.StepRun {
		return engine.StepRun{Step: engine.Step{Name: name, Kind: kind, From: from, Each: each}}
	}
	item := pipeline.Ref{ID: "q", Schema: schemas.NameQuestion}
	c := collectorOf(nil, []engine.StepRun{
		node("asia", pipeline.KindSource, false), node("all", pipeline.KindGate, false, "asia"), node("last", pipeline.KindGate, true, "all"),
		node("mix", pipeline.KindStage, false, "asia"), node("late", pipeline.KindGate, true, "mix"),
	}, unitsOf(map[string][]pipeline.Unit{
		"asia": {{Out: []pipeline.Ref{item}}}, "all": {{Out: []pipeline.Ref{item}}}, "mix": {{Out: []pipeline.Ref{item}}},
	}))
	q := c.hash("q")
	if got := c.origin(c.steps[2], q, q); got != "asia" {
		t.Errorf("behind a whole gate: %q", got)
	}
	if got := c.origin(c.steps[4], q, q); got != "" {
		t.Errorf("behind a fold: %q", got)
	}
}
