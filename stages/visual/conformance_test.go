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
		Register: visual.Register, Use: "visual.lives", Types: types(), Golden: "4 0fbf39bb414f7bed463a4a3d0ad00d14a3ec0d1ade1ffd70e92e8af5ddf2ffc7",
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
	conforms(t, "visual.render", "3 ac80bcd25eeae325a1a966d9989c3ce7a24ddf9fa4ca7baaf9963343c9d202d1", false)
}
func TestConverseConforms(t *testing.T) {
	conforms(t, "visual.converse", "1 de4f9673a015b06610a693a9ebcd6a9dd301ba9396243e2f417af07f8050a036", true)
}
func TestAskConforms(t *testing.T) {
	conforms(t, "visual.ask", "5 e7317332bdc7d665dc74869631fa29ef3b4f3e2928374ecffc68813304bd49df", true)
}
