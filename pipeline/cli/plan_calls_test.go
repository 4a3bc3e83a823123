package cli

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
)

// TestPlanSaysWhatGatesWillAskNext: each item of a gate waits with one call, and
// others may follow from its answer.
func TestPlanSaysWhatGatesWillAskNext(t *testing.T) {
	r := pipeline.NewRegistry()
	gates.Register(r)
	node := func(name, use, config string) pipeline.Node {
		return pipeline.Node{Name: name, Kind: pipeline.KindGate, Use: use, Version: "1", Config: []byte(config)}
	}
	plan := pipeline.Plan{Nodes: []pipeline.Node{
		node("blind", "option-only", `{}`), node("whole", "option-only", `{"full_protocol": true}`), node("done", "oracle", `{}`), node("roles", "option-roles", `{}`),
	}}
	all := []*estimate{{node: "blind", model: "a", calls: 60}, {node: "blind", model: "b", calls: 40}, {node: "whole", calls: 800}, {node: "tell", calls: 9}}
	var out bytes.Buffer
	if err := printProtocols(&env{out: &out, reg: r}, plan, all); err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`^blind asks one call after another: about 1[234]\d calls until all 100 verdicts are settled, 800 by the full protocol\n$`)
	if !want.MatchString(out.String()) {
		t.Errorf("got %q", out.String())
	}
}
