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
	source := testkit.Subject{Register: lifelong.Register, Use: "lifelong.worlds", Config: c, Types: recordTypes(), Golden: "8 abb84e2c8ffa1c945a5100005af38eccdaea7986e03dc3f8e42c89d5c928c996"}
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
	conform("lifelong.draw", "8 53269c57936121782270fdbde78ce195ea037b502da71158c36d73785a6056a2", lives)
	albums := of("lifelong.album", run(t, "lifelong.draw", 0, nil, lives...))
	for i := range albums {
		albums[i].Blobs = nil
	}
	conform("lifelong.sessions", "5 c7c68431cb2681cbc30d3ec75186fd53e82e1a4ba02e2e65b67521b271d67305", albums)
	conform("lifelong.ask", "12 8e34ca5ec1826641e5da60299c4eb329e56c3eafd07bbe1f97e639d6cebd5a13", albums)
	standings := of("lifelong.standing", run(t, "lifelong.ask", 0, nil, albums...))
	for _, gate := range [][2]string{{"no-future", "2 97dc106d7830569700a95cc724b97c640803e6d246a520384db76b717e4f1a95"}, {"taught", "3 6600486ef0d6183e25a679eb79bc572827774ddf1e9f3684ee05d55fb9fd9a1f"}, {"boundary", "1 b23defe3f19641d213dca403b0735a102d606db0abf2833634015005e3d87b2d"}} {
		s := testkit.Subject{Register: lifelong.Register, Use: gate[0], Inputs: standings[:4], Types: recordTypes(), Golden: gate[1]}
		t.Run(gate[0], func(t *testing.T) { testkit.ConformGate(t, s) })
	}
}
