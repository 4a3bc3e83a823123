// Package cluster spreads the tasks of a build over workers on many machines. The
// store, which all of them open, is the checkpoint: what travels between machines are
// digests, and everything else is found in the store under its digest or key. Package
// cluster decides nothing of what is ready, as the driver of one machine does that, and
// knows no engine: an Engine carries digests from a driver to workers and back.
package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// BatchSender brings batches, which are groups of tasks, to workers.
type BatchSender interface {
	// SendBatch has one worker of a queue handle a batch and gives what Handlers.Handle
	// gave: the digest of its reply. It tries again, elsewhere, when the worker dies,
	// falls silent or fails, until ctx ends or an error is a *PermanentError. The same
	// batch may be carried twice, by two drivers at once too: handling is idempotent.
	SendBatch(ctx context.Context, queue string, batch pipeline.Digest) (reply pipeline.Digest, err error)
}

// Engine carries batches and keeps builds going: what a distributed executor does for
// memforge. Nothing but names, digests and numbers is handed to it, so that its
// histories hold nothing of a dataset.
type Engine interface {
	BatchSender
	// Start begins the build of an id, or leaves it as it is where it runs already: one
	// worker of the queue drives it, and another does when that one dies or falls silent.
	Start(ctx context.Context, queue, build string) error
	// Cancel asks that a build ends. That nothing of the id runs is no error.
	Cancel(ctx context.Context, build string) error
	// Work handles what comes to the queues until ctx ends. Then it takes nothing new,
	// gives what is at work the time that Handlers needs, and returns.
	Work(ctx context.Context, queues []Queue, h Handlers) error
	// Close ends the connection.
	Close() error
}

// Queue is one that a worker serves.
type Queue struct {
	Name string
	// Drives says that builds come to it (Handlers.Drive), not batches.
	Drives bool
	// Slots is how many builds or batches of it the worker handles at once.
	Slots int
}

// Handlers are what a worker does. Both are idempotent and end soon once their context
// does. An error means that another worker should try, unless it is a *PermanentError.
type Handlers interface {
	Handle(ctx context.Context, batch pipeline.Digest) (reply pipeline.Digest, err error)
	Coordinate(ctx context.Context, build string) error
}

// PermanentError is one that trying again cannot mend.
type PermanentError struct{ Err error }

func (e *PermanentError) Error() string { return e.Err.Error() }

// Unwrap returns what cannot be mended.
func (e *PermanentError) Unwrap() error { return e.Err }

// ErrCancelled is how a build that was cancelled ended.
var ErrCancelled = errors.New("the build was cancelled; what was finished is kept")

// BatchAnswer says what came of a batch, and of which, so that an answer that was mixed up
// is seen. One without a reply says that the batch was stopped.
type BatchAnswer struct {
	Batch pipeline.Digest `json:"parcel,omitempty"`
	Reply pipeline.Digest `json:"reply,omitempty"`
	// Refused says which worker refused it, if one did.
	Refused string `json:"refused,omitempty"`
}

// SendUntilAnswered is Engine.Carry by an engine that sends a batch once and waits. What is stopped
// is sent again: another driver that waited for the same gave it up. giveUp stops it; that
// it fails costs needless work.
func SendUntilAnswered(ctx context.Context, queue string, batch pipeline.Digest, send func() (BatchAnswer, error), giveUp func(context.Context) error) (pipeline.Digest, error) {
	if _, err := pipeline.ParseDigest(string(batch)); err != nil {
		return "", &PermanentError{fmt.Errorf("carry a batch: %w", err)}
	}
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 30*time.Second) {
		a, err := send()
		switch {
		case ctx.Err() != nil:
			if !errors.Is(context.Cause(ctx), ErrMoved) {
				last, end := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
				defer end()
				_ = giveUp(last)
			}
			return "", fmt.Errorf("carry batch %s: %w", batch, context.Cause(ctx))
		case err != nil:
			return "", fmt.Errorf("carry batch %s on queue %s: %w", batch, queue, err)
		case a.Refused != "":
			return "", &PermanentError{fmt.Errorf("batch %s on queue %s: %s refused it; its log says why", batch, queue, a.Refused)}
		case a.Reply != "" && a.Batch != batch:
			return "", &PermanentError{fmt.Errorf("carry batch %s on queue %s: the answer is that of batch %s", batch, queue, a.Batch)}
		case a.Reply != "":
			return a.Reply, nil
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// RunLogged does what a handler does, turns a panic into an error, and tells the log what
// came of it: an engine is told of no error more than that there was one.
func RunLogged(log *slog.Logger, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if err != nil {
			log.Error("work failed", "error", err)
		}
	}()
	return do()
}

// ErrMoved is the cause with which the context of a driver ends when the build goes on
// elsewhere: its worker ends, or another one drives. Parcels that are on their way are
// left there, for the next driver waits for them. They are given up when a context ends
// for any other cause.
var ErrMoved = errors.New("another worker drives the build on")

// repeatLimiter hands on one record of each message in a while, unless it is an error: while a
// server is away, everything that asks it for work says so many times a second.
type repeatLimiter struct {
	slog.Handler
	logged *loggedMessages
}

// loggedMessages is when each message was handed on, for all handlers that come from one.
type loggedMessages struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// while is how long a message is not repeated.
const while = 10 * time.Second

// LimitRepeats is for the log of an engine: it hands on one record of each message in a while,
// unless it is an error.
func LimitRepeats(h slog.Handler) slog.Handler {
	return repeatLimiter{h, &loggedMessages{last: map[string]time.Time{}}}
}

func (s repeatLimiter) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelError && s.logged.lately(r.Message, r.Time) {
		return nil
	}
	return s.Handler.Handle(ctx, r)
}

func (s *loggedMessages) lately(message string, now time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, is := s.last[message]; is && now.Sub(last) < while {
		return true
	}
	s.last[message] = now
	return false
}

func (s repeatLimiter) WithAttrs(attrs []slog.Attr) slog.Handler {
	return repeatLimiter{s.Handler.WithAttrs(attrs), s.logged}
}

func (s repeatLimiter) WithGroup(name string) slog.Handler {
	return repeatLimiter{s.Handler.WithGroup(name), s.logged}
}
