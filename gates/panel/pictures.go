package panel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
)

// noPictureError says that no picture can be taken of a medium, in any build.
type noPictureError struct {
	media string
	err   error
}

func (e *noPictureError) Error() string { return fmt.Sprintf("medium %s: %v", e.media, e.err) }

// pictureRecipe is what the pictures of a piece of a video hang on.
type pictureRecipe struct {
	Kind string       `json:"kind"`
	Of   view.Picture `json:"of"`
}

// loadPictures returns an image itself, or pictures taken of a video, once for all calls.
func (e *evaluation) loadPictures(ctx context.Context, p view.Picture) ([]pipeline.Digest, error) {
	if known, ok := e.images[p]; ok {
		return known, nil
	}
	path, err := e.scope.BlobPath(ctx, pipeline.Digest(p.Media))
	if err != nil {
		return nil, fmt.Errorf("show a piece of evidence: %w", err)
	}
	still, err := isImage(path)
	if err != nil {
		return nil, fmt.Errorf("show a piece of evidence: %w", err)
	}
	out := []pipeline.Digest{pipeline.Digest(p.Media)}
	if !still {
		out, err = e.scope.DeriveBlobs(ctx, pictureRecipe{"gate.picture", p}, func() ([]pipeline.Digest, error) { return e.takePictures(ctx, path, p) })
		if err != nil {
			return nil, err
		}
	}
	e.images[p] = out
	return out, nil
}

func isImage(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer f.Close()
	head := make([]byte, 12)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false, err
	}
	head = head[:n]
	return bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")) || bytes.HasPrefix(head, []byte("\xff\xd8\xff")) ||
		bytes.HasPrefix(head, []byte("RIFF")) && bytes.HasSuffix(head, []byte("WEBP")), nil
}

func (e *evaluation) takePictures(ctx context.Context, path string, p view.Picture) ([]pipeline.Digest, error) {
	pictures, err := e.tools.PicturesBetween(ctx, path, p.From, p.To, p.Frames)
	if err != nil {
		return nil, classifyMediaError(ctx, p.Media, err)
	}
	var out []pipeline.Digest
	for _, img := range pictures {
		b, err := media.JPEG(img)
		if err != nil {
			return nil, err
		}
		blob, err := e.scope.PutBlob(ctx, bytes.NewReader(b))
		if err != nil {
			return nil, fmt.Errorf("store a picture: %w", err)
		}
		out = append(out, blob.Digest)
	}
	return out, nil
}

// classifyMediaError tells what lies with the medium from what lies with the machine.
func classifyMediaError(ctx context.Context, id string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var unplayable *media.Unplayable
	var run *media.RunError
	switch {
	case errors.As(err, &unplayable) && unplayable.Code != media.CodeTimeout, errors.Is(err, media.ErrNoMoment):
		return &noPictureError{id, err}
	case errors.As(err, &run) && !run.TimedOut && run.Exit > 0:
		return &noPictureError{id, err}
	}
	return err
}
