package video

import (
	"context"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// ConcatConfig configures video.concat, which has nothing to set.
type ConcatConfig struct{}

// Orders of a concatenated pair.
const (
	orderAB = "AB"
	orderBA = "BA"
)

// concat plays the videos of a pair one after the other, in both orders
// (M3Eval 3.1.2), without encoding the picture again.
type concat struct{ tools *media.Tools }

func newConcat(ConcatConfig) (pipeline.Stage, error) { return &concat{media.Lazy()}, nil }

func (*concat) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts:  []string{schemas.NamePair},
		Emits:    []string{schemas.NameComposition, schemas.NameMedia, schemas.NameTask},
		Resource: pipeline.FFmpeg, Tools: []string{ffmpeg},
	}
}

func (s *concat) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	p, err := pipeline.Decode[schemas.Pair](in)
	if err != nil {
		return nil, err
	}
	ab, err := join(ctx, scope, s.tools, schemas.LayoutConcat, p.A, p.B)
	if err != nil {
		return nil, err
	}
	ba, err := join(ctx, scope, s.tools, schemas.LayoutConcat, p.B, p.A)
	if err != nil {
		return nil, err
	}
	return pairRecords(p, schemas.LayoutConcat, "Two similar videos one after the other, in both orders.",
		[]schemas.Composition{{Pair: p, Media: ab, Order: orderAB}, {Pair: p, Media: ba, Order: orderBA}})
}
