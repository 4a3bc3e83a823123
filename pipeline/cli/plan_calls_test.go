package cli

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/model/server"
)

// TestPlanSaysWhatGatesWillAskNext: each item of a gate waits with one call, and
// others may follow from its answer.
func TestPlanSaysWhatGatesWillAskNext(t *testing.T) {
	r := pipeline.NewRegistry()
	gates.Register(r)
	node := func(name, use, config string) engine.Step {
		return engine.Step{Name: name, Kind: pipeline.KindGate, Use: use, Version: "1", Config: []byte(config)}
	}
	plan := engine.Plan{Steps: []engine.Step{
		node("blind", "option-only", `{}`), node("whole", "option-only", `{"full_protocol": true}`), node("done", "oracle", `{}`), node("roles", "option-roles", `{}`),
	}}
	models := map[string]server.Model{"a": {Price: &server.Price{Input: 1, Output: 10, Currency: "EUR"}}, "b": {}}
	use := pipeline.Usage{Input: 60000, Output: 6000}
	all := []*estimate{{step: "blind", model: "a", calls: 60, usage: use}, {step: "blind", model: "b", calls: 40, usage: use}, {step: "whole", calls: 800}, {step: "tell", calls: 9}}
	var out bytes.Buffer
	if err := printProtocols(&env{out: &out, reg: r}, plan, models, all); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^blind makes one call after another: about 1[234]\d calls \(1[4567]\d{4} tokens in, 1[4567]\d{3} out, 0\.1[567]\d\d EUR, no price\) until all 100 verdicts are decided; 800 calls \(960000 tokens in, 96000 out, 0\.9600 EUR, no price\) for the full protocol\n$`)
	if !want.MatchString(out.String()) {
		t.Errorf("got %q", out.String())
	}
}
