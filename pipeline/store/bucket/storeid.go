package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// storeIDName is the object that says whose a bucket is.
const storeIDName = "memforge-store"

// StoreID returns what a bucket was marked with, empty if it was not.
func (b *Bucket) StoreID(ctx context.Context) (string, error) {
	mark, err := retry(ctx, b, func() ([]byte, error) {
		p, err := b.objects.open(ctx, storeIDName, 0, -1)
		if err != nil {
			return nil, err
		}
		defer p.Close()
		return io.ReadAll(io.LimitReader(p, 1<<10))
	})
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the bucket's mark: %w", err)
	}
	return string(mark), nil
}

// SetStoreID marks a bucket.
func (b *Bucket) SetStoreID(ctx context.Context, mark string) error {
	_, err := retry(ctx, b, func() (struct{}, error) {
		return struct{}{}, b.objects.put(ctx, storeIDName, "text/plain", strings.NewReader(mark))
	})
	if err != nil {
		return fmt.Errorf("mark the bucket: %w", err)
	}
	return nil
}
