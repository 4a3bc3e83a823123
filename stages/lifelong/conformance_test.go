package lifelong_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
)

func recordTypes() map[string]func(pipeline.Record) error {
	return map[string]func(pipeline.Record) error{
		"lifelong.life": pipelinetest.Typed[lifelong.Life], "lifelong.album": pipelinetest.Typed[lifelong.Album],
		"lifelong.exhibit": pipelinetest.Typed[lifelong.Exhibit], "lifelong.standing": pipelinetest.Typed[lifelong.Standing],
		schemas.NameCheckpoint: pipelinetest.Typed[schemas.Checkpoint],
	}
}

// TestFamilyConforms runs the conformance suites on one short life.
func TestFamilyConforms(t *testing.T) {
	c := config()
	c.Domains, c.Size.Sessions = []string{"health"}, 4
	source := pipelinetest.Subject{Register: lifelong.Register, Use: "lifelong.worlds", Config: c, Types: recordTypes(), Golden: "8 75a1a27821f45082580c9939d176cee4d5323d1ad42c639eac307f0643f1bb21"}
	pipelinetest.Source(t, source)
	lives, _, err := source.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	conform := func(use, golden string, in []pipeline.Record) {
		t.Helper()
		s := pipelinetest.Subject{Register: lifelong.Register, Use: use, Inputs: in, Types: recordTypes(), Golden: golden, Faults: 2}
		t.Run(use, func(t *testing.T) { pipelinetest.Stage(t, s) })
	}
	conform("lifelong.draw", "7 6ef1922d33f06b34725bc097ac3127afe7808144e7b419d7724db3326c1de214", lives)
	albums := of("lifelong.album", run(t, "lifelong.draw", 0, nil, lives...))
	for i := range albums {
		albums[i].Blobs = nil
	}
	conform("lifelong.sessions", "5 435afcd332ce2fbc4c46af4e774505fe0aaf011d86245f0364555307d5b1ae9e", albums)
	conform("lifelong.ask", "12 b7914932352a258dcec2ad2f0a250e892af9d31ef026e742cb028c32dafe0603", albums)
	standings := of("lifelong.standing", run(t, "lifelong.ask", 0, nil, albums...))
	for _, gate := range [][2]string{{"no-future", "2 879375a10b5b3efbc01a44032cef7ae6669c2deb42c052129ed59070c73d2ce6"}, {"taught", "2 caebdcb4832160d85de30338bc8b5e8819c9ec476944b7caafb6a676441cf255"}, {"boundary", "1 3c6106a23d5923eb211f070c8af6f1463e96d6d775807515648780efc414186c"}} {
		s := pipelinetest.Subject{Register: lifelong.Register, Use: gate[0], Inputs: standings[:4], Types: recordTypes(), Golden: gate[1]}
		t.Run(gate[0], func(t *testing.T) { pipelinetest.Gate(t, s) })
	}
}
