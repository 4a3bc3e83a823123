package assemble

import (
	"context"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/store/storeurl"
)

// ErrNoModels says that a plan asks nothing of language models.
var ErrNoModels = errors.New("no node asks a language model; give a role to one in pipeline.yaml")

// CollectRequests runs the plan as far as it goes without asking a language
// model and leaves what would be asked as pending in the ledger. It writes no
// release. What is computed on the way is kept for the build that follows. A
// plan that asks nothing of language models is ErrNoModels.
func CollectRequests(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, opt Options) error {
	steps, err := cfg.Plan.Resolve(ctx, reg)
	if err != nil {
		return err
	}
	if !asksModels(steps) {
		return ErrNoModels
	}
	st, err := storeurl.Open(ctx, cfg.StoreDir())
	if err != nil {
		return err
	}
	return errors.Join(collectRequests(ctx, reg, cfg, steps, st, opt), st.Close())
}

func collectRequests(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, steps []engine.Step, st store.Store, opt Options) error {
	fetcher, err := newFetcher(cfg, st, opt)
	if err != nil {
		return err
	}
	opt.collect = true
	models, err := openModels(ctx, cfg, steps, opt)
	if err != nil {
		return err
	}
	if steps, err = models.withCorrections(ctx, steps); err != nil {
		return errors.Join(err, models.close())
	}
	if err := models.ledger.DropPending(ctx); err != nil {
		return errors.Join(err, models.close())
	}
	rt := engine.Runtime{Registry: reg, Store: st, Models: models.runtimeModels(), TempRoot: st.ScratchRoot()}
	_, err = local.Execute(ctx, rt, steps, fetcher, local.Options{Limits: Limits(cfg.Run), Observe: opt.Observe, Drain: opt.Drain, Partial: true})
	if err = errors.Join(err, models.close()); err != nil {
		return fmt.Errorf("collect requests: %w", err)
	}
	return nil
}
