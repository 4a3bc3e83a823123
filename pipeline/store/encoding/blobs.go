package encoding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/memforge/memforge/pipeline"
)

// FileStamp tells whether a file is still the one that was verified.
type FileStamp struct {
	Size  int64
	Mtime int64 // nanoseconds
	Inode uint64
}

// FileStampOf is the stamp of a file.
func FileStampOf(info fs.FileInfo) FileStamp {
	s := FileStamp{Size: info.Size(), Mtime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.Inode = st.Ino
	}
	return s
}

// PutFile is PutFile of any kind of store: what lies on the file system of dir is
// adopted, all else copied by put.
func PutFile(ctx context.Context, path string, move bool, dir string, adopt func(context.Context, *os.File) (pipeline.Blob, error), put func(context.Context, io.Reader) (pipeline.Blob, error)) (pipeline.Blob, error) {
	f, err := openRegular(path)
	if err != nil {
		return pipeline.Blob{}, err
	}
	if move && canRename(path, dir) {
		b, err := adopt(ctx, f)
		if !errors.Is(err, syscall.EXDEV) && !errors.Is(err, fs.ErrPermission) {
			return b, err
		}
		// Another mount of the same file system, or a stranger's file.
		if f, err = openRegular(path); err != nil {
			return pipeline.Blob{}, err
		}
	}
	b, err := put(ctx, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return pipeline.Blob{}, err
	}
	if !move {
		return b, nil
	}
	return b, os.Remove(path)
}

// canRename reports whether path is a plain file of the file system of dir that no
// second name can reach once it is a blob.
func canRename(path, dir string) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	root, err := os.Stat(dir)
	if err != nil {
		return false
	}
	file, ok1 := info.Sys().(*syscall.Stat_t)
	here, ok2 := root.Sys().(*syscall.Stat_t)
	return ok1 && ok2 && file.Dev == here.Dev && file.Nlink == 1
}

// HashStable hashes an open file and fails when it changes meanwhile.
func HashStable(ctx context.Context, f *os.File) (pipeline.Blob, error) {
	before, err := f.Stat()
	if err != nil {
		return pipeline.Blob{}, err
	}
	b, err := CopyHashed(ctx, io.Discard, f)
	if err != nil {
		return pipeline.Blob{}, err
	}
	after, err := f.Stat()
	if err != nil {
		return pipeline.Blob{}, err
	}
	if FileStampOf(before) != FileStampOf(after) || b.Size != after.Size() {
		return pipeline.Blob{}, errors.New("the file changed while it was read; let its writer finish and try again")
	}
	return b, nil
}

func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("it is not a regular file but %s", info.Mode())
	}
	return os.Open(path)
}

// CopyHashed copies r to w and names the bytes. It stops when ctx is done.
func CopyHashed(ctx context.Context, w io.Writer, r io.Reader) (pipeline.Blob, error) {
	h := sha256.New()
	n, err := io.CopyBuffer(onlyWriter{io.MultiWriter(w, h)}, ctxReader{ctx, r}, make([]byte, 128<<10))
	if err != nil {
		return pipeline.Blob{}, err
	}
	return pipeline.Blob{Digest: pipeline.Digest(hex.EncodeToString(h.Sum(nil))), Size: n}, nil
}

// onlyWriter hides ReadFrom, so that CopyBuffer uses its buffer.
type onlyWriter struct{ io.Writer }

type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c ctxReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.r.Read(p)
}
