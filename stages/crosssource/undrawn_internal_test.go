package crosssource

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// RegisterUndrawn registers the stage that draws, with pictures that hold what they show as
// text: whoever asks where things are told and looks at no pixel need not wait for them.
func RegisterUndrawn(r *pipeline.Registry) {
	drawn := pipeline.NewRegistry()
	Register(drawn)
	stage, _ := drawn.Plugin(pipeline.KindStage, "crosssource.draw")
	pipeline.AddStage(r, stage.Name, stage.Version, "give the items of a world, undrawn", func(struct{}) (pipeline.Stage, error) {
		return &drawStage{studios: sync.Pool{New: func() any { return draw.NewStudio() }}, storePicture: keepUndrawn}, nil
	})
}

func keepUndrawn(ctx context.Context, scope *pipeline.Scope, _ *draw.Studio, theme widget.Theme, x simulate.Picture) (schemas.Media, error) {
	shown, err := json.Marshal([]any{theme.Back, theme.Accent, x})
	if err != nil {
		return schemas.Media{}, err
	}
	b, err := scope.PutBlob(ctx, strings.NewReader(string(shown)))
	w, h := pictureSize(x)
	return schemas.Media{
		MediaID: string(b.Digest), Kind: "image", Mime: draw.MimePicture, Bytes: int64(len(shown)), Width: int32(w), Height: int32(h), License: license,
	}, err
}
