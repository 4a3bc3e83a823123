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
	conform("lifelong.ask", "13 f26664c7abd8ac5cf8da712b5b65f886b82e7d989a10a402b64d1742c6f665f8", albums)
	standings := of("lifelong.standing", run(t, "lifelong.ask", 0, nil, albums...))
	for _, gate := range [][2]string{{"no-future", "2 2d2c89f8af4f578b1a4535d5712da6d9413d05259b12a9233724d8615fc00d10"}, {"taught", "4 d7f067796ab9aaafe2203a13288bdcb6028c273a3c434e2b16653f9d249fcb9d"}, {"boundary", "1 4fa09360fff99af807f046fb81240a882bb8005d8e89d1d29d0016b79a06ffeb"}} {
		s := testkit.Subject{Register: lifelong.Register, Use: gate[0], Inputs: standings[:4], Types: recordTypes(), Golden: gate[1]}
		t.Run(gate[0], func(t *testing.T) { testkit.ConformGate(t, s) })
	}
	asked := of(schemas.NameQuestion, run(t, "lifelong.ask", 0, nil, albums...))
	s := testkit.Subject{Register: lifelong.Register, Use: "evidence-settles", Inputs: asked[:4], Types: recordTypes(), Golden: "1 b2ce079c71e17268d2e7bde5605c0085e86a42305496e26faddbe79ca4bc6880"}
	t.Run("evidence-settles", func(t *testing.T) { testkit.ConformGate(t, s) })
}
