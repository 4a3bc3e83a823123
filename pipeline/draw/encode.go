package draw

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// pngBuffers keep the encoder's buffer from picture to picture.
type pngBuffers struct{ one *png.EncoderBuffer }

func (b *pngBuffers) Get() *png.EncoderBuffer  { return b.one }
func (b *pngBuffers) Put(e *png.EncoderBuffer) { b.one = e }

// PNG encodes the picture fast rather than small. Its bytes depend on the release
// of Go; [Canvas.Pixels] does not.
func (c *Canvas) PNG() ([]byte, error) {
	if c.err != nil {
		return nil, c.err
	}
	var out bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &c.studio.buffers}
	if err := e.Encode(&out, c.img); err != nil {
		return nil, fmt.Errorf("encode a picture as PNG: %w", err)
	}
	return out.Bytes(), nil
}

// JPEG encodes the picture as photographs are, at quality 92.
func (c *Canvas) JPEG() ([]byte, error) {
	if c.err != nil {
		return nil, c.err
	}
	var out bytes.Buffer
	if err := jpeg.Encode(&out, c.img, &jpeg.Options{Quality: 92}); err != nil {
		return nil, fmt.Errorf("encode a picture as JPEG: %w", err)
	}
	return out.Bytes(), nil
}

// PixelDigest returns the digest of the picture itself, whatever file holds it:
// of its width, height and the red, green and blue of each pixel.
func (c *Canvas) PixelDigest() pipeline.Digest { return DigestPixels(c.img) }

// DigestPixels returns the digest of a picture without transparency.
func DigestPixels(img *image.RGBA) pipeline.Digest {
	h, row := sha256.New(), make([]byte, 3*img.Rect.Dx())
	fmt.Fprintf(h, "pixels %d %d\n", img.Rect.Dx(), img.Rect.Dy())
	for y := range img.Rect.Dy() {
		from := img.Pix[y*img.Stride:]
		for i, j := 0, 0; i < len(row); i, j = i+3, j+4 {
			to, of := row[i:i+3:i+3], from[j:j+3:j+3]
			to[0], to[1], to[2] = of[0], of[1], of[2]
		}
		h.Write(row)
	}
	return pipeline.Digest(hex.EncodeToString(h.Sum(nil)))
}

// Files that pictures are kept as.
const (
	MimePicture = "image/png"
	MimePhoto   = "image/jpeg"
)

// Store stores the picture as a file of a kind and returns the medium that
// names it.
func (c *Canvas) Store(ctx context.Context, scope *pipeline.Scope, mime, license string) (schemas.Media, error) {
	encode := c.PNG
	if mime == MimePhoto {
		encode = c.JPEG
	}
	data, err := encode()
	if err != nil {
		return schemas.Media{}, err
	}
	b, err := scope.PutBlob(ctx, bytes.NewReader(data))
	if err != nil {
		return schemas.Media{}, err
	}
	w, h := c.Size()
	return schemas.Media{
		MediaID: string(b.Digest), Kind: "image", Mime: mime, Bytes: int64(len(data)), Width: int32(w), Height: int32(h), License: license,
	}, nil
}
