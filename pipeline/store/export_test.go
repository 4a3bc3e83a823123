package store

import (
	"context"
	"errors"
	"os"
	"path/filepath"
)

// OpenFlushing is Open for tests: flush stands for the sync of files and folders, and
// commits of any size write a row of recent if recent is set.
func OpenFlushing(ctx context.Context, dir string, flush func(*os.File) error, recent bool) (*Disk, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	d := newDisk(abs)
	d.flush = flush
	if err := d.prepare(ctx, false); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if recent {
		d.write.leastRecent = 1
	}
	return d, nil
}
