package ledger

import (
	"context"

	"github.com/memforge/memforge/pipeline"
)

// Interface is an open ledger of any kind, as a build needs it. Its methods are those of
// Ledger.
type Interface interface {
	Find(ctx context.Context, key pipeline.Key) (Reply, bool, error)
	Record(ctx context.Context, entries ...Entry) error
	AddPending(ctx context.Context, ps ...Pending) error
	DropPending(ctx context.Context) error
	Nearest(ctx context.Context, r Request, item string) (NearestRequest, error)
	Corrections(ctx context.Context) ([]Correction, error)

	// Claim and Release keep two who share a ledger from asking the same.
	Claim(ctx context.Context, keys ...pipeline.Key) (bool, error)
	Release(ctx context.Context, keys ...pipeline.Key) error

	FindBatch(ctx context.Context, key pipeline.Key) (id string, waits bool, err error)
	Batches(ctx context.Context) ([]Batch, error)

	Close() error
}
