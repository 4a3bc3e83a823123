package atomicfile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Write gives a file what fill writes, or leaves the one that was there: it is
// written under another name in the same folder first, see Place.
func Write(path string, mode fs.FileMode, fill func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+strings.TrimPrefix(filepath.Base(path), ".")+".*")
	if err != nil {
		return err
	}
	if err := fill(f); err != nil {
		return errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return Publish(f, path, mode)
}

// Publish ends the writing of a file under a name of its own: it is synced and
// closed, renamed to path, and the folder synced. What fails leaves what was at
// path, and no f.
func Publish(f *os.File, path string, mode fs.FileMode) error {
	err := errors.Join(f.Chmod(mode), Close(f))
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return Sync(filepath.Dir(path))
}

// Create writes a file that must not be there; fs.ErrExist says that it is.
func Create(path string, mode fs.FileMode, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, Close(f), Sync(filepath.Dir(path)))
}

// Close syncs and closes a file.
func Close(f *os.File) error { return errors.Join(Flush(f), f.Close()) }

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

// Copy copies until from ends or ctx is done. It returns the SHA-256 of what it
// copied, in hexadecimal, and how many bytes that were.
func Copy(ctx context.Context, to io.Writer, from io.Reader) (sum string, n int64, err error) {
	h := sha256.New()
	n, err = io.Copy(io.MultiWriter(to, h), contextReader{ctx, from})
	return hex.EncodeToString(h.Sum(nil)), n, err
}

// contextReader ends a copy when its context does.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}
