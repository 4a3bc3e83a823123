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
		schemas.FilmFull: "1 720616868cc190ca4120548686b783d15f6ba04259254e6fa1099092bf561b86",
		schemas.FilmClip: "1 b0b78b3d75acf0babbec35cfdc06c6eaf974c5fb5df0f00a924846e9a29f8ad9",
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
