package audit

import (
	"bytes"
	"context"
	"io"
	"os"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
)

// largestPicture bounds what a gate is given to look at, in bytes: as much as a source
// takes of a stranger's picture.
const largestPicture = 64 << 20

// pictureStore is what a gate that asks nobody finds in an audit: the pictures of the release.
// Every other blob is pipeline.ErrNoStore, so a gate that looks at videos or at what
// stands in the builder's store is not worked out again.
type pictureStore struct {
	pipeline.Store // nil: a scope asks for nothing else
	contents       release.Contents
	pictures       map[pipeline.Digest]bool
}

func newPictureStore(c release.Contents) *pictureStore {
	s := &pictureStore{contents: c, pictures: map[pipeline.Digest]bool{}}
	for _, m := range c.Media {
		if m.Kind == "image" && m.Bytes <= largestPicture {
			s.pictures[pipeline.Digest(m.MediaID)] = true
		}
	}
	return s
}

// OpenBlob reads a picture, and holds that it still has the bytes that were verified.
func (s *pictureStore) OpenBlob(ctx context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	if !s.pictures[d] {
		return nil, pipeline.ErrNoStore
	}
	var data []byte
	err := s.contents.ReadMedium(ctx, string(d), func(f *os.File) (err error) {
		data, err = io.ReadAll(io.LimitReader(f, largestPicture+1))
		return err
	})
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// PutBlob keeps nothing.
func (*pictureStore) PutBlob(context.Context, io.Reader) (pipeline.Blob, error) {
	return pipeline.Blob{}, pipeline.ErrNoStore
}

// PutFile keeps nothing.
func (*pictureStore) PutFile(context.Context, string, bool) (pipeline.Blob, error) {
	return pipeline.Blob{}, pipeline.ErrNoStore
}

// BlobPath gives no file: who reads one could not tell that it was exchanged.
func (*pictureStore) BlobPath(context.Context, pipeline.Digest) (string, error) {
	return "", pipeline.ErrNoStore
}

// MissingBlobs is asked of stores that something is put into.
func (*pictureStore) MissingBlobs(context.Context, []pipeline.Digest) ([]pipeline.Digest, error) {
	return nil, pipeline.ErrNoStore
}
