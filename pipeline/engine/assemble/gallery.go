package assemble

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/gallery"
	"github.com/memforge/memforge/schemas"
)

// drawCards draws the cards of the report: their families say how.
func drawCards(ctx context.Context, reg *pipeline.Registry, st pipeline.Store, recs iter.Seq2[pipeline.Record, error]) ([]release.GalleryImage, error) {
	chosen, media, err := chooseCards(recs)
	if err != nil {
		return nil, err
	}
	out := make([]release.GalleryImage, len(chosen))
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(runtime.GOMAXPROCS(0))
	for i, q := range chosen {
		out[i].QuestionID = q.QuestionID
		card, found := gallery.CardOf(reg, q.Family)
		if !found {
			continue
		}
		work.Go(func() (err error) {
			if out[i].Data, err = card.Render(ctx, q, mediaOf(q, media), st.BlobPath); err != nil {
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

// chooseCards are the questions of the cards, and the media that these are about: what
// is not released must not be seen.
func chooseCards(recs iter.Seq2[pipeline.Record, error]) ([]schemas.Question, map[string]schemas.Media, error) {
	var choice gallery.Choice
	media := map[string]schemas.Media{}
	err := eachAs(recs, schemas.NameQuestion, choice.Add)
	chosen := choice.Questions()
	if err != nil || !slices.ContainsFunc(chosen, func(q schemas.Question) bool { return len(q.Media) > 0 }) {
		return chosen, media, err
	}
	return chosen, media, eachAs(recs, schemas.NameMedia, func(m schemas.Media) {
		if slices.ContainsFunc(chosen, func(q schemas.Question) bool { return slices.Contains(q.Media, m.MediaID) }) {
			media[m.MediaID] = m
		}
	})
}

// eachAs hands on the records of a schema.
func eachAs[T any](recs iter.Seq2[pipeline.Record, error], schema string, take func(T)) error {
	for r, err := range recs {
		if err != nil {
			return err
		}
		if r.Schema != schema {
			continue
		}
		v, err := pipeline.Decode[T](r)
		if err != nil {
			return err
		}
		take(v)
	}
	return nil
}
