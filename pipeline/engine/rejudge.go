package engine

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
)

// Rejudge runs a gate again outside a build, over items sorted by id: one
// judgement each. Chance falls as it did in a build with the same identity.
// Without a store in the runtime every blob is ErrNoStore. Nothing is kept.
func Rejudge(ctx context.Context, rt Runtime, id pipeline.Identity, g pipeline.Gate, items []pipeline.Record) ([]pipeline.Judgement, error) {
	if len(items) == 0 {
		return nil, nil
	}
	if g.Spec().Whole {
		return rejudge(ctx, rt, id, g, "", items)
	}
	out := make([]pipeline.Judgement, 0, len(items))
	for i := range items {
		one, err := rejudge(ctx, rt, id, g, items[i].ID, items[i:i+1])
		if err != nil {
			return out, &pipeline.TaskError{Node: id.Name, Item: items[i].ID, Err: err}
		}
		out = append(out, one...)
	}
	return out, nil
}

func rejudge(ctx context.Context, rt Runtime, id pipeline.Identity, g pipeline.Gate, input string, items []pipeline.Record) (out []pipeline.Judgement, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	grant := rt.grant(pipeline.Task{Node: id.Name, Identity: id}, input)
	grant.Forgets, grant.Heard = true, nil
	_, err = pipeline.Within(grant, func(s *pipeline.Scope) error {
		if out, err = g.Judge(ctx, s, items); err == nil && len(out) != len(items) {
			return fmt.Errorf("the gate gave %d judgements for %d items", len(out), len(items))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
