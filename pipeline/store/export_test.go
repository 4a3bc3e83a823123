package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// OpenFlushing is Open for tests: flush stands for the sync of files and folders.
func OpenFlushing(ctx context.Context, dir string, flush func(*os.File) error) (*Disk, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	d := newDisk(abs)
	d.flush = flush
	if err := d.prepare(ctx, false); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}
