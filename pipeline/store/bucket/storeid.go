package bucket

import (
	"context"
	"fmt"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// storeIDName is the object that says whose a bucket is.
const storeIDName = "memforge-store"

// StoreID returns what a bucket was marked with, empty if it was not.
func (b *Bucket) StoreID(ctx context.Context) (string, error) {
	mark, err := retry(ctx, b, func() ([]byte, error) { return b.objects.ReadAll(ctx, storeIDName) })
	if gcerrors.Code(err) == gcerrors.NotFound {
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
		return struct{}{}, b.objects.WriteAll(ctx, storeIDName, []byte(mark), &blob.WriterOptions{ContentType: "text/plain"})
	})
	if err != nil {
		return fmt.Errorf("mark the bucket: %w", err)
	}
	return nil
}
