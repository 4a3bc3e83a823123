package crosssource_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

func recordTypes() map[string]func(pipeline.Record) error {
	return map[string]func(pipeline.Record) error{
		"crosssource.world": testkit.DecodesTo[crosssource.SimulatedWorld], "crosssource.exhibit": testkit.DecodesTo[crosssource.RenderedPicture],
		"crosssource.channel": testkit.DecodesTo[placement.Channel], "crosssource.placed": testkit.DecodesTo[crosssource.PiecePosition],
		"crosssource.placement": testkit.DecodesTo[crosssource.Placement],
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
	testkit.ConformSource(t, testkit.Subject{Register: crosssource.Register, Use: "crosssource.worlds", Config: tiny(), Types: recordTypes(), Golden: "15 65278b34637319d5e9080986033a751e30d956fea61a080fc116b3dd34beddc9"})
}

// TestStagesConform runs the suite of every stage, and of the gate, over what the one
// before it gives.
func TestStagesConform(t *testing.T) {
	worlds, _, err := testkit.Subject{Register: crosssource.Register, Use: "crosssource.worlds", Config: tiny()}.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	var p crosssource.PlanConfig
	p.SetDefaults()
	p.Groups, p.Privates, p.Documents, p.Turns, p.Paragraphs = 2, 1, 1, 20, 2
	conform := func(use, golden string, config any, suite func(*testing.T, testkit.Subject), in ...pipeline.Record) []pipeline.Record {
		t.Helper()
		for i := range in {
			in[i].Blobs = nil
		}
		s := testkit.Subject{Register: crosssource.Register, Use: use, Config: config, Inputs: in, Types: recordTypes(), Golden: golden, Faults: 2}
		t.Run(use, func(t *testing.T) { suite(t, s) })
		if use == "placement" {
			return in
		}
		out, _ := run(t, use, 0, config, in...)
		return out
	}
	drawn := conform("crosssource.draw", "6 86cc641a4e2ca41f10ab3f8b58fb4f75ed84d4772cdbbc787b3c6887540db001", nil, testkit.ConformStage, worlds...)
	items := of(schemas.NameEvidenceItem, drawn)
	planned := conform("crosssource.plan", "12 8673fa5099b11d3b717c06ba6fa5def650ad5830c718f4a39ce98f189173f0b9", p, testkit.ConformStage, append(of(schemas.NameProfile, drawn), items...)...)
	chat := of("crosssource.channel", planned)
	written, _ := run(t, "crosssource.write", 0, nil, chat...)
	conform("crosssource.write", "8 3894c9993b961e17d3de0c70d449cc999808abcc17e0309c45e9d2d7929ce514", nil, testkit.ConformStage, chat[:2]...)
	placed := conform("crosssource.place", "3 f4daf3fa383d4a1fd8628a87ab52931dc4da8b32343353fdecefabc2e0474da0", nil, testkit.ConformStage, append(of("crosssource.placed", written), items...)...)
	passed := conform("placement", "2 20e04ab7820a6fcf2d562401db3c2b4259da009314f9a130ceaaf99e4d7fc038", nil, testkit.ConformGate, placed...)
	conform("crosssource.ask", "6 c194490c1e17e4107c39a5328d496f8e3f80210cb075937cdbf4f9fc482dbe7a", nil, testkit.ConformStage, append(passed, items...)...)
}
