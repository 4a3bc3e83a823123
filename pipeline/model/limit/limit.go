// Package limit paces requests to one model server so that it is used fully
// and hardly ever has to say no. It obeys limits that are configured, those
// that response headers state, and, where a server only ever answers 429, finds
// its allowance from what it lets through.
package limit

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Config of a limiter; 0 means that no limit is known.
type Config struct {
	RequestsPerMinute int
	TokensPerMinute   int
	Concurrency       int
	// MaxWait is the longest wait a server may ask for; 0 means 15 minutes.
	MaxWait time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Shared, where set, is where limiters of several processes keep what they share
	// under Name: requests and tokens per minute, and what the server says.
	Shared SharedState
	Name   string
}

// The slow start: how many requests run at once before the first has been
// answered, and how many when a server keeps failing.
const (
	firstWindow  = 8
	failedWindow = 1
)

// Limiter lets requests to one server through. It is safe for concurrent use.
type Limiter struct {
	cfg  Config
	turn chan struct{} // held by the one who is next
	free chan struct{} // signals that a request ended
	reqs *rate.Limiter

	tokens *rate.Limiter   // nil without a limit
	share  *allowanceShare // nil for who is alone

	mu      sync.Mutex
	known   serverState
	running int
	window  int
	failed  int // in a row, by all
}

// New returns a limiter.
func New(c Config) *Limiter {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.MaxWait == 0 {
		c.MaxWait = 15 * time.Minute
	}
	l := &Limiter{cfg: c, turn: make(chan struct{}, 1), free: make(chan struct{}, 1), window: firstWindow}
	ceiling := math.Inf(1)
	if c.RequestsPerMinute > 0 {
		ceiling = float64(c.RequestsPerMinute) / 60
	}
	l.known = newServerState(ceiling, c.Now())
	l.reqs = rate.NewLimiter(partsPerRequest*l.known.ctl.limit(), partsPerRequest)
	if c.TokensPerMinute > 0 {
		l.tokens = rate.NewLimiter(rate.Limit(float64(c.TokensPerMinute)/60), max(1, c.TokensPerMinute/20))
	}
	if c.Shared != nil {
		l.share = newShare(c)
	}
	return l
}

// TooLongError says that a server asks for a longer wait than Config.MaxWait.
type TooLongError struct{ Wait time.Duration }

func (e *TooLongError) Error() string {
	return "the server asks to wait " + e.Wait.String()
}

// partsPerRequest of a request that the pace is kept in, for a bucket holds whole things.
const partsPerRequest = 1000

// now is the time that all who share the allowance have; l.mu is held.
func (l *Limiter) now() time.Time {
	if l.share != nil {
		return l.share.time(l.cfg.Now())
	}
	return l.cfg.Now()
}

// Permit is leave to send one request. One of Answered, Failed and Limited must be
// called when it ended.
type Permit struct {
	l       *Limiter
	sent    time.Time
	changes int // of the pace, that were known
	// guess at the tokens, what they are likely to be, and the cost in units.
	guess      int
	size, cost float64
}

// Wait blocks until a request may be sent. guess is how many tokens it will take.
func (l *Limiter) Wait(ctx context.Context, guess int) (*Permit, error) {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-l.turn }()
	if err := l.acquireSlot(ctx); err != nil {
		return nil, err
	}
	p := &Permit{l: l, guess: guess}
	l.mu.Lock()
	p.size = l.known.gauge.size(guess)
	p.cost = l.known.gauge.cost(p.size)
	l.mu.Unlock()
	wait := l.waitForBuckets
	if l.share != nil {
		wait = l.waitForShare
	}
	if err := wait(ctx, p); err != nil {
		l.releaseSlot()
		return nil, err
	}
	l.mu.Lock()
	p.sent, p.changes = l.now(), l.known.ctl.Changes
	l.mu.Unlock()
	return p, nil
}

