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
	source := pipelinetest.Subject{Register: lifelong.Register, Use: "lifelong.worlds", Config: c, Types: recordTypes(), Golden: "4 34263c37ff0524489488de2cf7e108b48ac7590bafe22211e3df00f38bc77a5b"}
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
	conform("lifelong.draw", "4 130261ebac22a02737e5d56a0eeee61db6258b44df4d3bfd456bd0e2411bfd34", lives)
	albums := of("lifelong.album", run(t, "lifelong.draw", 0, nil, lives...))
	for i := range albums {
		albums[i].Blobs = nil
	}
	conform("lifelong.sessions", "3 a0e98b48d08c6adc03f05b1289d4a4ea4d0c055f2506773926a82d932aee84cb", albums)
	conform("lifelong.ask", "5 c9fffa11bddf4fbf596824a06f8ce6ea433dd7dd11a13908477ff9943ab69c88", albums)
	standings := of("lifelong.standing", run(t, "lifelong.ask", 0, nil, albums...))
	for _, gate := range [][2]string{{"no-future", "2 b3f3b1299fb389f345a4d4fbfd347e637a6fcc97bef7f0161673b0e5e0ed5959"}, {"taught", "1 7feb4393f266ea2262d58a9c88e6d0359eaf637b5f0d60a559f58ab685ff5df0"}, {"boundary", "1 bd725321b690daf9688c5fb2ada4f3b5694ca0fbdce2c443f138e6fd46540596"}} {
		s := pipelinetest.Subject{Register: lifelong.Register, Use: gate[0], Inputs: standings[:4], Types: recordTypes(), Golden: gate[1]}
		t.Run(gate[0], func(t *testing.T) { pipelinetest.Gate(t, s) })
	}
}
