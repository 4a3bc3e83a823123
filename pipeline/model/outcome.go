package model

import (
	"fmt"
	"time"

	"github.com/memforge/memforge/pipeline"
)

// The outcomes of a request. All but OK concern one item and reject it.
const (
	OK = pipeline.ReplyOK
	// Invalid: the answer does not fit its schema, not after one repair either.
	Invalid pipeline.ReplyOutcome = "invalid"
	// Refusal: the model declines to answer.
	Refusal pipeline.ReplyOutcome = "refusal"
	// Length: the answer was cut at the longest allowed.
	Length pipeline.ReplyOutcome = "length"
	// Filtered: the server's content filter took the request or the answer away.
	Filtered pipeline.ReplyOutcome = "filtered"
	// TooLarge: the request exceeds the model's context or its image bounds.
	TooLarge pipeline.ReplyOutcome = "too-large"
	// Failed: the server answers others but fails on this request every time.
	// Another build tries again.
	Failed pipeline.ReplyOutcome = "failed"
	// Pending: the request waits for a batch, or in one.
	Pending pipeline.ReplyOutcome = "pending"
)

// CodeInvalid is the rejection code of an answer that does not fit its schema.
const CodeInvalid = "model-" + string(Invalid)

// OutcomeError is an outcome other than OK. It has a *pipeline.Rejection in its
// chain, so a stage may return it as it is; a gate may look at the outcome.
type OutcomeError struct {
	Outcome pipeline.ReplyOutcome
	Task    string
	// Model is the model's name as a release states it.
	Model string
	// Text is what the model said, as far as it said something; Detail is what is
	// wrong with it or what the server said.
	Text, Detail string
	Usage        pipeline.Usage
}

func (e *OutcomeError) Error() string { return e.rejection().Error() }

// Unwrap gives the rejection.
func (e *OutcomeError) Unwrap() error { return e.rejection() }

func (e *OutcomeError) rejection() *pipeline.Rejection {
	r := pipeline.Reject(e.Outcome.Code(), "%s, asked for %s, %s", e.Model, e.Task, e.describe())
	r.Waiting = e.Outcome == Pending
	r.Transient = e.Outcome == Failed || r.Waiting
	return r
}

func (e *OutcomeError) describe() string {
	switch e.Outcome {
	case Invalid:
		return "gave an answer that does not fit its schema: " + e.Detail
	case Refusal:
		return "declined: " + e.Detail
	case Length:
		return "was cut at its longest answer; raise sampling.max_tokens"
	case Filtered:
		return "was silenced by a content filter: " + e.Detail
	case TooLarge:
		return "cannot take a request so large: " + e.Detail
	case Failed:
		return "fails on this request while it answers others: " + e.Detail
	case Pending:
		if e.Detail != "" {
			return "will answer in batch " + e.Detail + "; take its results in and build again"
		}
		return "will answer in a batch; take its results in and build again"
	}
	return string(e.Outcome) + ": " + e.Detail
}

// ServerError says that a model server cannot be used. It ends the build.
type ServerError struct {
	Reason ServerReason
	// Model as pipeline.yaml calls it, Host of its base URL.
	Model, Host string
	// Detail is what the server said, Advice what to do.
	Detail, Advice string
	// OfRequest says that it refused a request for what that holds, as it may no other.
	OfRequest bool
	Err       error
}

// ServerReason is why a model server cannot be used.
type ServerReason string

// The reasons.
const (
	Unauthorised ServerReason = "does not accept the key"
	Unavailable  ServerReason = "cannot be reached or keeps failing"
	Unusable     ServerReason = "does not accept the request"
	Exhausted    ServerReason = "has no quota left"
)

func (e *ServerError) Error() string {
	text := fmt.Sprintf("model %s at %s %s", e.Model, e.Host, e.Reason)
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text + "; " + e.Advice
}

func (e *ServerError) Unwrap() error { return e.Err }

// MissError says that an answer is not recorded and nothing may be asked.
type MissError struct {
	Task, Step, Item, Model string
	// Changed names the fields in which the nearest recorded request differs;
	// empty when none of this task is recorded.
	Changed []string
	// Nearest is the item that request was made for.
	Nearest string
}

func (e *MissError) Error() string {
	text := fmt.Sprintf("no recorded answer of %s to task %s", e.Model, e.Task)
	if e.Item != "" {
		text += " for " + e.Item
	}
	if len(e.Changed) == 0 {
		return text + "; nothing of this task is recorded. Build without --offline, or import a ledger or a batch"
	}
	return fmt.Sprintf("%s; the nearest recorded request (for %q) differs in %v. Build without --offline, let `memforge batch export` write it, or take the change back", text, e.Nearest, e.Changed)
}

// BudgetError says that a run may not spend more, or that it is unknown what
// it would spend.
type BudgetError struct {
	// Spent and Max are in Currency.
	Spent, Max float64
	Currency   string
	// Unpriced is a model without a price, if that is the reason.
	Unpriced string
}

func (e *BudgetError) Error() string {
	if e.Unpriced != "" && e.Currency == "" {
		return fmt.Sprintf("a budget is set, but model %s has no price; add its price block to pipeline.yaml or build without a budget", e.Unpriced)
	}
	if e.Unpriced != "" {
		return fmt.Sprintf("a budget is set, but model %s has no price in %s; add its price block to pipeline.yaml or build without a budget", e.Unpriced, e.Currency)
	}
	return fmt.Sprintf("the budget of %.2f %s is used up (%.4f spent); what was answered is recorded, run again to go on with a new budget", e.Max, e.Currency, e.Spent)
}

// RateError says that a server asks to wait longer than a build should.
type RateError struct {
	Model, Host string
	Wait        time.Duration
}

func (e *RateError) Error() string {
	return fmt.Sprintf("model %s at %s asks to wait %s; what was answered is recorded, run again then", e.Model, e.Host, e.Wait)
}
