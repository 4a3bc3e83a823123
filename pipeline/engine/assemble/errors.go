package assemble

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/schemas"
)

// PartialError says that a build lost records to causes that another moment may
// not have: a server that failed, a tool that ran out of time. Its release would
// depend on that moment, so none was written.
type PartialError struct {
	// Steps are those that lost records so, and Lost how many each, in the order of
	// the plan.
	Steps []string
	Lost  []int
}

func (e *PartialError) Error() string {
	var parts []string
	for i, n := range e.Steps {
		parts = append(parts, fmt.Sprintf("%d in %s", e.Lost[i], n))
	}
	return fmt.Sprintf("records were lost to causes that may pass (%s), so no release was written; run again, what is done is kept, or take the release without them by --allow-partial", strings.Join(parts, ", "))
}

// WaitingError says that requests of a build are in batches: they were paid for,
// or will be, so they were not asked again, and there is no release without them.
type WaitingError struct {
	// Batches are those that hold such requests.
	Batches []ledger.Batch
}

func (e *WaitingError) Error() string {
	return DescribeBatches(e.Batches) + ", so no release was written; `memforge batch poll` takes the answers in, then build again: what is done is kept"
}

// DescribeBatches says what waits in batches.
func DescribeBatches(batches []ledger.Batch) string {
	parts := make([]string, len(batches))
	for i, b := range batches {
		parts[i] = fmt.Sprintf("%d requests wait in batch %s of %s (%s)", b.Waiting, b.ID, b.Name, b.State)
	}
	return strings.Join(parts, ", ")
}

// WithheldError says that more of what a step gave is against a rule of the tables than
// its max_loss allows.
type WithheldError struct {
	Step string
	// Withheld are the records that are against a rule, Lost those that the step lost
	// itself, Of is how many it would have given.
	Withheld, Lost, Of int
	Max                float64
	// First is one of the excluded.
	First schemas.Rejection
}

func (e *WithheldError) Error() string {
	return fmt.Sprintf("step %s gave %d records that no release can hold (the first: %s: %s); with the %d it lost itself that is %.1f %% of %d, more than max_loss %.1f %%: mend the step or its input, or raise its max_loss (what was built is kept)",
		e.Step, e.Withheld, e.First.ID, e.First.Reason, e.Lost, 100*e.share(), e.Of, 100*e.Max)
}

func (e *WithheldError) share() float64 { return float64(e.Withheld+e.Lost) / float64(max(e.Of, 1)) }

// NoStepError says that a plan has no step of a name.
type NoStepError struct {
	Name string
	// Near is a name that looks like it, or empty.
	Near string
}

func (e *NoStepError) Error() string {
	text := fmt.Sprintf("the configuration has no step %q", e.Name)
	if e.Near != "" {
		return text + fmt.Sprintf("; did you mean %q?", e.Near)
	}
	return text + "; `memforge plan` lists the steps"
}
