package kitchen

import (
	"context"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

type moved struct{}

func newMoved(struct{}) (pipeline.Gate, error) { return moved{}, nil }

// Spec declares what the gate judges.
func (moved) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Types: []string{LastPlace}}
}

// Judge fails a question about a thing that came back to a place: who remembers only the
// old report would answer it.
func (moved) Judge(_ context.Context, _ *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	out := make([]pipeline.Judgement, len(items))
	for i, item := range items {
		q, err := pipeline.Decode[schemas.Question](item)
		if err != nil {
			return nil, err
		}
		out[i] = judge(q)
	}
	return out, nil
}

func judge(q schemas.Question) pipeline.Judgement {
	last := len(q.Evidence) - 1
	for i, e := range q.Evidence {
		if i < last && e.Text == q.Evidence[last].Text {
			return pipeline.Fail.Because("came-back", "move %d of the thing says %q too", e.Order, q.AnswerText)
		}
	}
	return pipeline.Judgement{Outcome: pipeline.Pass}
}
