package store

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
	"syscall"

	"github.com/memforge/memforge/pipeline"
)

// stamp tells whether a file is still the one that was verified.
type stamp struct {
	size  int64
	mtime int64 // nanoseconds
	inode uint64
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode = st.Ino
	}
	return s
}

// PutBlob stores the bytes of r. They are durable when it returns.
func (d *Disk) PutBlob(ctx context.Context, r io.Reader) (pipeline.Blob, error) {
	b, err := d.putBlob(ctx, r)
	if err != nil {
		return pipeline.Blob{}, fmt.Errorf("put blob: %w", err)
	}
	return b, nil
}

func (d *Disk) putBlob(ctx context.Context, r io.Reader) (pipeline.Blob, error) {
	if err := d.writable(); err != nil {
		return pipeline.Blob{}, err
	}
	tmp, err := os.CreateTemp(d.path(tmpDir), "blob-")
	if err != nil {
		return pipeline.Blob{}, err
	}
	b, err := d.fill(ctx, tmp, r)
	if err == nil {
		return b, nil
	}
	rmErr := os.Remove(tmp.Name())
	if errors.Is(rmErr, fs.ErrNotExist) {
		rmErr = nil
	}
	return pipeline.Blob{}, errors.Join(err, rmErr)
}

// fill writes r to tmp, closes it and publishes it.
func (d *Disk) fill(ctx context.Context, tmp *os.File, r io.Reader) (pipeline.Blob, error) {
	b, err := copyHashed(ctx, tmp, r)
	if err == nil {
		err = tmp.Chmod(0o444)
	}
	if err != nil {
		return pipeline.Blob{}, errors.Join(err, tmp.Close())
	}
	return b, d.publish(ctx, tmp, b)
}

// publish moves an open, completely written file to its place and closes it.
func (d *Disk) publish(ctx context.Context, f *os.File, b pipeline.Blob) error {
	unlock, err := d.blobs.lock(ctx, b.Digest)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	defer unlock()
	at := d.blobFile(b.Digest)
	if info, err := os.Lstat(at); err == nil && info.Mode().IsRegular() && info.Size() == b.Size {
		return errors.Join(f.Close(), os.Remove(f.Name()), d.syncOnce(b.Digest))
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(d.flush(f), f.Close()); err != nil {
		return err
	}
	if err := d.makeBlobFolder(b.Digest); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), at); err != nil {
		return err
	}
	if err := d.syncFolder(b.Digest); err != nil {
		return err
	}
	d.verified.note(b.Digest, stampOf(info))
	return nil
}

// PutFile stores the file at path. With move the file is gone afterwards: it
// is renamed into the store when it lies on the same file system, else copied
// and removed. The caller must not write to it any more.
func (d *Disk) PutFile(ctx context.Context, path string, move bool) (pipeline.Blob, error) {
	b, err := d.putFile(ctx, path, move)
	if err != nil {
		return pipeline.Blob{}, fmt.Errorf("put file %s: %w", path, err)
	}
	return b, nil
}

func (d *Disk) putFile(ctx context.Context, path string, move bool) (pipeline.Blob, error) {
	if err := d.writable(); err != nil {
		return pipeline.Blob{}, err
	}
	return putFile(ctx, path, move, d.dir, d.adopt, d.putBlob)
}

// putFile is PutFile of any kind of store: what lies on the file system of dir is
// adopted, all else copied by put.
func putFile(ctx context.Context, path string, move bool, dir string, adopt func(context.Context, *os.File) (pipeline.Blob, error), put func(context.Context, io.Reader) (pipeline.Blob, error)) (pipeline.Blob, error) {
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

// adopt renames an open file into the store and closes it.
func (d *Disk) adopt(ctx context.Context, f *os.File) (pipeline.Blob, error) {
	b, err := hashStable(ctx, f)
	if err == nil {
		err = f.Chmod(0o444)
	}
	if err != nil {
		return pipeline.Blob{}, errors.Join(err, f.Close())
	}
	return b, d.publish(ctx, f, b)
}

// hashStable hashes an open file and fails when it changes meanwhile.
func hashStable(ctx context.Context, f *os.File) (pipeline.Blob, error) {
	before, err := f.Stat()
	if err != nil {
		return pipeline.Blob{}, err
	}
	b, err := copyHashed(ctx, io.Discard, f)
	if err != nil {
		return pipeline.Blob{}, err
	}
	after, err := f.Stat()
	if err != nil {
		return pipeline.Blob{}, err
	}
	if stampOf(before) != stampOf(after) || b.Size != after.Size() {
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

// copyHashed copies r to w and names the bytes. It stops when ctx is done.
func copyHashed(ctx context.Context, w io.Writer, r io.Reader) (pipeline.Blob, error) {
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

func (d *Disk) blobFile(digest pipeline.Digest) string {
	return d.path(blobsDir, string(digest[:2]), string(digest))
}

// makeBlobFolder makes the folder of a blob durable. One that is there already
// may be the work of a process that died before it synced, hence the first sync.
func (d *Disk) makeBlobFolder(digest pipeline.Digest) error {
	d.folders.Lock()
	defer d.folders.Unlock()
	err := os.Mkdir(filepath.Dir(d.blobFile(digest)), 0o755)
	if errors.Is(err, fs.ErrExist) && d.rootSynced {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	d.rootSynced = false
	if err := d.syncDir(d.path(blobsDir)); err != nil {
		return err
	}
	d.rootSynced = true
	return nil
}

// syncOnce makes the entry of a blob found in place durable: a process killed
// between rename and sync may have left it.
func (d *Disk) syncOnce(digest pipeline.Digest) error {
	d.mu.Lock()
	done := d.synced[string(digest[:2])]
	d.mu.Unlock()
	if done {
		return nil
	}
	if err := d.makeBlobFolder(digest); err != nil {
		return err
	}
	return d.syncFolder(digest)
}

// syncFolder syncs the folder of a blob and remembers how that went.
func (d *Disk) syncFolder(digest pipeline.Digest) error {
	err := d.syncDir(filepath.Dir(d.blobFile(digest)))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.synced[string(digest[:2])] = err == nil
	return err
}
