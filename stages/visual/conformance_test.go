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
		Register: visual.Register, Use: "visual.lives", Types: types(), Golden: "6 569a098e9090c8b90a56c0453d478ae6ba703418b7b9dcd6190115367da21512",
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
	conforms(t, "visual.render", "5 beee8cd910b1059cbc09772de424a664133f615fd1dcb339fc5143ee398c24ea", false)
}
func TestConverseConforms(t *testing.T) {
	conforms(t, "visual.converse", "1 119479db1ab0b6d58769448d984ee5e250c1942a6dc453babb820ec97fc3fbe2", true)
}
func TestAskConforms(t *testing.T) {
	conforms(t, "visual.ask", "7 d2875b67690b66e86f5233afd7267ecdcc08696be904f89205cef2ba055598b7", true)
}
