package build

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// perLayout is how many videos of each layout the report shows.
const perLayout = 2

// gallery makes a contact sheet of a few videos of each layout, in order of
// record id.
func gallery(ctx context.Context, st pipeline.Store, recs []pipeline.Record) ([]release.GalleryImage, error) {
	tools := media.Lazy()
	shown := map[string]int{}
	var images []release.GalleryImage
	for _, r := range recs {
		if r.Schema != schemas.NameMedia {
			continue
		}
		m, err := pipeline.Decode[schemas.Media](r)
		if err != nil {
			return nil, err
		}
		if m.Kind != "video" || shown[m.Recipe.Layout] == perLayout {
			continue
		}
		shown[m.Recipe.Layout]++
		image, err := sheet(ctx, st, tools, m)
		if err != nil {
			return nil, fmt.Errorf("report: contact sheet of %s: %w", m.MediaID, err)
		}
		images = append(images, image)
	}
	return images, nil
}

func sheet(ctx context.Context, st pipeline.Store, tools *media.Tools, m schemas.Media) (release.GalleryImage, error) {
	path, err := st.BlobPath(ctx, pipeline.Digest(m.MediaID))
	if err != nil {
		return release.GalleryImage{}, err
	}
	png, err := tools.ContactSheet(ctx, path, m.Frames, media.DefaultSheet())
	if err != nil {
		return release.GalleryImage{}, err
	}
	caption := fmt.Sprintf("%s, %.1f s, %d frames", m.Recipe.Layout, m.Duration, m.Frames)
	if n := len(m.Recipe.SwapFrames); n > 0 {
		caption += fmt.Sprintf(", %d exchanges of sides", n)
	}
	return release.GalleryImage{Caption: caption, Data: png}, nil
}
