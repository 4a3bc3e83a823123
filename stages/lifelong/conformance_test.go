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
	source := pipelinetest.Subject{Register: lifelong.Register, Use: "lifelong.worlds", Config: c, Types: recordTypes(), Golden: "6 44ec5ad8ed4e56e1f9f18559018550f4e0af4370f1d5f4c87d4b29d4681358e2"}
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
	conform("lifelong.draw", "6 bc969f980de8fc58154f7b5574a88329da3ea1156698522060697d21fc970f4e", lives)
	albums := of("lifelong.album", run(t, "lifelong.draw", 0, nil, lives...))
	for i := range albums {
		albums[i].Blobs = nil
	}
	conform("lifelong.sessions", "4 23438eb1f682edbeb90c2723f21837916e1f16f35b3a0c9b3a74515bda4ef6c1", albums)
	conform("lifelong.ask", "10 e1912e9db5081469d0c5521dd2cb3e5233d29744e127c73ba3c4762975f77c97", albums)
	standings := of("lifelong.standing", run(t, "lifelong.ask", 0, nil, albums...))
	for _, gate := range [][2]string{{"no-future", "2 fd445274a01ce92ed3f5122a7522e1dcb2eff2a930bd272f30d3874b0c450761"}, {"taught", "2 2910a5dd399929fe2550d61b6c380205e2895be253cd6127b282508d0ffd5b59"}, {"boundary", "1 3df77e191ba71630f19debcbc60d86aaa252195af69f41cf152b67b65181db7d"}} {
		s := pipelinetest.Subject{Register: lifelong.Register, Use: gate[0], Inputs: standings[:4], Types: recordTypes(), Golden: gate[1]}
		t.Run(gate[0], func(t *testing.T) { pipelinetest.Gate(t, s) })
	}
}
