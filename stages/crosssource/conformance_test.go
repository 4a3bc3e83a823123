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
	drawn := conform("crosssource.draw", "6 c0ae093f2a6eae840b052b8934fcc2e8a5b18adaaac0ac8aad0083633d019855", nil, pipelinetest.Stage, worlds...)
	items := of(schemas.NameEvidenceItem, drawn)
	planned := conform("crosssource.plan", "7 ca853ab0f5a2c05f4710e7cd121504dd5f1bcc93b567a548841d558fcd3dbee7", p, pipelinetest.Stage, append(of(schemas.NameProfile, drawn), items...)...)
	chat := of("crosssource.channel", planned)
	written, _ := run(t, "crosssource.write", 0, nil, chat...)
	conform("crosssource.write", "5 f8692d9badbedc969924b2bfd48916e98cefff091d43deb16816b17d2ba2c5b0", nil, pipelinetest.Stage, chat[:2]...)
	placed := conform("crosssource.place", "2 89a684ddc5953b960f62c5f49320d5d5ae8c8c47d41ae0cf65f5eb10a124bcb1", nil, pipelinetest.Stage, append(of("crosssource.placed", written), items...)...)
	passed := conform("placement", "1 c417f6ab78471d92c47f70681fdca8b32af2eb9af52a6aeb108685332b5c0d59", nil, pipelinetest.Gate, placed...)
	conform("crosssource.ask", "4 750955c1d91930c4e9a4c47541e342727e03e4fb85dc96f46b9e95fc64e8dd90", nil, pipelinetest.Stage, append(passed, items...)...)
}
