package visual

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media/still"
	"github.com/memforge/memforge/schemas"
)

// pictureGate is the gate visual.picture: a picture must decode completely and match
// its row. The tests check what it shows.
type pictureGate struct{}

func newPictureGate(struct{}) (pipeline.Gate, error) { return pictureGate{}, nil }

func (pictureGate) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{schemas.NameMedia}} }

func (pictureGate) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	out := make([]pipeline.Judgement, len(items))
	for i, r := range items {
		m, err := pipeline.Decode[schemas.Media](r)
		if err != nil {
			return nil, err
		}
		if out[i], err = judgePicture(ctx, scope, m); err != nil {
			return nil, fmt.Errorf("look at %s: %w", r.ID, err)
		}
	}
	return out, nil
}

func judgePicture(ctx context.Context, scope *pipeline.Scope, m schemas.Media) (pipeline.Judgement, error) {
	if m.Kind != "image" {
		return pipeline.NotApplicable.Because("no-picture", "it is of kind %q; this gate looks at pictures", m.Kind), nil
	}
	data, err := scope.ReadBlob(ctx, pipeline.Digest(m.MediaID), m.Bytes)
	if err != nil {
		return pipeline.Judgement{}, err
	}
	if int64(len(data)) != m.Bytes {
		return pipeline.Fail.Because("bad-row", "its row states %d bytes", m.Bytes), nil
	}
	_, is, err := still.Decode(data, m.Mime, still.DefaultLimits())
	if err != nil {
		return pipeline.Fail.Because("bad-picture", "it does not decode as %s: %v", m.Mime, err), nil
	}
	// A row states the size as stored, whichever way up the picture is to be held.
	if is.Width != int(m.Width) || is.Height != int(m.Height) {
		return pipeline.Fail.Because("bad-row", "it has %d x %d pixels and its row states %d x %d", is.Width, is.Height, m.Width, m.Height), nil
	}
	return pipeline.Judgement{Outcome: pipeline.Pass}, nil
}
