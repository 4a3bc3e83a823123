package procedural_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/procedural"
)

func TestConformance(t *testing.T) {
	for kind, want := range map[string]string{
		schemas.FilmFull: "7 971353eb8b5eb60c4340443ed46ecc7d19627808621afa0cf46fcd57757cfdcc",
		schemas.FilmClip: "7 687664f21c92aef40c9a857a871bd56640e6ee38ec58303120266f156aa39eea",
	} {
		t.Run(kind, func(t *testing.T) {
			var c procedural.Config
			c.SetDefaults()
			c.Kind, c.Count = kind, 6
			testkit.ConformSource(t, testkit.Subject{
				Register: procedural.Register, Use: "procedural", Config: c, Golden: want, Faults: testsize.Choose[int64](2, 4),
				Types: map[string]func(pipeline.Record) error{schemas.NameFilm: testkit.DecodesTo[schemas.Film]},
			})
		})
	}
}
