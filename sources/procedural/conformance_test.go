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
		schemas.FilmFull: "6 6a0d5c4edddd8f97276c61c148572589a09f2255e39470c2711cb89178f2d876",
		schemas.FilmClip: "6 c415b5f61bb9d1e5fa07442899eb817d4d6359fbee160fab1673594285ad9330",
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
