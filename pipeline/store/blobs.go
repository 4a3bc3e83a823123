package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
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

// OpenBlob reads a blob. The last Read returns a *pipeline.CorruptError in
// place of io.EOF when the bytes do not have the digest; the blob is then moved
// to the corrupt folder, so that a rerun makes it again. An absent blob is
// pipeline.ErrNoBlob.
func (d *Disk) OpenBlob(ctx context.Context, digest pipeline.Digest) (io.ReadCloser, error) {
	f, err := d.openBlob(digest)
	if err != nil {
		return nil, fmt.Errorf("open blob: %w", err)
	}
	return encoding.ReadFile(ctx, digest, f, func() error { return d.quarantine(ctx, digest, f) }), nil
}

func (d *Disk) openBlob(digest pipeline.Digest) (*os.File, error) {
	if _, err := pipeline.ParseDigest(string(digest)); err != nil {
		return nil, err
	}
	f, err := atomicfile.Open(d.blobFile(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, encoding.NoBlob(digest)
	}
	return f, err
}

// BlobPath returns a read-only file with the blob's bytes. They are hashed at
// the first call of a process and again whenever size, time or inode changed.
func (d *Disk) BlobPath(ctx context.Context, digest pipeline.Digest) (string, error) {
	if err := d.verify(ctx, digest); err != nil {
		return "", fmt.Errorf("blob path: %w", err)
	}
	return d.blobFile(digest), nil
}

func (d *Disk) verify(ctx context.Context, digest pipeline.Digest) error {
	f, err := d.openBlob(digest)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if d.verified.Is(digest, encoding.FileStampOf(info)) {
		return f.Close()
	}
	return errors.Join(d.verifyOpen(ctx, digest, f), f.Close())
}

// verifyOpen hashes f, once however many goroutines ask.
func (d *Disk) verifyOpen(ctx context.Context, digest pipeline.Digest, f *os.File) error {
	got, info, err := d.hashOnce(ctx, digest, f)
	if err != nil {
		return fmt.Errorf("read blob %s: %w", digest, err)
	}
	if got == digest {
		d.verified.Note(digest, encoding.FileStampOf(info))
		return nil
	}
	return encoding.JoinIf(&pipeline.CorruptError{Digest: digest, Got: got}, d.quarantine(ctx, digest, f))
}

func (d *Disk) hashOnce(ctx context.Context, digest pipeline.Digest, f *os.File) (pipeline.Digest, fs.FileInfo, error) {
	unlock, err := d.blobs.Lock(ctx, digest)
	if err != nil {
		return "", nil, err
	}
	defer unlock()
	info, err := f.Stat()
	if err != nil {
		return "", nil, err
	}
	if d.verified.Is(digest, encoding.FileStampOf(info)) {
		return digest, info, nil
	}
	b, err := encoding.HashStable(ctx, f)
	if err == nil && b.Digest == digest {
		d.verified.Note(digest, encoding.FileStampOf(info))
	}
	return b.Digest, info, err
}

// quarantine moves a corrupt blob to the corrupt folder. bad is the open file
// that failed: when another file took its place meanwhile, that one stays.
func (d *Disk) quarantine(ctx context.Context, digest pipeline.Digest, bad *os.File) error {
	if d.write == nil {
		return nil
	}
	unlock, err := d.blobs.Lock(ctx, digest)
	if err != nil {
		return err
	}
	defer unlock()
	at := d.blobFile(digest)
	now, err := os.Stat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	was, err := bad.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(now, was) {
		return nil
	}
	return d.moveToCorrupt(at)
}

// moveToCorrupt renames a file into the corrupt folder under a free name.
func (d *Disk) moveToCorrupt(path string) error {
	name := filepath.Base(path)
	for n := 0; ; n++ {
		to := d.path(corruptDir, name)
		if n > 0 {
			to += "." + strconv.Itoa(n)
		}
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.Rename(path, to); err != nil {
			return fmt.Errorf("set corrupt file aside: %w", err)
		}
		return errors.Join(d.syncDir(filepath.Dir(path)), d.syncDir(d.path(corruptDir)))
	}
}

// MissingBlobs reports which of the digests are absent, by name only.
func (d *Disk) MissingBlobs(ctx context.Context, ds []pipeline.Digest) ([]pipeline.Digest, error) {
	var missing []pipeline.Digest
	for _, digest := range ds {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if _, err := pipeline.ParseDigest(string(digest)); err != nil {
			return nil, fmt.Errorf("missing blobs: %w", err)
		}
		ok, err := d.hasBlob(digest)
		if err != nil {
			return nil, err
		}
		if !ok {
			missing = append(missing, digest)
		}
	}
	return missing, nil
}

func (d *Disk) hasBlob(digest pipeline.Digest) (bool, error) {
	info, err := os.Lstat(d.blobFile(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for blob %s: %w", digest, err)
	}
	return info.Mode().IsRegular(), nil
}

// CachedFile stores a local file as a blob. The file is not read when path,
// size, time and inode are those of an earlier call and the blob is there.
func (d *Disk) CachedFile(ctx context.Context, path string) (pipeline.Blob, error) {
	return encoding.CachedFile(ctx, path, encoding.FileCache{May: d.writable, Known: d.knownFile, Put: d.putFile, Remember: d.rememberFile})
}

// KnownFile returns the blob of a local file that CachedFile has stored and that has not
// changed since, without reading it.
func (d *Disk) KnownFile(ctx context.Context, path string) (pipeline.Blob, bool, error) {
	return encoding.KnownFile(ctx, path, d.knownFile)
}

// knownFile looks the file up among those stored before.
func (d *Disk) knownFile(ctx context.Context, path string, now encoding.FileStamp) (pipeline.Blob, bool, error) {
	var was encoding.FileStamp
	var raw []byte
	var inode int64
	err := d.query.file.QueryRowContext(ctx, path).Scan(&was.Size, &was.Mtime, &inode, &raw)
	if errors.Is(err, sql.ErrNoRows) {
		return pipeline.Blob{}, false, nil
	}
	if err != nil {
		return pipeline.Blob{}, false, dbErr("read database", err)
	}
	was.Inode = uint64(inode)
	if was != now || len(raw) != len(encoding.Sum{}) {
		return pipeline.Blob{}, false, nil
	}
	digest := pipeline.Digest(encoding.Sum(raw).Hex())
	ok, err := d.hasBlob(digest)
	return pipeline.Blob{Digest: digest, Size: now.Size}, ok && err == nil, err
}

func (d *Disk) rememberFile(ctx context.Context, path string, s encoding.FileStamp, digest pipeline.Digest) error {
	id, err := encoding.ParseSum(digest)
	if err != nil {
		return err
	}
	return d.write.tx(ctx, func() error {
		return d.write.run(d.write.putFile, path, s.Size, s.Mtime, int64(s.Inode), id[:])
	})
}
