package visual

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/memforge/memforge/gates/panel"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media/still"
	"github.com/memforge/memforge/stages/visual/oracle/picturereader"
)

// eyes let the built-in model read the pictures of this family. The reader is made when
// it is first needed, and reads one picture at a time.
type eyes struct {
	mu     sync.Mutex
	reader *picturereader.Reader
}

// largestRead bounds the pictures that are read: those of this family are smaller.
func largestRead() still.Limits { return still.Limits{Bytes: 16 << 20, Pixels: 4 << 20} }

func (e *eyes) look(ctx context.Context, s *pipeline.Scope, a panel.Asked) (panel.Seen, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.reader == nil {
		var err error
		if e.reader, err = picturereader.New(); err != nil {
			return panel.Seen{}, false, err
		}
	}
	var shown []picturereader.Shown
	for _, p := range a.Passages {
		out := picturereader.Shown{Text: p.Text}
		if len(p.Pictures) > 0 {
			id := p.Pictures[0]
			out.ID, out.Open = string(id), func() (image.Image, error) { return opened(ctx, s, id) }
		}
		shown = append(shown, out)
	}
	got, ok, err := e.reader.Answer(a.Question, a.Options, shown)
	return panel.Seen{Option: got.Option, Unread: got.Unread, Why: got.Why}, ok, err
}

// opened is a picture of the store; one that cannot be decoded is blank, for another
// gate says so.
func opened(ctx context.Context, s *pipeline.Scope, id pipeline.Digest) (image.Image, error) {
	data, err := s.ReadBlob(ctx, id, largestRead().Bytes)
	if err != nil {
		return nil, fmt.Errorf("read the picture %s: %w", id, err)
	}
	img, _, err := still.Decode(data, "", largestRead())
	var bad *still.Error
	if errors.As(err, &bad) {
		return image.NewRGBA(image.Rect(0, 0, 1, 1)), nil
	}
	return img, err
}
