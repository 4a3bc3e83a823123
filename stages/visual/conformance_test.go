package visual_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/stages/visual"
	"github.com/memforge/memforge/stages/visual/simulate"
)

// tiny is as small as a life can be that changes.
var tiny = simulate.Size{Sessions: 2, Rounds: 7, Pictures: 5}

func types() map[string]func(pipeline.Record) error {
	return map[string]func(pipeline.Record) error{
		"visual.life": testkit.DecodesTo[simulate.Simulation], "visual.album": testkit.DecodesTo[visual.Album], "visual.picture": testkit.DecodesTo[visual.Picture],
	}
}

func TestLivesConform(t *testing.T) {
	testkit.ConformSource(t, testkit.Subject{
		Register: visual.Register, Use: "visual.lives", Types: types(), Golden: "5 089d4ea93dd6f1543de13a505231ff162ed090f41f80f6b932ce833348435d14",
		Config: visual.SimulationConfig{Count: 1, Size: tiny},
	})
}

// conforms runs the suite of a stage over a life of one scenario, or its album.
func conforms(t *testing.T, use, golden string, drawn bool) {
	t.Helper()
	in := simulationSource(t, 1, tiny)[:1]
	if drawn {
		in = albums(made(t, "visual.render", nil, in...))
	}
	testkit.ConformStage(t, testkit.Subject{Register: visual.Register, Use: use, Inputs: in, Types: types(), Golden: golden, Faults: 2})
}

func TestRenderConforms(t *testing.T) {
	conforms(t, "visual.render", "4 3b23b0b0a46a7ba9e81cad7e408677b5349638f755657fea7920d1ea5c63f379", false)
}
func TestConverseConforms(t *testing.T) {
	conforms(t, "visual.converse", "1 ed12223da6e7853799278edc386a413df2ba4e658284c1ba97ce3f5e51cdc7c9", true)
}
func TestAskConforms(t *testing.T) {
	conforms(t, "visual.ask", "6 ffa9af96aeef54a08c9a0fc7b6383f9ede2caf173ac033efb22bbf6107685442", true)
}
