package rerun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/store"
)

// mediaStore is a store that has the media of a release besides what is put into it.
// Their bytes were verified when the release was read.
type mediaStore struct {
	pipeline.Store
	files map[pipeline.Digest]string
}

// openMediaStore makes a store in a folder below temp; done removes it.
func openMediaStore(ctx context.Context, c release.Contents, temp string) (s *mediaStore, done func() error, err error) {
	dir, err := os.MkdirTemp(temp, "pictures-")
	if err != nil {
		return nil, nil, fmt.Errorf("folder for pictures: %w", err)
	}
	disk, err := store.Open(ctx, dir)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	s = &mediaStore{Store: disk, files: map[pipeline.Digest]string{}}
	for id, file := range c.Files {
		s.files[pipeline.Digest(id)] = filepath.Join(c.Dir, filepath.FromSlash(file))
	}
	return s, func() error { return errors.Join(disk.Close(), os.RemoveAll(dir)) }, nil
}

// BlobPath implements pipeline.Store.
func (s *mediaStore) BlobPath(ctx context.Context, d pipeline.Digest) (string, error) {
	if file, ok := s.files[d]; ok {
		return file, nil
	}
	return s.Store.BlobPath(ctx, d)
}

// OpenBlob implements pipeline.Store.
func (s *mediaStore) OpenBlob(ctx context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	if file, ok := s.files[d]; ok {
		return atomicfile.Open(file)
	}
	return s.Store.OpenBlob(ctx, d)
}
