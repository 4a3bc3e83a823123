package procedural_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/procedural"
)

func TestConformance(t *testing.T) {
	for kind, want := range map[string]string{
		schemas.FilmFull: "1 8c1fc367b1cc03960ae1c293701046737a1d681134b6894fde7a2a16f231d8de",
		schemas.FilmClip: "1 920b7ea113a3922d20b66e06352e30256337af3fe43783d8225b33c50dbf151f",
	} {
		t.Run(kind, func(t *testing.T) {
			var c procedural.Config
			c.SetDefaults()
			c.Kind, c.Count = kind, 6
			pipelinetest.Source(t, pipelinetest.Subject{
				Register: procedural.Register, Use: "procedural", Config: c, Golden: want,
				Types: map[string]func(pipeline.Record) error{schemas.NameFilm: pipelinetest.Typed[schemas.Film]},
			})
		})
	}
}
