// Package cluster spreads the tasks of a build over workers on many machines. The
// store, which all of them open, is the checkpoint: what travels between machines are
// digests, and everything else is found in the store under its digest or key. Package
// cluster decides nothing of what is ready, as the driver of one machine does that, and
// knows no engine: an Engine carries digests from a driver to workers and back.
package cluster

import (
	"context"
	"errors"

	"github.com/memforge/memforge/pipeline"
)

// BatchSender brings parcels, which are groups of tasks, to workers.
type BatchSender interface {
	// SendBatch has one worker of a queue handle a parcel and gives what Handlers.Handle
	// gave: the digest of its reply. It tries again, elsewhere, when the worker dies,
	// falls silent or fails, until ctx ends or an error is a *PermanentError. The same
	// parcel may be carried twice, by two drivers at once too: handling is idempotent.
	SendBatch(ctx context.Context, queue string, parcel pipeline.Digest) (reply pipeline.Digest, err error)
}

// Engine carries parcels and keeps builds going: what a distributed executor does for
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
	// Drives says that builds come to it (Handlers.Drive), not parcels.
	Drives bool
	// Slots is how many builds or parcels of it the worker handles at once.
	Slots int
}

// Handlers are what a worker does. Both are idempotent and end soon once their context
// does. An error means that another worker should try, unless it is a *PermanentError.
type Handlers interface {
	Handle(ctx context.Context, parcel pipeline.Digest) (reply pipeline.Digest, err error)
	Coordinate(ctx context.Context, build string) error
}

// PermanentError is one that trying again cannot mend.
type PermanentError struct{ Err error }

func (e *PermanentError) Error() string { return e.Err.Error() }

// Unwrap returns what cannot be mended.
func (e *PermanentError) Unwrap() error { return e.Err }

// ErrCancelled is how a build that was cancelled ended.
var ErrCancelled = errors.New("the build was cancelled; what was finished is kept")
