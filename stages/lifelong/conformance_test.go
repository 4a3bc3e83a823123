package lifelong_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong"
)

func recordTypes() map[string]func(pipeline.Record) error {
	return map[string]func(pipeline.Record) error{
		"lifelong.life": testkit.DecodesTo[lifelong.Simulation], "lifelong.album": testkit.DecodesTo[lifelong.RenderedSimulation],
		"lifelong.exhibit": testkit.DecodesTo[lifelong.RenderedPicture], "lifelong.standing": testkit.DecodesTo[lifelong.Standing],
		schemas.NameCheckpoint: testkit.DecodesTo[schemas.Checkpoint],
	}
}

// TestFamilyConforms runs the conformance suites on one short life.
func TestFamilyConforms(t *testing.T) {
	c := config()
	c.Domains, c.Size.Sessions = []string{"health"}, 4
	source := testkit.Subject{Register: lifelong.Register, Use: "lifelong.worlds", Config: c, Types: recordTypes(), Golden: "9 d8d43889b2e6214db59d5010ab6be917d77d5d972f90d337f7ef0049f38d4ac6"}
	testkit.ConformSource(t, source)
	lives, _, err := source.Read(t)
	if err != nil {
		t.Fatal(err)
	}
	conform := func(use, golden string, in []pipeline.Record) {
		t.Helper()
		s := testkit.Subject{Register: lifelong.Register, Use: use, Inputs: in, Types: recordTypes(), Golden: golden, Faults: 2}
		t.Run(use, func(t *testing.T) { testkit.ConformStage(t, s) })
	}
	conform("lifelong.draw", "8 895970fa7490c4e0e7eaf61ebf4c30d4d7bc46b3bf3e9d36a54fb9477223c349", lives)
	albums := of("lifelong.album", run(t, "lifelong.draw", 0, nil, lives...))
	for i := range albums {
		albums[i].Blobs = nil
	}
	conform("lifelong.sessions", "6 78ae405a96435930297c4fd6070d9554bd67645bf1ec9669b0632254f7c5381c", albums)
	conform("lifelong.ask", "13 ae8a59ee8106109f8980c896425927a19480e640fb11e7e94075dd6ae9a82e4c", albums)
	standings := of("lifelong.standing", run(t, "lifelong.ask", 0, nil, albums...))
	for _, gate := range [][2]string{{"no-future", "2 52632b7066e1b2bf5fe50e384ba3e2ab390d055ab4e862df15b71b2ab423aba3"}, {"taught", "4 7b6260e2aba559fcdf75c77fe90e3d726a66dec0ca71a51c0eb2b9ce46a23e50"}, {"boundary", "1 b347192db91100cedfd77ca6ba4e08fd552f54a3eff74d055ee5f90281666c97"}} {
		s := testkit.Subject{Register: lifelong.Register, Use: gate[0], Inputs: standings[:4], Types: recordTypes(), Golden: gate[1]}
		t.Run(gate[0], func(t *testing.T) { testkit.ConformGate(t, s) })
	}
}
