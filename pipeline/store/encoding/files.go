package encoding

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// racyWindow is how old a file must be before its size, time and inode are taken as
// proof that it did not change: within this span a second write may leave the
// same time stamp.
const racyWindow = 2 * time.Second

// FileCache are what a store remembers of local files, and how it takes one in.
type FileCache struct {
	May      func() error
	Known    func(ctx context.Context, path string, now FileStamp) (pipeline.Blob, bool, error)
	Put      func(ctx context.Context, path string, move bool) (pipeline.Blob, error)
	Remember func(ctx context.Context, path string, s FileStamp, digest pipeline.Digest) error
}

// CachedFile is CachedFile of any kind of store.
func CachedFile(ctx context.Context, path string, of FileCache) (pipeline.Blob, error) {
	b, err := of.store(ctx, path)
	if err != nil {
		return pipeline.Blob{}, fmt.Errorf("store local file %s: %w", path, err)
	}
	return b, nil
}

func (of FileCache) store(ctx context.Context, path string) (pipeline.Blob, error) {
	if err := of.May(); err != nil {
		return pipeline.Blob{}, err
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return pipeline.Blob{}, err
	}
	began := time.Now()
	before, err := os.Stat(abs)
	if err != nil {
		return pipeline.Blob{}, err
	}
	blob, ok, err := of.Known(ctx, abs, FileStampOf(before))
	if err != nil || ok {
		return blob, err
	}
	b, err := of.Put(ctx, abs, false)
	if err != nil {
		return pipeline.Blob{}, err
	}
	after, err := os.Stat(abs)
	if err != nil {
		return pipeline.Blob{}, err
	}
	if FileStampOf(before) != FileStampOf(after) || b.Size != before.Size() {
		return pipeline.Blob{}, errors.New("the file changed while it was read; let its writer finish and try again")
	}
	if before.ModTime().After(began.Add(-racyWindow)) {
		return b, nil
	}
	return b, of.Remember(ctx, abs, FileStampOf(before), b.Digest)
}
