package procedural_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/pipeline/pipelinetest/size"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/procedural"
)

func TestConformance(t *testing.T) {
	for kind, want := range map[string]string{
		schemas.FilmFull: "4 472317afed449bfd9e82f8d760401ef95623783fad1c3cf50a6f055519be79f0",
		schemas.FilmClip: "4 69b708da138c2049d2059f60270eefbb99c3ee569e0b125aea3c376c1d56e9f6",
	} {
		t.Run(kind, func(t *testing.T) {
			var c procedural.Config
			c.SetDefaults()
			c.Kind, c.Count = kind, 6
			pipelinetest.Source(t, pipelinetest.Subject{
				Register: procedural.Register, Use: "procedural", Config: c, Golden: want, Faults: size.Of[int64](2, 4),
				Types: map[string]func(pipeline.Record) error{schemas.NameFilm: pipelinetest.Typed[schemas.Film]},
			})
		})
	}
}
