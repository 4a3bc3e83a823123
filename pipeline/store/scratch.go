package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// scratch is a store that has files beside what is put into it.
type scratch struct {
	pipeline.Store
	files map[pipeline.Digest]string
}

// OpenScratch makes a store in a folder below temp that also has the blobs of files, whose
// bytes were verified before. Done removes it.
func OpenScratch(ctx context.Context, temp string, files map[pipeline.Digest]string) (s pipeline.Store, done func() error, err error) {
	dir, err := os.MkdirTemp(temp, "memforge-scratch-")
	if err != nil {
		return nil, nil, fmt.Errorf("folder for pictures: %w", err)
	}
	disk, err := Open(ctx, dir)
	if err != nil {
		return nil, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return scratch{disk, files}, func() error { return errors.Join(disk.Close(), os.RemoveAll(dir)) }, nil
}

// BlobPath implements pipeline.Store.
func (s scratch) BlobPath(ctx context.Context, d pipeline.Digest) (string, error) {
	if file, ok := s.files[d]; ok {
		return file, nil
	}
	return s.Store.BlobPath(ctx, d)
}

// OpenBlob implements pipeline.Store.
func (s scratch) OpenBlob(ctx context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	if file, ok := s.files[d]; ok {
		return atomicfile.Open(file)
	}
	return s.Store.OpenBlob(ctx, d)
}
