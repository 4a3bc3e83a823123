// Package bucket keeps blobs as objects of a bucket: of a cloud, or a folder that
// several machines mount.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/gcerrors"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// Bucket holds objects by digest. It is safe for concurrent use. What an object holds
// is for the reader to verify.
type Bucket struct {
	objects *blob.Bucket
	dir     string // of a bucket that is a folder
	// patience is how long calls are tried again. A folder is not: its file system
	// has done that.
	patience time.Duration
}

// prefix is what the names of objects begin with, so that a bucket may hold more.
const prefix = "blobs/"

// Open opens the bucket that a URL names: file:///folder, or one of a cloud if this
// program was built with its driver.
func Open(ctx context.Context, url string) (*Bucket, error) {
	scheme, _, is := strings.Cut(url, "://")
	if !is || scheme == "file" {
		return openFolder(url)
	}
	objects, err := blob.OpenBucket(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w; drivers of clouds are in programs built with -tags clouds", scheme+"://", err)
	}
	return &Bucket{objects: objects, patience: maxOutage}, nil
}

func openFolder(url string) (*Bucket, error) {
	dir, err := atomicfile.FolderFromURL(url)
	if err != nil {
		return nil, fmt.Errorf("open bucket: %w", err)
	}
	if !filepath.IsAbs(dir) {
		return nil, fmt.Errorf("open bucket %q: name the folder by its whole path, which is the same for all who build", url)
	}
	if err := atomicfile.MakeFolder(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open bucket: %w", err)
	}
	objects, err := fileblob.OpenBucket(dir, &fileblob.Options{NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		return nil, fmt.Errorf("open bucket %q: %w", url, err)
	}
	return &Bucket{objects: objects, dir: dir}, nil
}

// Close releases the bucket.
func (b *Bucket) Close() error { return b.objects.Close() }

func name(d pipeline.Digest) string { return prefix + string(d[:2]) + "/" + string(d) }

// maxOutage is how long a bucket of a cloud may be away: its server restarts, or tells
// us to slow down.
const maxOutage = time.Minute

// UnavailableError says that a bucket failed for longer than patience.
type UnavailableError struct{ Err error }

func (e *UnavailableError) Error() string {
	return fmt.Sprintf("the bucket failed for %s: %v", maxOutage, e.Err)
}

// Unwrap returns what the last attempt gave.
func (e *UnavailableError) Unwrap() error { return e.Err }

// retry calls try again while what failed may pass. A bucket that goes on failing is
// an *UnavailableError.
func retry[T any](ctx context.Context, b *Bucket, try func() (T, error)) (T, error) {
	wait := backoff.NewExponentialBackOff()
	wait.InitialInterval, wait.MaxInterval = 50*time.Millisecond, 5*time.Second
	v, err := backoff.Retry(ctx, func() (T, error) {
		v, err := try()
		if err != nil && (isPermanent(err) || b.patience == 0) {
			err = backoff.Permanent(err)
		}
		return v, err
	}, backoff.WithBackOff(wait), backoff.WithMaxElapsedTime(b.patience))
	if err != nil && ctx.Err() == nil && !isPermanent(err) && b.patience > 0 {
		err = &UnavailableError{err}
	}
	return v, err
}

// isPermanent reports whether trying again is no use.
func isPermanent(err error) bool {
	switch gcerrors.Code(err) {
	case gcerrors.NotFound, gcerrors.PermissionDenied, gcerrors.InvalidArgument, gcerrors.Unimplemented, gcerrors.Canceled:
		return true
	}
	return errors.Is(err, context.Canceled) || errors.Is(err, errChanged)
}

// Put writes the object of a digest from a file, whole, and over one that is there. It
// is durable when Put returns.
func (b *Bucket) Put(ctx context.Context, d pipeline.Digest, f *os.File) error {
	if err := b.makeFolder(d); err != nil {
		return fmt.Errorf("put object %s: %w", d, err)
	}
	_, err := retry(ctx, b, func() (struct{}, error) {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return struct{}{}, backoff.Permanent(err)
		}
		return struct{}{}, b.write(ctx, d, f)
	})
	if err == nil {
		err = b.sync(d)
	}
	if err != nil {
		return fmt.Errorf("put object %s: %w", d, err)
	}
	return nil
}

// write uploads in parts where the cloud takes them; a part that fails is sent again.
func (b *Bucket) write(ctx context.Context, d pipeline.Digest, r io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w, err := b.objects.NewWriter(ctx, name(d), &blob.WriterOptions{ContentType: "application/octet-stream", DisableContentTypeDetection: true})
	if err != nil {
		return err
	}
	if _, err := io.Copy(w, r); err != nil {
		cancel() // else Close would keep the half
		return errors.Join(err, w.Close())
	}
	return w.Close()
}

// makeFolder makes the folder of an object durable in a bucket that is one.
func (b *Bucket) makeFolder(d pipeline.Digest) error {
	if b.dir == "" {
		return nil
	}
	return atomicfile.MakeFolder(filepath.Dir(b.File(d)), 0o755)
}

// sync makes an object of a folder durable, which its driver does not do.
func (b *Bucket) sync(d pipeline.Digest) error {
	if b.dir == "" {
		return nil
	}
	return errors.Join(atomicfile.Sync(b.File(d)), atomicfile.Sync(filepath.Dir(b.File(d))))
}

// Remove deletes an object; one that is gone already is no error.
func (b *Bucket) Remove(ctx context.Context, d pipeline.Digest) error {
	_, err := retry(ctx, b, func() (struct{}, error) { return struct{}{}, b.objects.Delete(ctx, name(d)) })
	if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
		return fmt.Errorf("remove object %s: %w", d, err)
	}
	return nil
}

// File is where a bucket that is a folder has the object of a digest.
func (b *Bucket) File(d pipeline.Digest) string {
	return filepath.Join(b.dir, filepath.FromSlash(name(d)))
}
