package video

import (
	"context"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/release/gallery"
	"github.com/memforge/memforge/schemas"
)

func galleryCard() gallery.Card {
	tools := media.Lazy()
	return gallery.Card{Family: family, Render: func(ctx context.Context, _ schemas.Question, shown []schemas.Media, file gallery.File) ([]byte, error) {
		i := slices.IndexFunc(shown, func(m schemas.Media) bool { return m.Kind == "video" })
		if i < 0 {
			return nil, nil
		}
		path, err := file(ctx, pipeline.Digest(shown[i].MediaID))
		if err != nil {
			return nil, err
		}
		return tools.ContactSheet(ctx, path, shown[i].Frames, media.DefaultContactSheet())
	}}
}
