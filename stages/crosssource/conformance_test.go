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
		"crosssource.placement": testkit.DecodesTo[crosssource.Placement], "crosssource.environment": testkit.DecodesTo[crosssource.EnvironmentRow],
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
	testkit.ConformSource(t, testkit.Subject{Register: crosssource.Register, Use: "crosssource.worlds", Config: tiny(), Types: recordTypes(), Golden: "16 b01bb19cf130cebd6f174b6d12babeae3563590326e11f0890d3e1bdcc9afb78"})
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
	drawn := conform("crosssource.draw", "6 4f7537c9166cc7af1a3cb4e7cb2d294d6f9117dbcc1b3a16b70f87881f3c256b", nil, testkit.ConformStage, worlds...)
	items := of(schemas.NameEvidenceItem, drawn)
	planned := conform("crosssource.plan", "14 820da570ddc5ace802f732c5ff43d26f0515f90de6269c62b9a089b5f1ab99cd", p, testkit.ConformStage, append(of(schemas.NameProfile, drawn), items...)...)
	chat := of("crosssource.channel", planned)
	written, _ := run(t, "crosssource.write", 0, nil, chat...)
	conform("crosssource.write", "9 1afee79c0935fa5c75bc7e9bf68caa3725c7dbb3812a84982ad8cefe242fae4d", nil, testkit.ConformStage, chat[:2]...)
	placed := conform("crosssource.place", "3 be903989a69d2b21f73072054f7fd096f5a4b6c18de876cd06be9f843c160029", nil, testkit.ConformStage, append(of("crosssource.placed", written), items...)...)
	passed := conform("placement", "2 c51dbf3a7ce88441ca11c746f9a366db66b671f3e674c67b5c67d1a7a32d44fa", nil, testkit.ConformGate, placed...)
	conform("crosssource.ask", "6 ccc445e3103471af87566d6689d936cd302a2b23b583d4e02f4cddc34ea4e636", nil, testkit.ConformStage, append(passed, items...)...)
}
