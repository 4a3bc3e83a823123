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
	planned := conform("crosssource.plan", "8 68f41ae17b2c63b69c8e4b7ff7656e3b457487dff8bf4e97384a8d0a2c635978", p, pipelinetest.Stage, append(of(schemas.NameProfile, drawn), items...)...)
	chat := of("crosssource.channel", planned)
	written, _ := run(t, "crosssource.write", 0, nil, chat...)
	conform("crosssource.write", "6 a4921059d39950c24ce59bc764ddcefd37c5dff75a46061d92271011f5b1f67c", nil, pipelinetest.Stage, chat[:2]...)
	placed := conform("crosssource.place", "2 dbafed7d9d2861e1bf27be694282982b6856de8ce6bf76f4ea17665db616a50a", nil, pipelinetest.Stage, append(of("crosssource.placed", written), items...)...)
	passed := conform("placement", "1 e4328dd12cb321e04f2086c906b3d505dd2360730634124c8b080da5bf43f175", nil, pipelinetest.Gate, placed...)
	conform("crosssource.ask", "4 8f0bd29dcd2ec7c5e7edf2fd78abc3772ccbe2c0298004d8ca36afc056794730", nil, pipelinetest.Stage, append(passed, items...)...)
}
