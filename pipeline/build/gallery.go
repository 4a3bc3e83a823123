package build

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/gallery"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// cards draws the cards of the report: their families say how.
func cards(ctx context.Context, reg *pipeline.Registry, st pipeline.Store, recs []pipeline.Record) ([]release.GalleryImage, error) {
	chosen, media, err := displayed(recs)
	if err != nil {
		return nil, err
	}
	out := make([]release.GalleryImage, len(chosen))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, q := range chosen {
		out[i].QuestionID = q.QuestionID
		card, found := gallery.Of(reg, q.Family)
		if !found {
			continue
		}
		work.Go(func() (err error) {
			if out[i].Data, err = card.Draw(ctx, q, mediaOf(q, media), st.BlobPath); err != nil {
				return fmt.Errorf("report: card of question %s: %w", q.QuestionID, err)
			}
			return nil
		})
	}
	return out, work.Wait()
}

func mediaOf(q schemas.Question, media map[string]schemas.Media) (out []schemas.Media) {
	for _, id := range q.Media {
		if m, there := media[id]; there {
			out = append(out, m)
		}
	}
	return out
}

// displayed are the questions of the cards, and the media that these are about: what
// is not released must not be seen.
func displayed(recs []pipeline.Record) ([]schemas.Question, map[string]schemas.Media, error) {
	var choice gallery.Choice
	for _, r := range recs {
		if r.Schema != schemas.NameQuestion {
			continue
		}
		q, err := pipeline.Decode[schemas.Question](r)
		if err != nil {
			return nil, nil, err
		}
		choice.Add(q)
	}
	chosen := choice.Questions()
	media := map[string]schemas.Media{}
	for _, r := range recs {
		if r.Schema != schemas.NameMedia {
			continue
		}
		m, err := pipeline.Decode[schemas.Media](r)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(chosen, func(q schemas.Question) bool { return slices.Contains(q.Media, m.MediaID) }) {
			media[m.MediaID] = m
		}
	}
	return chosen, media, nil
}
