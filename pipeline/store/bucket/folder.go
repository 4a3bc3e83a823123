package bucket

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// folderObjects are the files of a folder.
type folderObjects struct{ dir string }

func (o folderObjects) path(name string) string {
	return filepath.Join(o.dir, filepath.FromSlash(name))
}

// put makes the object durable before it has its name.
func (o folderObjects) put(ctx context.Context, name, _ string, r io.Reader) error {
	path := o.path(name)
	if err := atomicfile.MakeFolder(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(path, 0o644, func(w io.Writer) error {
		_, _, err := atomicfile.Copy(ctx, w, r)
		return err
	})
}

func (o folderObjects) open(_ context.Context, name string, offset, length int64) (piece, error) {
	f, err := atomicfile.Open(o.path(name))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if length < 0 {
		length = info.Size() - offset
	}
	return filePiece{io.NewSectionReader(f, offset, length), f, info.Size()}, nil
}

func (o folderObjects) create(_ context.Context, name string, data []byte) error {
	path := o.path(name)
	if err := atomicfile.MakeFolder(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Create(path, 0o644, data)
}

// list passes by what put has not finished.
func (o folderObjects) list(ctx context.Context, prefix string, deep bool) (out []Object, err error) {
	top := o.path(prefix)
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist) && path == top:
			return fs.SkipAll
		case err != nil:
			return err
		case d.IsDir() && path != top && !deep:
			return fs.SkipDir
		case !d.Type().IsRegular() || strings.HasPrefix(d.Name(), "."):
			return ctx.Err()
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(o.dir, path)
		out = append(out, Object{Name: filepath.ToSlash(rel), Size: info.Size()})
		return err
	})
	return out, err
}

func (o folderObjects) remove(_ context.Context, name string) error { return os.Remove(o.path(name)) }

func (o folderObjects) close() error { return nil }

type filePiece struct {
	io.Reader
	file *os.File
	size int64
}

func (p filePiece) Close() error { return p.file.Close() }

func (p filePiece) Size() int64 { return p.size }
