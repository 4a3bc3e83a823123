package ledger

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/durable"
)

// Book is an open ledger of any kind, as a build needs it. Its methods are those of
// Ledger.
type Book interface {
	Find(ctx context.Context, key pipeline.Key) (Reply, bool, error)
	Put(ctx context.Context, entries ...Entry) error
	Expect(ctx context.Context, ps ...Pending) error
	ForgetPending(ctx context.Context) error
	Nearest(ctx context.Context, r Request, item string) (Near, error)
	Corrections(ctx context.Context) ([]Correction, error)

	// Claim and Release keep two who share a ledger from asking the same.
	Claim(ctx context.Context, keys ...pipeline.Key) (bool, error)
	Release(ctx context.Context, keys ...pipeline.Key) error

	BatchOf(ctx context.Context, key pipeline.Key) (id string, waits bool, err error)
	Batches(ctx context.Context) ([]Batch, error)

	Close() error
}

// OpenBook opens the ledger that a URL names, and makes it where there is none.
// There is one kind yet, a folder, named by its path or a file:// URL: see Open. A
// URL of no kind is a *durable.PlaceError.
func OpenBook(ctx context.Context, url string) (Book, error) {
	dir, err := durable.FolderOf(url)
	if err != nil {
		return nil, fmt.Errorf("open ledger: %w", err)
	}
	l, err := Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	return l, nil
}
