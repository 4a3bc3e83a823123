package lifelong

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// Paint draws an exhibit as lifelong.draw does.
func Paint(studio *draw.Studio, t widget.Theme, x simulate.Picture) (*draw.Canvas, error) {
	return drawPicture(studio, t, x)
}

// RegisterUndrawn registers the stage that draws, with pictures that hold what they show as
// text: whoever looks at no pixel need not wait for them.
func RegisterUndrawn(r *pipeline.Registry) {
	drawn := pipeline.NewRegistry()
	Register(drawn)
	stage, _ := drawn.Plugin(pipeline.KindStage, "lifelong.draw")
	pipeline.AddStage(r, stage.Name, stage.Version, "note what the pictures of a life show, undrawn", func(struct{}) (pipeline.Stage, error) {
		return &drawStage{studios: sync.Pool{New: func() any { return draw.NewStudio() }}, storePicture: keepUndrawn}, nil
	})
}

func keepUndrawn(ctx context.Context, scope *pipeline.Scope, _ *draw.Studio, t widget.Theme, x simulate.Picture) (schemas.Media, error) {
	painted := simulate.Picture{Kind: x.Kind, Title: x.Title, Rows: x.Rows} // equal pictures are one file
	if x.Kind == simulate.Screen {
		painted.App, painted.Around, t = x.App, x.Around, widget.Theme{}
	}
	shown, err := json.Marshal([]any{t.Accent, painted})
	if err != nil {
		return schemas.Media{}, err
	}
	b, err := scope.PutBlob(ctx, strings.NewReader(string(shown)))
	return schemas.Media{MediaID: string(b.Digest), Kind: "image", Mime: draw.MimePicture, Bytes: int64(len(shown)), Width: 1, Height: 1, License: license}, err
}

// Legible is how trace-legible judges a file by its row.
func Legible() (func(data []byte, x RenderedPicture) (pipeline.Judgement, error), error) {
	g, err := newLegible(LegibleConfig{Screens: true})
	if err != nil {
		return nil, err
	}
	return g.(legibleGate).judgePicture, nil
}
