package assemble

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
)

// scratch is a store over one that is only read: what is put into it lies in a
// folder of its own until it is closed. It takes blobs and no results.
type scratch struct {
	pipeline.Store
	dir string
}

func newScratch(under pipeline.Store) (*scratch, error) {
	dir, err := os.MkdirTemp("", "memforge-show-")
	if err != nil {
		return nil, fmt.Errorf("make a scratch folder: %w", err)
	}
	return &scratch{under, dir}, nil
}

// Close removes what was put.
func (s *scratch) Close() error { return os.RemoveAll(s.dir) }

func (s *scratch) path(d pipeline.Digest) string { return filepath.Join(s.dir, string(d)) }

func (s *scratch) has(d pipeline.Digest) bool {
	_, err := os.Stat(s.path(d))
	return err == nil
}

// PutBlob implements pipeline.Store.
func (s *scratch) PutBlob(_ context.Context, r io.Reader) (pipeline.Blob, error) {
	f, err := os.CreateTemp(s.dir, "put-")
	if err != nil {
		return pipeline.Blob{}, fmt.Errorf("put blob: %w", err)
	}
	h := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, h), r)
	if err = errors.Join(err, f.Close()); err != nil {
		return pipeline.Blob{}, fmt.Errorf("put blob: %w", err)
	}
	b := pipeline.Blob{Digest: pipeline.Digest(hex.EncodeToString(h.Sum(nil))), Size: n}
	return b, os.Rename(f.Name(), s.path(b.Digest))
}

// PutFile implements pipeline.Store.
func (s *scratch) PutFile(ctx context.Context, path string, move bool) (pipeline.Blob, error) {
	f, err := os.Open(path)
	if err != nil {
		return pipeline.Blob{}, fmt.Errorf("put file: %w", err)
	}
	b, err := s.PutBlob(ctx, f)
	err = errors.Join(err, f.Close())
	if err == nil && move {
		err = os.Remove(path)
	}
	return b, err
}

// OpenBlob implements pipeline.Store.
func (s *scratch) OpenBlob(ctx context.Context, d pipeline.Digest) (io.ReadCloser, error) {
	if s.has(d) {
		return os.Open(s.path(d))
	}
	return s.Store.OpenBlob(ctx, d)
}

// BlobPath implements pipeline.Store.
func (s *scratch) BlobPath(ctx context.Context, d pipeline.Digest) (string, error) {
	if s.has(d) {
		return s.path(d), nil
	}
	return s.Store.BlobPath(ctx, d)
}

// MissingBlobs implements pipeline.Store.
func (s *scratch) MissingBlobs(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Digest, error) {
	var asked []pipeline.Digest
	for _, d := range ds {
		if !s.has(d) {
			asked = append(asked, d)
		}
	}
	return s.Store.MissingBlobs(ctx, asked)
}
