package draw

import (
	"bytes"
	"context"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Files that pictures are kept as.
const (
	MimePicture = "image/png"
	MimePhoto   = "image/jpeg"
)

// Store stores the picture as a file of a kind and gives the medium that names it.
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
