package crosssource

import (
	"context"
	"fmt"
	"image"
	"slices"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw/ocr"
	"github.com/memforge/memforge/pipeline/media/still"
)

// Bounds of an exhibit: bytes of its file, and pixels, far more than any has that is drawn
// here, for looking at each takes time.
const (
	mostPicture = 4 << 20
	mostPixels  = 4 << 20
)

// legibleGate is the gate exhibit-legible: what its reader, which has never seen how
// exhibits are drawn, makes out in the pixels of a picture is what its row says. So
// evidence can be seen, and the row from which gold is worked out holds.
type legibleGate struct {
	// reader learns when the first picture comes: a Spec, for which audits build each
	// gate many times, needs none.
	reader func() (*ocr.Reader, error)
}

func newLegible() (pipeline.Gate, error) {
	return legibleGate{sync.OnceValues(func() (*ocr.Reader, error) { return ocr.New(ocr.PictureFonts) })}, nil
}

// Spec implements pipeline.Gate.
func (legibleGate) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{namePicture}} }

// Judge reads each picture.
func (g legibleGate) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	out := make([]pipeline.Judgement, len(items))
	for i, r := range items {
		x, err := pipeline.Decode[RenderedPicture](r)
		if err != nil {
			return nil, err
		}
		if out[i], err = g.judgePicture(ctx, scope, x); err != nil {
			return nil, fmt.Errorf("read %s: %w", r.ID, err)
		}
	}
	return out, nil
}

func (g legibleGate) judgePicture(ctx context.Context, scope *pipeline.Scope, x RenderedPicture) (pipeline.Judgement, error) {
	data, err := scope.ReadBlob(ctx, pipeline.Digest(x.MediaID), mostPicture)
	if err != nil {
		return pipeline.Judgement{}, err
	}
	img, _, err := still.Decode(data, "image/png", still.Limits{Bytes: mostPicture, Pixels: mostPixels})
	if err != nil {
		return pipeline.Fail.Because("bad-picture", "it does not decode: %v", err), nil
	}
	r, err := g.reader()
	if err != nil {
		return pipeline.Judgement{}, err
	}
	return compareReading(r, img, x), nil
}

func compareReading(r *ocr.Reader, img image.Image, x RenderedPicture) pipeline.Judgement {
	seen, err := r.Read(img, x.Kind)
	if err != nil {
		return pipeline.Fail.Because("illegible", "%v", err)
	}
	if why := differenceFromRow(seen, x); why != "" {
		return pipeline.Fail.Because("other-content", "%s", why)
	}
	return pipeline.Judgement{Outcome: pipeline.Pass}
}

// differenceFromRow says where a picture shows something else than its row; a chart does not
// show what its labels are, and cards and pages have no heads.
func differenceFromRow(seen ocr.Content, x RenderedPicture) string {
	columns := x.Columns
	switch x.Kind {
	case ocr.Chart:
		columns = x.Columns[min(1, len(x.Columns)):]
	case ocr.Card, ocr.Page:
		columns = nil
	}
	switch {
	case seen.Title != x.Title:
		return fmt.Sprintf("its title reads %q, and its row says %q", seen.Title, x.Title)
	case !slices.Equal(seen.Columns, columns):
		return fmt.Sprintf("its columns read %q, and its row says %q", seen.Columns, columns)
	case len(seen.Rows) != len(x.Rows):
		return fmt.Sprintf("it shows %d rows, and its row says %d", len(seen.Rows), len(x.Rows))
	}
	for i, r := range x.Rows {
		if !slices.Equal(seen.Rows[i], r.Cells) {
			return fmt.Sprintf("its row %d reads %q, and its row of the table says %q", i+1, seen.Rows[i], r.Cells)
		}
	}
	return ""
}
