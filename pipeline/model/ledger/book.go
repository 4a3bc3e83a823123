package ledger

import (
	"context"

	"github.com/memforge/memforge/pipeline"
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
