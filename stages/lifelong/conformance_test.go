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
	source := pipelinetest.Subject{Register: lifelong.Register, Use: "lifelong.worlds", Config: c, Types: recordTypes(), Golden: "2 afde7e18b4c811b596af6229a9344c6429b8cd8e2a66ccd00eadf365da07a097"}
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
	conform("lifelong.draw", "1 3c535bdda720e67231ac054d2ce126b1493f4d9ad1fb7bdef8016e49b6424a90", lives)
	albums := of("lifelong.album", run(t, "lifelong.draw", 0, nil, lives...))
	for i := range albums {
		albums[i].Blobs = nil
	}
	conform("lifelong.sessions", "2 194478bd01f3d36cb10fec22c05b651a3cbd01e7e0e1341e2d6cd64d1f46747a", albums)
	conform("lifelong.ask", "3 6026415c7426561e21774bca97f9554b9ac7cf258c7cf23d1540e7f1c3a3a945", albums)
	standings := of("lifelong.standing", run(t, "lifelong.ask", 0, nil, albums...))
	for _, gate := range [][2]string{{"no-future", "1 5d641b82e4fe51a61b0850c2f5b29b154fc7ebc055e3ff6609efdb626e70a748"}, {"taught", "1 78e967e03243ae7755793c5fdfe8b46f93c2404ff6c2671ca250eee38274efae"}, {"boundary", "1 c97b44c816549eca901cc6071097fa2bbf333165ff4f566cacbbc4fe1fa3d3fd"}} {
		s := pipelinetest.Subject{Register: lifelong.Register, Use: gate[0], Inputs: standings[:4], Types: recordTypes(), Golden: gate[1]}
		t.Run(gate[0], func(t *testing.T) { pipelinetest.Gate(t, s) })
	}
}
