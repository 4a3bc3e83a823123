package atomicfile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
