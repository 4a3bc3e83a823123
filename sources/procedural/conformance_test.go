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
		schemas.FilmFull: "6 779cf713f905a4e6988a2faa8317d02b510c26afaf36004a9a4f1e8b8ad6ce7b",
		schemas.FilmClip: "6 7a294e7c53afd4aa234be16adb2bfff08a9f3ebc9b01e1ee2c3ab8495527700c",
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
