package lifelong

import (
	"context"
	"fmt"
	"image"
	"slices"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media/still"
	"github.com/memforge/memforge/stages/lifelong/oracle/screenreader"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// LegibleConfig says which pictures are read.
type LegibleConfig struct {
	Screens bool `json:"screens" doc:"read the screens of agents too, each of which takes twice the time of another picture"`
}

// largest bounds a picture: bytes of its file, and pixels, far more than any has that is
// drawn here.
const largest = 4 << 20

// legibleGate is the gate trace-legible: what its reader, which has never seen how traces are
// drawn, makes out in the pixels of a picture is what its row says. So nobody can exchange
// pictures, and the rows from which gold follows hold.
type legibleGate struct {
	cfg LegibleConfig
	// reader learns when the first picture comes: a Spec, for which audits build each
	// gate many times, needs none.
	reader func() (*screenreader.Reader, error)
}

func newLegible(c LegibleConfig) (pipeline.Gate, error) {
	return legibleGate{c, sync.OnceValues(screenreader.New)}, nil
}

// Spec implements pipeline.Gate.
func (legibleGate) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{namePicture}} }

// Judge reads each picture.
func (g legibleGate) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) (out []pipeline.Judgement, err error) {
	for _, r := range items {
		x, err := pipeline.Decode[RenderedPicture](r)
		if err != nil {
			return nil, err
		}
		if x.Kind == simulate.Screen && !g.cfg.Screens {
			out = append(out, pipeline.NotApplicable.Because("screen", "screens are not read here"))
			continue
		}
		data, err := scope.ReadBlob(ctx, pipeline.Digest(x.MediaID), largest)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", r.ID, err)
		}
		j, err := g.judgePicture(data, x)
		if err != nil {
			return nil, err
		}
		out = append(out, j)
	}
	return out, nil
}

func (g legibleGate) judgePicture(data []byte, x RenderedPicture) (pipeline.Judgement, error) {
	img, _, err := still.Decode(data, "image/png", still.Limits{Bytes: largest, Pixels: largest})
	if err != nil {
		return pipeline.Fail.Because("bad-picture", "it does not decode: %v", err), nil
	}
	r, err := g.reader()
	if err != nil {
		return pipeline.Judgement{}, err
	}
	return compareReading(r, img, x), nil
}

func compareReading(r *screenreader.Reader, img image.Image, x RenderedPicture) pipeline.Judgement {
	seen, err := r.Read(img, x.Kind)
	if err != nil {
		return pipeline.Fail.Because("illegible", "%v", err)
	}
	if want := x.oraclePicture(); seen.Title != want.Title || !slices.Equal(seen.Rows, want.Rows) {
		return pipeline.Fail.Because("other-content", "it reads %q with %q, and its row says %q with %q", seen.Title, seen.Rows, want.Title, want.Rows)
	}
	return pipeline.Judgement{Outcome: pipeline.Pass}
}
