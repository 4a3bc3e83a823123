package bucket

import (
	"context"
	"fmt"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"
)

// markName is the object that says whose a bucket is.
const markName = "memforge-store"

// Mark returns what a bucket was marked with, empty if it was not.
func (b *Bucket) Mark(ctx context.Context) (string, error) {
	mark, err := patiently(ctx, b, func() ([]byte, error) { return b.objects.ReadAll(ctx, markName) })
	if gcerrors.Code(err) == gcerrors.NotFound {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read the bucket's mark: %w", err)
	}
	return string(mark), nil
}

// SetMark marks a bucket.
func (b *Bucket) SetMark(ctx context.Context, mark string) error {
	_, err := patiently(ctx, b, func() (struct{}, error) {
		return struct{}{}, b.objects.WriteAll(ctx, markName, []byte(mark), &blob.WriterOptions{ContentType: "text/plain"})
	})
	if err != nil {
		return fmt.Errorf("mark the bucket: %w", err)
	}
	return nil
}
