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
	pipelinetest.Source(t, pipelinetest.Subject{Register: crosssource.Register, Use: "crosssource.worlds", Config: tiny(), Types: recordTypes(), Golden: "10 dfb15ff4cc10d35119248a7f3fc92d06f502c4086af358350e8076d84d942b56"})
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
	drawn := conform("crosssource.draw", "6 bbd4fc1aae726c86f689f2975a5bec69756f6cf0bb7023a120ec6eabbbed14f1", nil, pipelinetest.Stage, worlds...)
	items := of(schemas.NameEvidenceItem, drawn)
	planned := conform("crosssource.plan", "7 e20d067c73e9826c91dac988600d4e9d106ed29865e6dbd268df9ad400ee8408", p, pipelinetest.Stage, append(of(schemas.NameProfile, drawn), items...)...)
	chat := of("crosssource.channel", planned)
	written, _ := run(t, "crosssource.write", 0, nil, chat...)
	conform("crosssource.write", "5 ff3375c4ed1d3235867f3f9f28f5436e2b63f9dcafcad94237c91e5cc2445372", nil, pipelinetest.Stage, chat[:2]...)
	placed := conform("crosssource.place", "2 e66b92b9581d5c0da409f33a39d81c46463f6896641e5bef3a6517bb0b0d50d9", nil, pipelinetest.Stage, append(of("crosssource.placed", written), items...)...)
	passed := conform("placement", "1 4f4372d4332927e3dd3a64c1c396885d73f3ea4ff49f46bd6e40f7f8394456ce", nil, pipelinetest.Gate, placed...)
	conform("crosssource.ask", "4 23c2a3e62f7f79b6df07b86b09521bbd3c82119f4c0f50d7ac769e831b0b396e", nil, pipelinetest.Stage, append(passed, items...)...)
}
