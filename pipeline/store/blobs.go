package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/store/encoding"
)

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
	b, err := encoding.CopyHashed(ctx, tmp, r)
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
	unlock, err := d.blobs.Lock(ctx, b.Digest)
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
	d.verified.Note(b.Digest, encoding.FileStampOf(info))
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
	return encoding.PutFile(ctx, path, move, d.dir, d.addFile, d.putBlob)
}

// addFile renames an open file into the store and closes it.
func (d *Disk) addFile(ctx context.Context, f *os.File) (pipeline.Blob, error) {
	b, err := encoding.HashStable(ctx, f)
	if err == nil {
		err = f.Chmod(0o444)
	}
	if err != nil {
		return pipeline.Blob{}, errors.Join(err, f.Close())
	}
	return b, d.publish(ctx, f, b)
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
