package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/limit"
	"github.com/memforge/memforge/pipeline/model/wire"
)

type attempt func(context.Context) (pipeline.Usage, http.Header, error)

// sendWithRetries sends a request until it is answered, within limits and budget.
func (c *Client) sendWithRetries(ctx context.Context, e *endpoint, r pipeline.Request, step string, estimate tokenEstimate, send attempt) error {
	if e.keyless {
		return keylessError(e.Name, e.Model)
	}
	send = c.withGrace(ctx, send)
	ctx, stop := c.withDrain(ctx, 0)
	defer stop()
	reserved, err := c.account.reserve(ctx, e, estimate)
	if err != nil {
		return err
	}
	e.refusals.begin()
	defer e.refusals.end()
	p := retryPolicy{endpoint: e, task: r.Task, began: e.answered.Load(), pause: backoff.NewExponentialBackOff()}
	p.pause.InitialInterval, p.pause.MaxInterval = c.opts.FirstPause, 60*c.opts.FirstPause
	for {
		usage, err := e.sendOnce(ctx, estimate, send)
		if err == nil {
			if usage == (pipeline.Usage{}) {
				// A server that states no usage is not free.
				usage = pipeline.Usage{Input: int64(estimate.input), Output: int64(estimate.output)}
			}
			reserved.charge(step, usage)
			return nil
		}
		if ctx.Err() != nil {
			reserved.release()
			return context.Cause(ctx)
		}
		wait, err := p.nextWait(ctx, err)
		if err == nil {
			err = limit.Sleep(ctx, wait)
		}
		if err != nil {
			reserved.release()
			return err
		}
	}
}

func (e *endpoint) sendOnce(ctx context.Context, estimate tokenEstimate, send attempt) (pipeline.Usage, error) {
	if ctx.Err() != nil {
		return pipeline.Usage{}, context.Cause(ctx)
	}
	permit, err := e.limiter.Wait(ctx, estimate.input+estimate.output)
	if err != nil {
		return pipeline.Usage{}, err
	}
	usage, header, err := send(ctx)
	signal := limit.ReadSignal(header, time.Now())
	var busy *wire.BusyError
	var refused *model.ServerError
	switch {
	case err == nil, errors.As(err, &refused):
		permit.Answered(signal, usage.Input+usage.Output)
	case errors.As(err, &busy):
		permit.Limited(signal)
	default:
		permit.Failed()
		if signal.Stated {
			err = &retryAfterError{err, signal.Wait}
		}
	}
	err = applyShouldRetry(err, header)
	if err == nil {
		e.refusals.announce(func() { e.answered.Add(1) })
	}
	return usage, err
}

// applyShouldRetry heeds the header x-should-retry: it ends the tries after a fault, or makes
// a refusal a fault that is tried again.
func applyShouldRetry(err error, header http.Header) error {
	var fault *wire.FaultError
	var refused *model.ServerError
	switch again := header.Get("X-Should-Retry"); {
	case again == "false" && errors.As(err, &fault):
		return &finalFault{fault}
	case again == "true" && errors.As(err, &refused) && refused.Reason == model.Unusable:
		return &wire.FaultError{What: "the server asks for another try", Err: err}
	}
	return err
}

// finalFault is a fault after which the server wants no other try.
type finalFault struct{ fault *wire.FaultError }

func (f *finalFault) Error() string { return f.fault.Error() }

// retryAfterError is a failure with a time at which the server wants to be asked again.
type retryAfterError struct {
	error
	wait time.Duration
}

func (e *retryAfterError) Unwrap() error { return e.error }

type retryPolicy struct {
	*endpoint
	task  string
	began int64 // what the endpoint had answered before
	pause *backoff.ExponentialBackOff
	tries int
	busy  time.Time // of the first 429 since anything was answered
	seen  int64
}

// maxBusy is how long a server may say 429 to everybody.
const maxBusy = 15 * time.Minute

