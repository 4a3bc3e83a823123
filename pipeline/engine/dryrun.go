package engine

import (
	"context"

	"github.com/memforge/memforge/pipeline"
)

// DryRun runs every unit of a task as Execute would and keeps no result: none
// is looked up and none is committed. Blobs go to the store of the runtime, which
// is best one that forgets them. A unit that fails does not keep the next from
// running: there is one error for each that did.
func DryRun(ctx context.Context, rt Runtime, t pipeline.Task) (errs []error) {
	keys, err := t.Keys()
	if err != nil {
		return []error{err}
	}
	for i := range keys {
		if _, err := runUnits(ctx, rt, t, keys, []int{i}); err != nil {
			errs = append(errs, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	return errs
}
