package store

import (
	"context"
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
