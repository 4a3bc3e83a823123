package run

import (
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// ErrInterrupted says that a drain was asked for: running tasks ended and were
// kept, nothing new was started. Running again goes on from there.
var ErrInterrupted = errors.New("interrupted: what was finished is kept, run the same command again to go on")

// LostError says what a partial run met that would have ended a whole one: nodes
// that lost too much. All that does not follow from them was run.
type LostError struct{ Err error }

func (e *LostError) Error() string { return e.Err.Error() }
func (e *LostError) Unwrap() error { return e.Err }

// ErrWaiting says that nodes could not finish, or start, for the answers that
// items wait for.
var ErrWaiting = errors.New("answers are still to come: take them in and run the same command again")

// LossError says that a node lost more of its items than max_loss allows.
type LossError struct {
	Node    string
	Kind    pipeline.Kind
	Summary pipeline.Summary
	Max     float64
}

func (e *LossError) Error() string {
	reasons := ""
	for _, c := range e.Summary.ReasonCodes() {
		reasons += fmt.Sprintf(" %s=%d", c, e.Summary.Reasons[c])
	}
	return fmt.Sprintf("node %s lost %d items, %.1f %% of its input, more than max_loss %.1f %%:%s; mend the input or raise max_loss of the node (what was built is kept)",
		e.Node, e.Summary.Lost, 100*e.Summary.LossShare(e.Kind), 100*e.Max, reasons)
}
