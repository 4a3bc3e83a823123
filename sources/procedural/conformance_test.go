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
		schemas.FilmFull: "5 038e770a86cbcb7547a68c93fe703188237b4ce26b10f32e8352b37e62ee899d",
		schemas.FilmClip: "5 8cbbf4abcd26b8fb94c5f36c0f041e5767557e79a6a4b5dbec402ce7084985e9",
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
