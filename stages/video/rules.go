package video

import (
	"context"
	"encoding/json"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
)

// The roles that stages of this package ask.
const (
	roleCaptioner = "captioner"
	roleAuthor    = "author"
)

// addRule registers how the built-in model answers a task of this package. A
// prompt that does not load is reported by whoever asks.
func addRule[In, Out any](r *pipeline.Registry, name string, answer func(context.Context, *pipeline.Scope, In, []pipeline.Digest) (Out, error)) {
	t, err := model.NewJob[In, Out](name)
	if err != nil {
		r.AddRule(name, "1", func(context.Context, *pipeline.Scope, pipeline.Request) (json.RawMessage, error) { return nil, err })
		return
	}
	r.AddRule(name, "1", t.Rule(answer))
}
