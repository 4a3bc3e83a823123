// Package bucket keeps blobs as objects of a bucket: of a cloud, or a folder that
// several machines mount.
package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
)

// Bucket holds objects by digest. It is safe for concurrent use. What an object holds
// is for the reader to verify.
type Bucket struct {
	objects objects
	dir     string // of a bucket that is a folder
	// patience is how long calls are tried again. A folder is not: its file system
	// has done that.
	patience time.Duration
}

// objects are what a bucket holds, by name: files of a folder, or what a cloud keeps. An
// object that is absent is fs.ErrNotExist.
type objects interface {
	// put writes an object whole, over one that is there.
	put(ctx context.Context, name, contentType string, r io.Reader) error
	// open reads length bytes from offset, or all from there when length is negative.
	open(ctx context.Context, name string, offset, length int64) (piece, error)
	// create is put for an object that must not be there; one that is is fs.ErrExist.
	create(ctx context.Context, name string, data []byte) error
	// list names the objects below a prefix, which ends with a slash, and those of
	// deeper folders if deep.
	list(ctx context.Context, prefix string, deep bool) ([]Object, error)
	remove(ctx context.Context, name string) error
	close() error
}

// piece is a part of an object that is being read.
type piece interface {
	io.ReadCloser
	// Size returns the size of the whole object in bytes.
	Size() int64
}

// permanentError is a failure that trying again does not heal.
type permanentError struct{ error }

func (e permanentError) Unwrap() error { return e.error }

// prefix is what the names of objects begin with, so that a bucket may hold more.
const prefix = "blobs/"

// Open opens the bucket that a URL names: file:///folder, or one of a cloud if this
// program was built with its driver.
func Open(ctx context.Context, url string) (*Bucket, error) {
	scheme, _, is := strings.Cut(url, "://")
	if !is || scheme == "file" {
		return openFolder(url)
	}
	objects, err := openCloud(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", scheme+"://", err)
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
	return &Bucket{objects: folderObjects{dir}, dir: dir}, nil
}

// Close releases the bucket.
func (b *Bucket) Close() error { return b.objects.close() }

func name(d pipeline.Digest) string { return prefix + string(d[:2]) + "/" + string(d) }

// maxOutage is how long a bucket of a cloud may be away: its server restarts, or tells
// us to slow down.
const maxOutage = time.Minute

// NoDriverError says that this program was built without the drivers of clouds.
type NoDriverError struct{ Scheme string }

func (e *NoDriverError) Error() string {
	return fmt.Sprintf("this program has no driver for %s://; build it with -tags clouds, or name a folder", e.Scheme)
}

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

func isPermanent(err error) bool {
	var permanent permanentError
	return errors.As(err, &permanent) || errors.Is(err, fs.ErrNotExist) ||
		errors.Is(err, fs.ErrExist) || errors.Is(err, context.Canceled) || errors.Is(err, errChanged)
}

// Put writes the object of a digest from a file, whole, and over one that is there. It
// is durable when Put returns.
func (b *Bucket) Put(ctx context.Context, d pipeline.Digest, f *os.File) error {
	return b.PutObject(ctx, name(d), f)
}

// Remove deletes an object; one that is gone already is no error.
func (b *Bucket) Remove(ctx context.Context, d pipeline.Digest) error {
	_, err := retry(ctx, b, func() (struct{}, error) { return struct{}{}, b.objects.remove(ctx, name(d)) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove object %s: %w", d, err)
	}
	return nil
}

// File returns where a bucket that is a folder has the object of a digest.
func (b *Bucket) File(d pipeline.Digest) string {
	return filepath.Join(b.dir, filepath.FromSlash(name(d)))
}
