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
)

// Bounds of one image.
type Bounds struct {
	// LongSide in pixels, Bytes of the encoded image.
	LongSide, Bytes int
}

// Pixels above which an image is refused undecoded: it would take the memory of
// the process rather than tell anything.
const maxPixels = 100 << 20

// ErrImage says that bytes are no PNG or JPEG that can be sent. It concerns the
// item that has them.
var ErrImage = errors.New("the image cannot be sent")

// Picture makes an image fit the bounds. One that does is sent as it is; a
// larger one is scaled down, and sent as JPEG if it is still too many bytes.
func Picture(data []byte, b Bounds) (Image, error) {
	cfg, format, err := config(data)
	if err != nil {
		return Image{}, err
	}
	if max(cfg.Width, cfg.Height) <= b.LongSide && len(data) <= b.Bytes {
		return Image{Type: "image/" + format, Data: data}, nil
	}
	img, err := decode(data, format)
	if err != nil {
		return Image{}, fmt.Errorf("%w: %v", ErrImage, err)
	}
	if max(cfg.Width, cfg.Height) > b.LongSide {
		img = imaging.Fit(img, b.LongSide, b.LongSide, imaging.Linear)
	}
	return encode(img, format, b)
}

func config(data []byte) (image.Config, string, error) {
	format, read := "", jpeg.DecodeConfig
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		format, read = "png", png.DecodeConfig
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		format = "jpeg"
	default:
		return image.Config{}, "", fmt.Errorf("%w: it is neither PNG nor JPEG", ErrImage)
	}
	cfg, err := read(bytes.NewReader(data))
	if err != nil {
		return cfg, "", fmt.Errorf("%w: %v", ErrImage, err)
	}
	if cfg.Width <= 0 || cfg.Height <= 0 || cfg.Width > maxPixels/cfg.Height {
		return cfg, "", fmt.Errorf("%w: it has %d x %d pixels", ErrImage, cfg.Width, cfg.Height)
	}
	return cfg, format, nil
}

func decode(data []byte, format string) (image.Image, error) {
	if format == "png" {
		return png.Decode(bytes.NewReader(data))
	}
	return jpeg.Decode(bytes.NewReader(data))
}

// encode keeps the format while it fits the bytes, then tries JPEG.
func encode(img image.Image, format string, b Bounds) (Image, error) {
	var buf bytes.Buffer
	if format == "png" {
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

func (i Image) uri() string {
	return "data:" + i.Type + ";base64," + base64.StdEncoding.EncodeToString(i.Data)
}
