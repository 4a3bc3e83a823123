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
	testkit.ConformSource(t, testkit.Subject{Register: crosssource.Register, Use: "crosssource.worlds", Config: tiny(), Types: recordTypes(), Golden: "13 0308813cb92e619eb0940dc3f882b9d25e5965aac1c040580c0f2b4c1fd7004b"})
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
	drawn := conform("crosssource.draw", "6 e00d6bfa2633d1ff425f4cdbfe57ab00bb4876693dd7a46066593165586cdae7", nil, testkit.ConformStage, worlds...)
	items := of(schemas.NameEvidenceItem, drawn)
	planned := conform("crosssource.plan", "11 22b5ab66e71146d3c139c83e16f985b1773ab950bf10daf227b8f2efc370654a", p, testkit.ConformStage, append(of(schemas.NameProfile, drawn), items...)...)
	chat := of("crosssource.channel", planned)
	written, _ := run(t, "crosssource.write", 0, nil, chat...)
	conform("crosssource.write", "8 223e728aae91792626525159bbe0c061cddfe077f0af829b6c33801f518ffaf0", nil, testkit.ConformStage, chat[:2]...)
	placed := conform("crosssource.place", "3 e66189f2b1cdf07e833c8a9423d29c4be92e95ef9d5a3e481105afe15e61c1ac", nil, testkit.ConformStage, append(of("crosssource.placed", written), items...)...)
	passed := conform("placement", "2 f60560bfad4e02c1c21030c24e9c7d26ef29d7d61194aa5c5330c7339609830a", nil, testkit.ConformGate, placed...)
	conform("crosssource.ask", "4 6767f92cc81ca03abc19f08bcc0cff1899de0d02c4db3890610c2de348751bf5", nil, testkit.ConformStage, append(passed, items...)...)
}
