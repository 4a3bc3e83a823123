package engine

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// LostError says what a partial run met that would have ended a whole one: steps
// that lost too much. All that does not follow from them was run.
type LostError struct{ Err error }

func (e *LostError) Error() string { return e.Err.Error() }
func (e *LostError) Unwrap() error { return e.Err }

// ErrWaiting says that steps could not finish, or start, for the answers that
// items wait for.
var ErrWaiting = errors.New("answers are still to come: take them in and run the same command again")

// LossError says that a step lost more of its items than max_loss allows.
type LossError struct {
	Step    string
	Kind    pipeline.Kind
	Summary Summary
	Max     float64
}

func (e *LossError) Error() string {
	reasons := ""
	for _, c := range e.Summary.ReasonCodes() {
		reasons += fmt.Sprintf(" %s=%d", c, e.Summary.Reasons[c])
	}
	return fmt.Sprintf("step %s lost %d items, %.1f %% of its input, more than max_loss %.1f %%:%s; mend the input or raise max_loss of the step (what was built is kept)",
		e.Step, e.Summary.Lost, 100*e.Summary.LossShare(e.Kind), 100*e.Max, reasons)
}

// ResultsError says that what was handed to State.Complete is not what its task
// gives: remembered, it would stand under the names of other inputs for good.
type ResultsError struct{ Step, Why string }

func (e *ResultsError) Error() string {
	return fmt.Sprintf("step %s: the results are not those of the task (%s); this is a bug of the executor, nothing of them was taken", e.Step, e.Why)
}

// ForeignError says that a task was made by another program or on another machine:
// its result would stand under a key that names what did not make it.
type ForeignError struct{ Differs []string }

func (e *ForeignError) Error() string {
	return fmt.Sprintf("the task was made elsewhere (%s); make and run it with one build of memforge and the same tools", strings.Join(e.Differs, "; "))
}