// nextWait returns the pause before the next attempt, or the error to end with. Waiting for a
// rate limit is no attempt.
func (p *retryPolicy) nextWait(ctx context.Context, err error) (time.Duration, error) {
	var busy *wire.BusyError
	var late *limit.TooLongError
	var fault *wire.FaultError
	var server *model.ServerError
	var last *finalFault
	again := errors.As(err, &fault) // also a refusal that the server takes back
	switch {
	case errors.As(err, &last):
		p.tries++
		return 0, p.giveUpError(last.fault)
	case errors.As(err, &late):
		return 0, &model.RateError{Model: p.Name, Host: p.host, Wait: late.Wait}
	case errors.As(err, &busy):
		if now := p.answered.Load(); p.busy.IsZero() || now != p.seen {
			p.busy, p.seen = time.Now(), now
		}
		if time.Since(p.busy) > maxBusy {
			return 0, &model.RateError{Model: p.Name, Host: p.host, Wait: maxBusy}
		}
		return 0, nil // the limiter waits, for everybody
	case !again && errors.As(err, &server) && server.Reason == model.Unusable && p.answered.Load() > 0:
		return 0, p.failedOutcome(server.Detail)
	case !again && errors.As(err, &server) && server.OfRequest:
		switch own, stopped := p.refusals.areOfItem(ctx, func() bool { return p.answered.Load() > 0 }); {
		case stopped != nil:
			return 0, stopped
		case own:
			return 0, p.failedOutcome(server.Detail)
		}
		return 0, err
	case !again:
		return 0, err
	}
	if p.tries++; p.tries >= p.maxTries(fault) {
		return 0, p.giveUpError(fault)
	}
	wait := p.pause.NextBackOff()
	var told *retryAfterError
	if errors.As(err, &told) {
		wait = max(wait, min(told.wait, time.Minute))
	}
	return wait, nil
}

// maxUnreachedTries is how often an address is tried that never answered.
const maxUnreachedTries = 3

// maxTries is how often a request is tried that meets such a fault. Where nothing listens and
// nothing was answered in this run there may be no server, as with a model that batches alone
// reach.
func (p *retryPolicy) maxTries(fault error) int {
	var dns *net.DNSError
	nobody := errors.Is(fault, syscall.ECONNREFUSED) || errors.As(fault, &dns) && dns.IsNotFound
	if nobody && p.answered.Load() == 0 {
		return min(p.Limits.Tries, maxUnreachedTries)
	}
	return p.Limits.Tries
}

func (p *retryPolicy) failedOutcome(detail string) error {
	return &model.OutcomeError{Outcome: model.Failed, Task: p.task, Model: p.Model.Model, Detail: detail}
}

func (p *retryPolicy) giveUpError(fault error) error {
	if p.answered.Load() > p.began {
		return p.failedOutcome(fmt.Sprintf("%v (tried %d times)", fault, p.tries))
	}
	return &model.ServerError{
		Reason: model.Unavailable, Model: p.Name, Host: p.host, Detail: fmt.Sprintf("%v (tried %d times)", fault, p.tries),
		Advice: "see whether the server runs, then build again: what was answered is recorded; `memforge batch export` writes what a model without a server is to be asked", Err: fault,
	}
}

// errDrained ends calls of a client that is drained. It is a cancellation: the
// build did not fail, it was interrupted.
var errDrained = fmt.Errorf("interrupted before it was answered: %w", context.Canceled)

// withDrain returns a context that also ends with errDrained, this long after Drain was
// closed.
func (c *Client) withDrain(ctx context.Context, after time.Duration) (_ context.Context, stop func()) {
	if c.opts.Drain == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	if after <= 0 {
		select {
		case <-c.opts.Drain:
			cancel(errDrained) // at once, before anything else is chosen
		default:
		}
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

// withGrace lets an attempt end in its grace when the client is drained meanwhile.
func (c *Client) withGrace(whole context.Context, send attempt) attempt {
	return func(context.Context) (pipeline.Usage, http.Header, error) {
		ctx, stop := c.withDrain(whole, c.opts.Grace)
		defer stop()
		c.sending.Add(1)
		defer c.sending.Add(-1)
		return send(ctx)
	}
}
