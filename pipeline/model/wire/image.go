package wire

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"github.com/disintegration/imaging"
	"github.com/memforge/memforge/pipeline/media/still"
)

// Image is an encoded picture.
type Image struct {
	// Type is image/png or image/jpeg.
	Type string
	Data []byte
}

// ImageBounds of one image.
type ImageBounds struct {
	// LongSide in pixels, Bytes of the encoded image.
	LongSide, Bytes int
}

// Pixels and bytes above which an image is refused undecoded: it would take the
// memory of the process rather than tell anything.
const (
	maxPixels = 100 << 20
	maxBytes  = 1 << 30
)

// ErrImage says that bytes are no picture that can be sent. It concerns the
// item that has them.
var ErrImage = errors.New("the image cannot be sent")

// FitImage makes an image fit the bounds. An upright PNG or JPEG that does is sent as it
// is; any other is turned upright and scaled down, and sent as JPEG if it is still too
// many bytes. A WebP, which not every server knows, becomes a PNG.
func FitImage(data []byte, b ImageBounds) (Image, error) {
	limits := still.Limits{Bytes: maxBytes, Pixels: maxPixels}
	facts, err := still.Inspect(data, "", limits)
	if err != nil {
		return Image{}, fmt.Errorf("%w: %w", ErrImage, err)
	}
	sent := facts.Mime != "image/webp" && facts.Orientation == 1
	if sent && max(facts.Width, facts.Height) <= b.LongSide && len(data) <= b.Bytes {
		return Image{Type: facts.Mime, Data: data}, nil
	}
	img, _, err := still.Decode(data, "", limits)
	if err != nil {
		return Image{}, fmt.Errorf("%w: %w", ErrImage, err)
	}
	if max(facts.Width, facts.Height) > b.LongSide {
		img = imaging.Fit(img, b.LongSide, b.LongSide, imaging.Linear)
	}
	return encodeImage(img, facts.Mime, b)
}

// encodeImage keeps the format while it fits the bytes, then tries JPEG.
func encodeImage(img image.Image, mime string, b ImageBounds) (Image, error) {
	var buf bytes.Buffer
	if mime != "image/jpeg" {
		if err := png.Encode(&buf, img); err != nil {
			return Image{}, fmt.Errorf("encode image: %w", err)
		}
		if buf.Len() <= b.Bytes {
			return Image{Type: "image/png", Data: buf.Bytes()}, nil
		}
	}
	for _, quality := range []int{90, 75, 50} {
		buf.Reset()
		if err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: quality}); err != nil {
			return Image{}, fmt.Errorf("encode image: %w", err)
		}
		if buf.Len() <= b.Bytes {
			return Image{Type: "image/jpeg", Data: buf.Bytes()}, nil
		}
	}
	return Image{}, fmt.Errorf("%w: it still has %d bytes as JPEG, more than %d", ErrImage, buf.Len(), b.Bytes)
}

func (i Image) dataURI() string {
	return "data:" + i.Type + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
}