// acquireSlot waits until fewer requests run than may, and takes a place.
func (l *Limiter) acquireSlot(ctx context.Context) error {
	for {
		l.mu.Lock()
		most := l.window
		if l.known.unsure {
			most = 1
		}
		if c := l.cfg.Concurrency; c > 0 {
			most = min(most, c)
		}
		if l.running < most {
			l.running++
			l.mu.Unlock()
			return nil
		}
		l.mu.Unlock()
		select {
		case <-l.free:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (l *Limiter) releaseSlot() {
	l.mu.Lock()
	l.running--
	l.mu.Unlock()
	select {
	case l.free <- struct{}{}:
	default:
	}
}

// waitForBuckets waits until a request is within the limits of this process.
func (l *Limiter) waitForBuckets(ctx context.Context, p *Permit) error {
	if l.tokens != nil {
		if err := l.takeFrom(ctx, l.tokens, max(1, int(p.size))); err != nil {
			return err
		}
	}
	if err := l.waitForPause(ctx); err != nil {
		return err
	}
	if err := l.takeFrom(ctx, l.reqs, max(1, int(partsPerRequest*p.cost))); err != nil {
		return err
	}
	return l.waitForPause(ctx)
}

// takeFrom waits until a bucket holds so much, however large it is.
func (l *Limiter) takeFrom(ctx context.Context, bucket *rate.Limiter, n int) error {
	l.mu.Lock()
	if n > bucket.Burst() {
		bucket.SetBurst(n)
	}
	l.mu.Unlock()
	return waitN(ctx, bucket, n)
}

// waitN is rate.Limiter.WaitN, except that it waits beyond a deadline, and returns its error.
func waitN(ctx context.Context, bucket *rate.Limiter, n int) error {
	r := bucket.ReserveN(time.Now(), n)
	if !r.OK() {
		return errors.New("limit: more tokens at once than the bucket holds; this is a bug")
	}
	return Sleep(ctx, r.Delay())
}

// waitForPause waits for the end of what a 429 asked for.
func (l *Limiter) waitForPause(ctx context.Context) error {
	for {
		l.mu.Lock()
		left := l.known.until.Sub(l.now())
		l.mu.Unlock()
		if left <= 0 {
			return nil
		}
		if left > l.cfg.MaxWait {
			return &TooLongError{Wait: left.Round(time.Second)}
		}
		if err := Sleep(ctx, left); err != nil {
			return err
		}
	}
}

// Sleep waits until a time has passed or ctx is done.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Answered ends a request that the server answered, whatever it said.
func (p *Permit) Answered(s Signal, tokens int64) {
	l := p.l
	l.mu.Lock()
	l.failed = 0
	if l.window < math.MaxInt32 {
		l.window++
	}
	l.learn(p.event(s, tokens, false))
	l.mu.Unlock()
	l.releaseSlot()
}

// Failed ends a request that was not answered. When a server fails again and
// again, one request at a time finds out whether it is back.
func (p *Permit) Failed() {
	l := p.l
	l.mu.Lock()
	if l.failed++; l.failed >= firstWindow {
		l.window = failedWindow
	}
	l.mu.Unlock()
	l.releaseSlot()
}

// Limited ends a request that was refused with a 429: no request is sent before
// the server's wait is over.
func (p *Permit) Limited(s Signal) {
	l := p.l
	l.mu.Lock()
	l.learn(p.event(s, 0, true))
	l.mu.Unlock()
	l.releaseSlot()
}

// event needs l.mu.
func (p *Permit) event(s Signal, tokens int64, refused bool) requestEvent {
	return requestEvent{
		sent: p.sent, at: p.l.now(), changes: p.changes, guess: p.guess, size: p.size, cost: p.cost,
		tokens: tokens, refused: refused, signal: s,
	}
}

// learn needs l.mu.
func (l *Limiter) learn(e requestEvent) {
	l.known.apply(e)
	if l.share != nil {
		l.share.addEvent(e)
		return
	}
	l.reqs.SetLimit(partsPerRequest * l.known.ctl.limit())
}
