package release_test

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// addRewording adds a gate that finds some questions of the album too curt, and a
// stage that words them anew, so that a release holds revisions.
func addRewording(r *pipeline.Registry) {
	pipeline.AddGate(r, "test.words", "1", "no curt question about a corner from 2 to 5", func(struct{}) (pipeline.Gate, error) { return textColumn{}, nil })
	pipeline.AddStage(r, "test.reword", "1", "words a question anew", func(struct{}) (pipeline.Stage, error) { return reword{}, nil })
	r.AddRule("test.reword", "1", func(context.Context, *pipeline.Scope, pipeline.Request) (json.RawMessage, error) { return nil, nil })
}

type textColumn struct{}

func (textColumn) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{schemas.NameQuestion}} }

func (textColumn) Judge(_ context.Context, _ *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	q, err := pipeline.Decode[schemas.Question](items[0])
	if err != nil {
		return nil, err
	}
	if corner := q.Labels["corner"]; corner >= "2" && corner <= "5" && !strings.HasPrefix(q.Question, "Please") {
		return []pipeline.Judgement{{Outcome: pipeline.Fail, Code: "curt", Reason: "curt: it says please to nobody"}}, nil
	}
	return []pipeline.Judgement{{Outcome: pipeline.Pass}}, nil
}

// reword gives a flagged question other words by rule, as a model would.
type reword struct{}

func (reword) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameFlagged}, Emits: []string{schemas.NameQuestion}, Resource: pipeline.Model,
		Asks: []pipeline.Ask{{Role: "author", Task: "test.reword", Version: "1"}},
	}
}

func (reword) Map(_ context.Context, _ *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	f, err := pipeline.Decode[schemas.Flagged](in)
	if err != nil {
		return nil, err
	}
	q, err := pipeline.Decode[schemas.Question](pipeline.Record{ID: f.Item, Schema: f.Schema, Data: f.Record})
	if err != nil {
		return nil, err
	}
	q.Revisions = []schemas.Revision{{Item: f.Item, Question: q.Question, Gate: f.Gate, Code: f.Code, Reason: f.Reason, Model: pipeline.BuiltInModel}}
	q.QuestionID, q.Question, q.QuestionMCQ = f.Item+"-r1", "Please tell: "+q.Question, "Please tell: "+q.QuestionMCQ
	q.Labels[schemas.LabelAuthor], q.Labels[schemas.LabelRevision], q.Labels[schemas.LabelRevisedFrom] = pipeline.BuiltInModel, "1", f.Item
	out, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q, in.Blobs...)
	return []pipeline.Record{out}, err
}
