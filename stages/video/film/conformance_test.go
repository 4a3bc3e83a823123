package film_test

import (
	"errors"
	"os"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/film"
)

func TestConformance(t *testing.T) {
	tools, err := media.Locate()
	var missing *media.MissingToolError
	if errors.As(err, &missing) {
		t.Skipf("no ffmpeg: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile("testdata/small.json")
	if err != nil {
		t.Fatal(err)
	}
	in := pipeline.Record{ID: "film-0123456789abcdef", Schema: schemas.NameFilm, Data: raw}
	testkit.ConformStage(t, testkit.Subject{
		Register: func(r *pipeline.Registry) {
			r.AddTool("ffmpeg", tools.Version)
			film.Register(r)
		},
		Use: "film.render", Inputs: []pipeline.Record{in}, Faults: testsize.Choose[int64](2, 4), Unpinned: "the version of ffmpeg shapes the videos",
		Types: map[string]func(pipeline.Record) error{schemas.NameVideo: testkit.DecodesTo[schemas.Video]},
	})
}
