package client

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/limit"
)

// How often a client looks whether another one has its answer.
const (
	firstPoll = 20 * time.Millisecond
	maxPoll   = 500 * time.Millisecond
)

// claim claims requests, so that of all who share the ledger this client alone
// asks them, until release. While somebody else asks one of them it waits: then
// the answer is recorded, or the other one gave up or died. Whoever holds
// requests looks for their answers once more.
func (c *Client) claim(ctx context.Context, keys ...pipeline.Key) (release func() error, err error) {
	waiting, stop := c.withDrain(ctx, 0)
	defer stop()
	for pause := firstPoll; ; pause = min(2*pause, maxPoll) {
		if waiting.Err() != nil {
			return nil, context.Cause(waiting)
		}
		mine, err := c.opts.Ledger.Claim(waiting, keys...)
		if err != nil {
			return nil, err
		}
		if mine {
			return func() error { return c.opts.Ledger.Release(ctx, keys...) }, nil
		}
		if err := limit.Sleep(waiting, pause); err != nil {
			return nil, err
		}
	}
}

// batchIDs are the batches in which a client found what it was to ask.
type batchIDs struct {
	mu  sync.Mutex
	ids map[string]bool
}

// findBatch returns the batch that a request is in, empty when it is in none.
func (c *Client) findBatch(ctx context.Context, key pipeline.Key) (string, error) {
	id, _, err := c.opts.Ledger.FindBatch(ctx, key)
	if err != nil || id == "" {
		return "", err
	}
	c.batchesMet.mu.Lock()
	defer c.batchesMet.mu.Unlock()
	if c.batchesMet.ids == nil {
		c.batchesMet.ids = map[string]bool{}
	}
	c.batchesMet.ids[id] = true
	return id, nil
}

// WaitingBatches lists the batches that hold requests which this client was to ask, as far
// as they are still under way, sorted by id.
func (c *Client) WaitingBatches(ctx context.Context) ([]ledger.Batch, error) {
	c.batchesMet.mu.Lock()
	ids := slices.Sorted(maps.Keys(c.batchesMet.ids))
	c.batchesMet.mu.Unlock()
	if len(ids) == 0 {
		return nil, nil
	}
	all, err := c.opts.Ledger.Batches(ctx)
	if err != nil {
		return nil, fmt.Errorf("see what waits: %w", err)
	}
	return slices.DeleteFunc(all, func(b ledger.Batch) bool { return !slices.Contains(ids, b.ID) }), nil
}
