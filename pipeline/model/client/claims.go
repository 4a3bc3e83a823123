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

// claim claims requests until release, so that of all clients of the ledger this one alone
// asks them. It waits while another client does, and returns what became of them meanwhile.
func (c *Client) claim(ctx context.Context, keys ...pipeline.Key) (standing []ledger.Standing, release func() error, err error) {
	waiting, stop := c.withDrain(ctx, 0)
	defer stop()
	for pause := firstPoll; ; pause = min(2*pause, maxPoll) {
		if waiting.Err() != nil {
			return nil, nil, context.Cause(waiting)
		}
		if standing, err = c.opts.Ledger.Claim(waiting, keys...); err != nil {
			return nil, nil, err
		}
		if standing != nil {
			c.batchesMet.add(standing)
			return standing, func() error { return c.opts.Ledger.Release(ctx, keys...) }, nil
		}
		if err := limit.Sleep(waiting, pause); err != nil {
			return nil, nil, err
		}
	}
}

// batchIDs are the batches in which a client found requests that it was to ask.
type batchIDs struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (b *batchIDs) add(standing []ledger.Standing) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, s := range standing {
		if s.Batch == "" {
			continue
		}
		if b.ids == nil {
			b.ids = map[string]bool{}
		}
		b.ids[s.Batch] = true
	}
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
