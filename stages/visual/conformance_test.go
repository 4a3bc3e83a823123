package visual_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/stages/visual"
	"github.com/memforge/memforge/stages/visual/life"
)

// tiny is as small as a life can be that changes.
var tiny = life.Size{Sessions: 2, Rounds: 7, Pictures: 5}

func types() map[string]func(pipeline.Record) error {
	return map[string]func(pipeline.Record) error{
		"visual.life": pipelinetest.Typed[life.Life], "visual.album": pipelinetest.Typed[visual.Album], "visual.picture": pipelinetest.Typed[visual.Picture],
	}
}

func TestLivesConform(t *testing.T) {
	pipelinetest.Source(t, pipelinetest.Subject{
		Register: visual.Register, Use: "visual.lives", Types: types(), Golden: "1 732fcc1953d76e038d245e835497eb036b9997759287b7e3ce752c3a2f8883f3",
		Config: visual.LivesConfig{Count: 1, Size: tiny},
	})
}

// conforms runs the suite of a stage over a life of one scenario, or its album.
func conforms(t *testing.T, use, golden string, drawn bool) {
	t.Helper()
	in := lives(t, 1, tiny)[:1]
	if drawn {
		in = albums(made(t, "visual.render", nil, in...))
	}
	pipelinetest.Stage(t, pipelinetest.Subject{Register: visual.Register, Use: use, Inputs: in, Types: types(), Golden: golden, Faults: 2})
}

func TestRenderConforms(t *testing.T) {
	conforms(t, "visual.render", "1 f9b254d0f6320f7480086b0ee1fd04a9df85d9365e9617b057792f061342f633", false)
}
func TestConverseConforms(t *testing.T) {
	conforms(t, "visual.converse", "1 0fc4708b923bb8deceacbd9a1c347b457866cc9cde23bea368cc031407f33b55", true)
}
func TestAskConforms(t *testing.T) {
	conforms(t, "visual.ask", "2 e245f94bf9e1331df5c4f0779ed66b2ea7069180823635a28640c9b7b93e2e04", true)
}
