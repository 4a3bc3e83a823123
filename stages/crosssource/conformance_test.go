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
	pipelinetest.Source(t, pipelinetest.Subject{Register: crosssource.Register, Use: "crosssource.worlds", Config: tiny(), Types: recordTypes(), Golden: "7 56b03faca91f7cb941612a4a22a7c39f3986f6c4eeaf1526700dbdb9b41c0ff0"})
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
	drawn := conform("crosssource.draw", "4 177adb04a2cdb769835dd4b74ea43d48c1ed364f1aa0c46ad37e05c07fbbe10f", nil, pipelinetest.Stage, worlds...)
	items := of(schemas.NameEvidenceItem, drawn)
	planned := conform("crosssource.plan", "5 72272093ce3eee7fe00887437d23aeda01293490b1fa0aa35986d07893834763", p, pipelinetest.Stage, append(of(schemas.NameProfile, drawn), items...)...)
	chat := of("crosssource.channel", planned)
	written, _ := run(t, "crosssource.write", 0, nil, chat...)
	conform("crosssource.write", "4 52daa0abdf1fd2b236f9467e712aa6be6a7d48226e80674012cebe52a8845be7", nil, pipelinetest.Stage, chat[:2]...)
	placed := conform("crosssource.place", "1 95c51c25fc59b309cad4fdbd98da76f243afd254b3df8311a3239ce51b33615d", nil, pipelinetest.Stage, append(of("crosssource.placed", written), items...)...)
	passed := conform("placement", "1 3b8643e69a3335f854a2c48b3c899358bc237abc9ba2b7943511752970dcbc8b", nil, pipelinetest.Gate, placed...)
	conform("crosssource.ask", "3 56e6c0bdcccd155b6f540ec5c0dda67bc82977350347356ed738b6e72d1119d9", nil, pipelinetest.Stage, append(passed, items...)...)
}
