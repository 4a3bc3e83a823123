package bucket

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/cenkalti/backoff/v5"
)

// Object is an object that a listing names.
type Object struct {
	// Name is whole, with slashes.
	Name string
	Size int64
	// MD5 of the bytes, where the bucket knows it.
	MD5 []byte
}

// PutObject writes an object from a file, whole, and over one that is there. It is
// durable when PutObject returns.
func (b *Bucket) PutObject(ctx context.Context, name string, f *os.File) error {
	_, err := retry(ctx, b, func() (struct{}, error) {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return struct{}{}, backoff.Permanent(err)
		}
		return struct{}{}, b.objects.put(ctx, name, "application/octet-stream", f)
	})
	if err != nil {
		return fmt.Errorf("put object %s: %w", name, err)
	}
	return nil
}

// CreateObject writes a small object unless one of that name is there, which is
// fs.ErrExist.
func (b *Bucket) CreateObject(ctx context.Context, name string, data []byte) error {
	_, err := retry(ctx, b, func() (struct{}, error) { return struct{}{}, b.objects.create(ctx, name, data) })
	if err != nil {
		return fmt.Errorf("create object %s: %w", name, err)
	}
	return nil
}

// OpenObject reads an object from an offset. When the connection breaks it goes on where
// it was. An object that is not there is fs.ErrNotExist.
func (b *Bucket) OpenObject(ctx context.Context, name string, offset int64) (io.ReadCloser, error) {
	r := &reader{ctx: ctx, bucket: b, name: name, size: -1, at: offset}
	if err := r.open(); err != nil {
		return nil, err
	}
	return r, nil
}

// ListObjects names the objects below a folder, those in folders of it too if deep, in
// the order of their names.
func (b *Bucket) ListObjects(ctx context.Context, folder string, deep bool) ([]Object, error) {
	prefix := folder
	if prefix != "" {
		prefix += "/"
	}
	listed, err := retry(ctx, b, func() ([]Object, error) { return b.objects.list(ctx, prefix, deep) })
	if err != nil {
		return nil, fmt.Errorf("list objects below %q: %w", prefix, err)
	}
	return listed, nil
}
