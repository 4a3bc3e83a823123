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

// attempt sends a request once.
type attempt func(context.Context) (pipeline.Usage, http.Header, error)

// send asks for a chat until it is answered or there is no sense in it.
func (c *Client) send(ctx context.Context, e *endpoint, node string, chat wire.Chat) (said wire.Said, err error) {
	size := 0
	for _, m := range chat.Messages {
		size += len(m.Text)/4 + 1000*len(m.Images)
	}
	job := job{endpoint: e, node: node, task: chat.Task, guess: guess{input: size, output: chat.Sampling.MaxTokens}}
	err = c.try(ctx, job, func(ctx context.Context) (pipeline.Usage, http.Header, error) {
		var header http.Header
		var err error
		said, header, err = e.wire.Chat(ctx, chat)
		return said.Usage, header, err
	})
	return said, err
}

// job is what a request is sent for.
type job struct {
	*endpoint
	node, task string
	guess      guess
}

// try sends until there is an answer, within the limits and the budget.
func (c *Client) try(ctx context.Context, e job, send attempt) error {
	if e.keyless {
		return keyless(e.name, e.Model)
	}
	send = c.graced(ctx, send)
	ctx, stop := c.drained(ctx, 0)
	defer stop()
	hold, err := c.account.reserve(ctx, e.endpoint, e.guess)
	if err != nil {
		return err
	}
	p := patience{job: e, began: e.answered.Load(), pause: c.pauses()}
	for {
		usage, err := c.once(ctx, e, send)
		if err == nil {
			if usage == (pipeline.Usage{}) {
				// A server that states no usage is not free.
				usage = pipeline.Usage{Input: int64(e.guess.input), Output: int64(e.guess.output)}
			}
			hold.settle(e.node, usage)
			return nil
		}
		if ctx.Err() != nil {
			hold.release()
			return context.Cause(ctx)
		}
		wait, err := p.after(err)
		if err == nil {
			err = limit.Sleep(ctx, wait)
		}
		if err != nil {
			hold.release()
			return err
		}
	}
}

// once waits for the limiter and sends once.
func (c *Client) once(ctx context.Context, e job, send attempt) (pipeline.Usage, error) {
	if ctx.Err() != nil {
		return pipeline.Usage{}, context.Cause(ctx)
	}
	permit, err := e.limiter.Wait(ctx, e.guess.input+e.guess.output)
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
		if signal.Told {
			err = &comeBack{err, signal.Wait}
		}
	}
	err = told(err, header)
	if err == nil {
		e.answered.Add(1)
	}
	return usage, err
}

// told heeds x-should-retry, by which a server says itself whether another try
// makes sense: a fault that it does not want to see again becomes a refusal of
// the request, a refusal that it does becomes a fault.
func told(err error, header http.Header) error {
	var fault *wire.FaultError
	var refused *model.ServerError
	switch again := header.Get("X-Should-Retry"); {
	case again == "false" && errors.As(err, &fault):
		return &final{fault}
	case again == "true" && errors.As(err, &refused) && refused.Reason == model.Unusable:
		return &wire.FaultError{What: "the server asks for another try", Err: err}
	}
	return err
}

// final is a fault after which the server wants no other try.
type final struct{ fault *wire.FaultError }

func (f *final) Error() string { return f.fault.Error() }

// comeBack is a failure with a time at which the server wants to be asked again.
type comeBack struct {
	error
	wait time.Duration
}

func (e *comeBack) Unwrap() error { return e.error }

func (c *Client) pauses() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval = c.opts.FirstPause, 60*c.opts.FirstPause
	return b
}

// patience decides what follows a failed attempt.
type patience struct {
	job
	began int64 // what the endpoint had answered before
	pause *backoff.ExponentialBackOff
	tries int
	busy  time.Time // of the first 429 since anything was answered
	seen  int64
}

// stubborn is how long a server may say 429 to everybody.
const stubborn = 15 * time.Minute

// after returns how long to wait before the next attempt, or the error to end
// with. Being told to wait is no attempt.
func (p *patience) after(err error) (time.Duration, error) {
	var busy *wire.BusyError
	var late *limit.TooLongError
	var fault *wire.FaultError
	var server *model.ServerError
	var last *final
	again := errors.As(err, &fault) // also a refusal that the server takes back
	switch {
	case errors.As(err, &last):
		p.tries++
		return 0, p.giveUp(last.fault)
	case errors.As(err, &late):
		return 0, &model.RateError{Model: p.name, Host: p.host, Wait: late.Wait}
	case errors.As(err, &busy):
		if now := p.answered.Load(); p.busy.IsZero() || now != p.seen {
			p.busy, p.seen = time.Now(), now
		}
		if time.Since(p.busy) > stubborn {
			return 0, &model.RateError{Model: p.name, Host: p.host, Wait: stubborn}
		}
		return 0, nil // the limiter waits, for everybody
	case !again && errors.As(err, &server) && server.Reason == model.Unusable && p.answered.Load() > 0:
		return 0, p.failed(server.Detail)
	case !again:
		return 0, err
	}
	if p.tries++; p.tries >= p.allowed(fault) {
		return 0, p.giveUp(fault)
	}
	wait := p.pause.NextBackOff()
	var told *comeBack
	if errors.As(err, &told) {
		wait = max(wait, min(told.wait, time.Minute))
	}
	return wait, nil
}

// nobodyTries is how often an address is tried at which nobody has answered yet.
const nobodyTries = 3

// allowed is how often a request is tried that meets such a fault. Where nobody
// listens and nothing was answered in this run there may be no server at all, as
// with a model that batches alone reach.
func (p *patience) allowed(fault error) int {
	var dns *net.DNSError
	nobody := errors.Is(fault, syscall.ECONNREFUSED) || errors.As(fault, &dns) && dns.IsNotFound
	if nobody && p.answered.Load() == 0 {
		return min(p.Limits.Tries, nobodyTries)
	}
	return p.Limits.Tries
}

// failed rejects the item: the server answered others meanwhile.
func (p *patience) failed(detail string) error {
	return &model.OutcomeError{Outcome: model.Failed, Task: p.task, Model: p.Model.Model, Detail: detail}
}

func (p *patience) giveUp(fault error) error {
	e := p.job
	if e.answered.Load() > p.began {
		return p.failed(fmt.Sprintf("%v (tried %d times)", fault, p.tries))
	}
	return &model.ServerError{
		Reason: model.Unavailable, Model: e.name, Host: e.host, Detail: fmt.Sprintf("%v (tried %d times)", fault, p.tries),
		Advice: "see whether the server runs, then build again: what was answered is recorded; `memforge batch export` writes what a model without a server is to be asked", Err: fault,
	}
}
