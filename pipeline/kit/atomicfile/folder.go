package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

// MakeFolder makes a folder and those above it, and makes them durable: the
// entry of a new folder stands in the one above, which is synced for it, up to
// the first that was there before.
func MakeFolder(dir string, mode fs.FileMode) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("make folder %s: %w", dir, err)
	}
	return makeFolder(abs, mode, Sync)
}

func makeFolder(dir string, mode fs.FileMode, sync func(string) error) error {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return fmt.Errorf("make folder %s: %w", dir, &fs.PathError{Op: "mkdir", Path: dir, Err: errors.New("something else is there")})
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("make folder: %w", err)
	}
	above := filepath.Dir(dir)
	if err := makeFolder(above, mode, sync); err != nil {
		return err
	}
	if err := os.Mkdir(dir, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make folder: %w", err)
	}
	return sync(above)
}

// Sync makes a file, or the entries of a folder, durable.
func Sync(path string) error { return SyncBy(path, Flush) }

// Flush returns when what was written to a file survives a power cut.
func Flush(f *os.File) error { return f.Sync() }

// SyncBy is Sync for those who note or fail what flush does.
func SyncBy(path string, flush func(*os.File) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	return errors.Join(flush(f), f.Close())
}

// SyncTree makes a folder and all below it durable, a few files at a time.
func SyncTree(dir string) error {
	var group errgroup.Group
	group.SetLimit(8)
	err := filepath.WalkDir(dir, func(p string, _ fs.DirEntry, err error) error {
		if err == nil {
			group.Go(func() error { return Sync(p) })
		}
		return err
	})
	return errors.Join(err, group.Wait())
}
