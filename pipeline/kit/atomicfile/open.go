// Package atomicfile opens, writes and locks files that others may have touched:
// what is opened is a file, what was written is there after a power cut, whole
// or not at all, and what is locked has one owner.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// FileTypeError says that something other than a file stands where one is read.
type FileTypeError struct {
	Path string
	Mode fs.FileMode
}

func (e *FileTypeError) Error() string {
	return fmt.Sprintf("%s is %s and no file; it is not opened", e.Path, kind(e.Mode))
}

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "of type " + m.Type().String()
}

// Open opens a file for reading, through links, and nothing else: to open a pipe
// waits for a writer that may never come, to read a device may not end, and
// either may happen before anybody can stop it. What is no file is a *FileTypeError.
func Open(name string) (*os.File, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &FileTypeError{name, info.Mode()}
	}
	// A file exchanged now gives no more than an error: nothing is waited for.
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = &FileTypeError{name, info.Mode()}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Read returns a file of at most limit bytes.
func Read(name string, limit int64) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: larger than %d bytes", name, limit)
	}
	return data, nil
}

// URLError says that a URL names something that is kept in no folder, which is the
// one kind of place there is.
type URLError struct{ URL, Scheme string }

func (e *URLError) Error() string {
	return fmt.Sprintf("%q: there is no kind of place for the scheme %q; name a folder, by its path or as file:///path", e.URL, e.Scheme)
}

// FolderFromURL returns the folder that a path or a file:// URL names. Any other URL is a
// *URLError.
func FolderFromURL(place string) (string, error) {
	scheme, _, is := strings.Cut(place, "://")
	if !is {
		return place, nil
	}
	if scheme != "file" {
		return "", &URLError{URL: place, Scheme: scheme}
	}
	u, err := url.Parse(place)
	if err != nil {
		return "", fmt.Errorf("folder of a URL: %w", err)
	}
	if u.Host != "" && u.Host != "localhost" || u.Path == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", fmt.Errorf("%q names no folder of this machine; write file:///path", place)
	}
	return filepath.FromSlash(u.Path), nil
}
