package crosssource_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/route"
)

func recordTypes() map[string]func(pipeline.Record) error {
	return map[string]func(pipeline.Record) error{
		"crosssource.world": pipelinetest.Typed[crosssource.Simulated], "crosssource.exhibit": pipelinetest.Typed[crosssource.Exhibit],
		"crosssource.channel": pipelinetest.Typed[route.Channel], "crosssource.placed": pipelinetest.Typed[crosssource.Spot],
		"crosssource.placement": pipelinetest.Typed[crosssource.Placement],
	}
}

// tiny is a world of one item of each task.
func tiny() crosssource.WorldsConfig {
	w, _ := small()
	w.Size.People = 5
	w.Size.Items = map[string]int{schemas.TaskSingleHop: 1, schemas.TaskConflict: 1, schemas.TaskPreference: 1}
	return w
}

func TestWorldsConform(t *testing.T) {
	pipelinetest.Source(t, pipelinetest.Subject{Register: crosssource.Register, Use: "crosssource.worlds", Config: tiny(), Types: recordTypes(), Golden: "3 77cb3fc5b9f7715d43d9463234ab65c092ef022e526336f5c3628963596494ff"})
}

// TestStagesConform runs the suite of every stage, and of the gate, over what the one
// before it gives.
func TestStagesConform(t *testing.T) {
	worlds, _, err := pipelinetest.Subject{Register: crosssource.Register, Use: "crosssource.worlds", Config: tiny()}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	var p crosssource.PlanConfig
	p.SetDefaults()
	p.Groups, p.Privates, p.Documents, p.Turns, p.Paragraphs = 2, 1, 1, 20, 2
	conform := func(use, golden string, config any, suite func(*testing.T, pipelinetest.Subject), in ...pipeline.Record) []pipeline.Record {
		t.Helper()
		for i := range in {
			in[i].Blobs = nil
		}
		s := pipelinetest.Subject{Register: crosssource.Register, Use: use, Config: config, Inputs: in, Types: recordTypes(), Golden: golden, Faults: 2}
		t.Run(use, func(t *testing.T) { suite(t, s) })
		if use == "placement" {
			return in
		}
		out, _ := run(t, use, 0, config, in...)
		return out
	}
	drawn := conform("crosssource.draw", "3 af80f533c88672bf91babab9e96a20c5e856dc6bf1f0856124f62fbcc640fc38", nil, pipelinetest.Stage, worlds...)
	items := of(schemas.NameEvidenceItem, drawn)
	planned := conform("crosssource.plan", "3 8172694052bfbead3dc3134e108ad21f677a4ac8fdbbce3a46b36d83033a2b11", p, pipelinetest.Stage, append(of(schemas.NameProfile, drawn), items...)...)
	chat := of("crosssource.channel", planned)
	written, _ := run(t, "crosssource.write", 0, nil, chat...)
	conform("crosssource.write", "3 a1337bd5b8a81ddcbb4d3588875f85b4e71eee6c5be229a69a43f89880e436e6", nil, pipelinetest.Stage, chat[:2]...)
	placed := conform("crosssource.place", "1 2b113eb5eb53b66a1a0b77c2adb085285f6a07685236898603932c3683db1d24", nil, pipelinetest.Stage, append(of("crosssource.placed", written), items...)...)
	passed := conform("placement", "1 33a22dff7d8b4b234b27dd8dd876f734ea8e8dd56476d1afc0549dd04ed6b851", nil, pipelinetest.Gate, placed...)
	conform("crosssource.ask", "1 1ca2ffe5891fd2780cf228da33d16ab357b86611d86934402469d6647e4d5f3a", nil, pipelinetest.Stage, append(passed, items...)...)
}
