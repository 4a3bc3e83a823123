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

// builtInReader lets the built-in model read the pictures of this family. It makes its
// reader at first use and reads one picture at a time.
type builtInReader struct {
	mu     sync.Mutex
	reader *picturereader.Reader
}

func readLimits() still.Limits { return still.Limits{Bytes: 16 << 20, Pixels: 4 << 20} }

func (e *builtInReader) readPictures(ctx context.Context, s *pipeline.Scope, a panel.PictureQuestion) (panel.PictureAnswer, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.reader == nil {
		var err error
		if e.reader, err = picturereader.New(); err != nil {
			return panel.PictureAnswer{}, false, err
		}
	}
	var shown []picturereader.Passage
	for _, p := range a.Passages {
		out := picturereader.Passage{Text: p.Text}
		if len(p.Pictures) > 0 {
			id := p.Pictures[0]
			out.ID, out.Open = string(id), func() (image.Image, error) { return openPicture(ctx, s, id) }
		}
		shown = append(shown, out)
	}
	got, ok, err := e.reader.Answer(a.Question, a.Options, shown)
	return panel.PictureAnswer{Option: got.Option, Unreadable: got.Unread, Why: got.Why}, ok, err
}

// openPicture decodes a picture of the store. One that cannot be decoded is blank: the
// gate visual.picture reports it.
func openPicture(ctx context.Context, s *pipeline.Scope, id pipeline.Digest) (image.Image, error) {
	data, err := s.ReadBlob(ctx, id, readLimits().Bytes)
	if err != nil {
		return nil, fmt.Errorf("read the picture %s: %w", id, err)
	}
	img, _, err := still.Decode(data, "", readLimits())
	var bad *still.Error
	if errors.As(err, &bad) {
		return image.NewRGBA(image.Rect(0, 0, 1, 1)), nil
	}
	return img, err
}
