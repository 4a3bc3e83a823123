package assemble

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/schemas"
)

// hydrationSteps returns how the stages of the build made files of others, in any order.
// A release takes those that its referenced media need.
func (c *collector) hydrationSteps(ctx context.Context) (all []schemas.HydrationStep, err error) {
	for _, n := range c.steps {
		if n.Step.Kind != pipeline.KindStage {
			continue
		}
		plugin, err := c.reg.Build(n.Step.Identity)
		if err != nil {
			return nil, fmt.Errorf("step %s: %w", n.Step.Name, err)
		}
		if h, ok := plugin.(pipeline.Hydrator); ok {
			if all, err = c.appendHydration(ctx, all, n, h); err != nil {
				return nil, fmt.Errorf("step %s: how its files were made: %w", n.Step.Name, err)
			}
		}
	}
	return all, c.failed
}

func (c *collector) appendHydration(ctx context.Context, all []schemas.HydrationStep, n engine.StepRun, h pipeline.Hydrator) ([]schemas.HydrationStep, error) {
	for u := range c.each(n.Step.Name) {
		if len(u.Out) == 0 {
			continue
		}
		digests := []pipeline.Digest{u.In.Digest}
		for _, ref := range u.Out {
			digests = append(digests, ref.Digest)
		}
		recs, err := c.store.Records(ctx, digests)
		if err != nil {
			return nil, err
		}
		steps, err := h.HydrationSteps(recs[0], recs[1:])
		if err != nil {
			return nil, fmt.Errorf("record %q: %w", u.In.ID, err)
		}
		all = append(all, steps...)
	}
	return all, nil
}
