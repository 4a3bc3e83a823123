package engine

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Rejudge runs a gate again outside a build, over items sorted by id: one
// judgement each. Items that are judged each by itself are judged on all cores; of errors
// that of the first item is given. Chance falls as it did in a build with the same
// identity.
// Without a store in the runtime every blob is ErrNoStore. Nothing is kept.
func Rejudge(ctx context.Context, rt Runtime, id pipeline.Identity, g pipeline.Gate, items []pipeline.Record) ([]pipeline.Judgement, error) {
	if len(items) == 0 {
		return nil, nil
	}
	if g.Spec().Whole {
		return rejudge(ctx, rt, id, g, "", items)
	}
	out, errs := make([]pipeline.Judgement, len(items)), make([]error, len(items))
	var work errgroup.Group
	work.SetLimit(runtime.GOMAXPROCS(0))
	var failed atomic.Int64 // the first place that failed; what comes after it is left
	failed.Store(int64(len(items)))
	for i := range items {
		work.Go(func() error {
			if int64(i) > failed.Load() {
				return nil
			}
			one, err := rejudge(ctx, rt, id, g, items[i].ID, items[i:i+1])
			if err != nil {
				errs[i] = &pipeline.TaskError{Step: id.Name, Item: items[i].ID, Err: err}
				for at := failed.Load(); int64(i) < at && !failed.CompareAndSwap(at, int64(i)); at = failed.Load() {
				}
				return nil
			}
			out[i] = one[0]
			return nil
		})
	}
	_ = work.Wait() // the errors are in errs
	if at := failed.Load(); at < int64(len(items)) {
		return nil, errs[at]
	}
	return out, nil
}

func rejudge(ctx context.Context, rt Runtime, id pipeline.Identity, g pipeline.Gate, input string, items []pipeline.Record) (out []pipeline.Judgement, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	grant := rt.grant(pipeline.Task{Step: id.Name, Identity: id}, input)
	grant.KeepsNothing, grant.OnRequest = true, nil
	_, err = pipeline.RunInScope(grant, func(s *pipeline.Scope) error {
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

// DryRun runs every unit of a task as Execute would and keeps no result: none
// is looked up and none is committed. Blobs go to the store of the runtime, which
// is best one that forgets them. A unit that fails does not keep the next from
// running: there is one error for each that did.
func DryRun(ctx context.Context, rt Runtime, t pipeline.Task) (errs []error) {
	keys, err := TaskKeys(t)
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

// FirstCall returns the call that a gate of this identity made first about an item.
func FirstCall(id pipeline.Identity, g pipeline.FirstCaller, item *pipeline.Item) (call schemas.Probe, ok bool, err error) {
	grant := pipeline.ScopeOptions{Identity: id, Step: id.Name, Item: item.ID}
	_, err = pipeline.RunInScope(grant, func(s *pipeline.Scope) error { call, ok = g.FirstCall(s, item); return nil })
	return call, ok, err
}
