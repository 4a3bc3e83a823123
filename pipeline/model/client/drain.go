package client

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// errDrained ends calls of a client that is drained. It is a cancellation: the
// build did not fail, it was interrupted.
var errDrained = fmt.Errorf("interrupted before it was answered: %w", context.Canceled)

// withDrain gives a context that also ends with errDrained, so long after Drain
// was closed. stop must be called when it is no longer used.
func (c *Client) withDrain(ctx context.Context, after time.Duration) (_ context.Context, stop func()) {
	if c.opts.Drain == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if after <= 0 && isClosed(c.opts.Drain) {
		cancel(errDrained) // at once, before anything else is chosen
	}
	go func() {
		select {
		case <-c.opts.Drain:
		case <-ctx.Done():
			return
		}
		timer := time.NewTimer(after)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(errDrained)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(context.Canceled) }
}

// withGrace lets an attempt end in its grace when the client is drained meanwhile:
// it runs under the context of the whole call.
func (c *Client) withGrace(whole context.Context, send attempt) attempt {
	return func(context.Context) (pipeline.Usage, http.Header, error) {
		ctx, stop := c.withDrain(whole, c.opts.Grace)
		defer stop()
		c.sending.Add(1)
		defer c.sending.Add(-1)
		return send(ctx)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
