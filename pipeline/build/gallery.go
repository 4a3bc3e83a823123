package build

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// perLayout is how many videos of each layout the report shows.
const perLayout = 2

// gallery makes a contact sheet of a few videos of each layout.
func gallery(ctx context.Context, st pipeline.Store, recs []pipeline.Record) ([]release.GalleryImage, error) {
	chosen, err := displayed(recs)
	if err != nil {
		return nil, err
	}
	tools := media.Lazy()
	images := make([]release.GalleryImage, len(chosen))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, m := range chosen {
		work.Go(func() (err error) {
			if images[i], err = sheet(ctx, st, tools, m); err != nil {
				return fmt.Errorf("report: contact sheet of %s: %w", m.MediaID, err)
			}
			return nil
		})
	}
	return images, work.Wait()
}

// displayed are the first videos of each layout, in order of record id, that a
// question is asked about: others are not released and must not be seen.
func displayed(recs []pipeline.Record) ([]schemas.Media, error) {
	asked := map[string]bool{}
	for _, r := range recs {
		if r.Schema != schemas.NameQuestion {
			continue
		}
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			return nil, err
		}
		for _, id := range q.Media {
			asked[id] = true
		}
	}
	layouts := map[string]int{}
	var out []schemas.Media
	for _, r := range recs {
		if r.Schema != schemas.NameMedia {
			continue
		}
		m, err := pipeline.Decode[schemas.Media](r)
		if err != nil {
			return nil, err
		}
		if m.Kind == "video" && asked[m.MediaID] && layouts[m.Recipe.Layout] < perLayout {
			layouts[m.Recipe.Layout]++
			out = append(out, m)
		}
	}
	return out, nil
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
	return release.GalleryImage{MediaID: m.MediaID, Data: png}, nil
}
