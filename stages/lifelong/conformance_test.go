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
	source := pipelinetest.Subject{Register: lifelong.Register, Use: "lifelong.worlds", Config: c, Types: recordTypes(), Golden: "5 77b61f0c515c5e50e51f059d6a6d92aa3ce50a083b66b5813dd5b2f2431d8dd0"}
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
	conform("lifelong.draw", "5 ae3478c02c82075bc6934488e483b33998a21bc79a1e4153a70cb81257318ec0", lives)
	albums := of("lifelong.album", run(t, "lifelong.draw", 0, nil, lives...))
	for i := range albums {
		albums[i].Blobs = nil
	}
	conform("lifelong.sessions", "4 3ea578e076ba0244cf021c73dffe78bfa9f6b012f037f7e687e3257cc732d90f", albums)
	conform("lifelong.ask", "10 1584ab10a6776d888f40a75531882cf899e3aa6f7842a8ae419ce93c125551ad", albums)
	standings := of("lifelong.standing", run(t, "lifelong.ask", 0, nil, albums...))
	for _, gate := range [][2]string{{"no-future", "2 9c1bd45ffea319b0abc9073a6c63566fbbd915f9e4b237f25c66de56c2fbe379"}, {"taught", "2 616c70f3ffa09b3385d02e3e87a695102b4857960ecf147618f8c1d65c57f624"}, {"boundary", "1 de98432cfc291d938cc5c5223991f969ccde94d0873af578ea835ab74feaa058"}} {
		s := pipelinetest.Subject{Register: lifelong.Register, Use: gate[0], Inputs: standings[:4], Types: recordTypes(), Golden: gate[1]}
		t.Run(gate[0], func(t *testing.T) { pipelinetest.Gate(t, s) })
	}
}
