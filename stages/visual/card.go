package visual

import (
	"context"
	"fmt"
	"image"
	idraw "image/draw"
	"os"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/media/still"
	"github.com/memforge/memforge/pipeline/release/gallery"
	"github.com/memforge/memforge/schemas"
)

// Bounds of a card: the number of pictures, and the frame of each.
const (
	cardPictures = 4
	cardWidth    = 400
	cardHeight   = 300
)

// questionCard shows a question with the pictures of its evidence, in order of time.
func questionCard() gallery.Card {
	return gallery.Card{Family: family, Render: func(ctx context.Context, _ schemas.Question, shown []schemas.Media, file gallery.File) ([]byte, error) {
		shown = shown[:min(len(shown), cardPictures)]
		if len(shown) == 0 {
			return nil, nil
		}
		c, err := draw.NewStudio().NewCanvas(cardWidth*len(shown), cardHeight, draw.Hex(0xf2f2f0))
		if err != nil {
			return nil, err
		}
		for i, m := range shown {
			img, err := loadPicture(ctx, m, file)
			if err != nil {
				return nil, fmt.Errorf("picture %s: %w", m.MediaID, err)
			}
			w, h := cardWidth-8, cardHeight-8
			if width, height := img.Rect.Dx(), img.Rect.Dy(); width*h > height*w {
				h = height * w / width
			} else {
				w = width * h / height
			}
			c.Picture(img, draw.PixelBox(i*cardWidth+(cardWidth-w)/2, (cardHeight-h)/2, w, h), draw.Px(6))
		}
		return c.PNG()
	}}
}

func loadPicture(ctx context.Context, m schemas.Media, file gallery.File) (*image.RGBA, error) {
	path, err := file(ctx, pipeline.Digest(m.MediaID))
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	img, _, err := still.Decode(data, m.Mime, still.DefaultLimits())
	if err != nil {
		return nil, err
	}
	out := image.NewRGBA(img.Bounds())
	idraw.Draw(out, out.Bounds(), img, img.Bounds().Min, idraw.Src)
	return out, nil
}
