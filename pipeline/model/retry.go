package model

import (
	"context"
	"errors"

	"github.com/memforge/memforge/pipeline"
)

// RejectedAnswer is an answer that cannot be used, and why.
type RejectedAnswer[Out any] struct {
	Answer  Out      `json:"answer"`
	Reasons []string `json:"reasons"`
}

// AskUntilUsable asks up to so many times until an answer can be used. Each request is told
// the answers before it and the reasons against them; check gives none for an answer
// that stands, and an error to stop at once. Where none of them stands, all are
// refusals.
func (j *Job[In, Out]) AskUntilUsable(ctx context.Context, scope *pipeline.Scope, role string, attempts int, in func([]RejectedAnswer[Out]) In,
	check func(Answer[Out]) ([]string, error), images ...pipeline.Digest) (good Answer[Out], refused []RejectedAnswer[Out], err error) {
	refused = []RejectedAnswer[Out]{}
	for range attempts {
		got, err := j.Ask(ctx, scope, role, in(refused), 0, images...)
		if err != nil {
			return good, refused, err
		}
		reasons, err := check(got)
		if err != nil || len(reasons) == 0 {
			return got, nil, err
		}
		refused = append(refused, RejectedAnswer[Out]{Answer: got.Value, Reasons: reasons})
	}
	return good, refused, nil
}

// PermanentRejection is the rejection that the error of a request is where it concerns that request
// alone, so that something else can stand in for its answer. What may pass, and what ends
// a build, is no finding.
func PermanentRejection(ctx context.Context, err error) (*pipeline.Rejection, bool) {
	var why *pipeline.Rejection
	if ctx.Err() != nil || !errors.As(err, &why) || why.Transient {
		return nil, false
	}
	return why, true
}
