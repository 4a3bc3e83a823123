// Package assemble makes a release from a configuration: it opens the store and
// the lock file, runs the plan and writes what the plan's release names. It
// wires the other packages together and decides nothing itself.
package assemble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/engine/forecast"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/store/storeurl"
	"github.com/memforge/memforge/schemas"
)

// Options of one build, beyond its configuration.
type Options struct {
	// Getenv reads the environment: tokens, keys and mirrors; os.Getenv if it is nil.
	Getenv func(string) string
	// Observe and Drain are those of local.Options. Once drained, models are asked
	// nothing more, and calls on their way have run.grace to be answered.
	Observe func([]engine.Count)
	Drain   <-chan struct{}
	// Fetched, if set, is told of bytes as they arrive; see fetch.Options.
	Fetched func(file string, done, total int64)
	// MaxCost bounds what models may cost, in the place of run.max_cost unless nil;
	// 0 spends nothing.
	MaxCost *float64
	// Run is the name of a build that several processes carry out, which share a ledger
	// in a database: MaxCost bounds what all of them spend. Without a name it bounds
	// this process.
	Run string
	// AllowPartial writes a release without what was lost to causes that may pass;
	// otherwise that is a *PartialError.
	AllowPartial bool
	// Spending, if set, is called once with a function that says at any time what
	// was asked of models, what it cost and what is on its way.
	Spending func(now func() client.Total)
	// Limit lets sources hand on only so many records of each schema, Only builds one
	// step with what it reads. Either makes the build a trial: it writes no release,
	// and what it did is kept for show and for the whole build.
	Limit int
	Only  string
	// Offline forbids the network, as run.offline does.
	Offline bool
	// Relock pins every upstream anew.
	Relock bool
	// AllowUnlicensed writes a private release despite unknown licences.
	AllowUnlicensed bool
	// Inputs is the folder of local files, instead of that of the configuration.
	Inputs string
	// Original is the release that is built again; see release.Options.
	Original *release.Original
	// RunTask and Slots are those of local.Options: who runs the tasks instead of this process.
	RunTask local.TaskRunner
	Slots   func() map[pipeline.Resource]int
	// collect leaves requests to a batch, see CollectRequests.
	collect bool
}

func (o Options) getenv(name string) string {
	if o.Getenv == nil {
		return os.Getenv(name)
	}
	return o.Getenv(name)
}

// Result of a build.
type Result struct {
	// Release is where the release stands; Release.Changed is false when there
	// was nothing to do.
	Release release.Written
	Steps   []engine.StepRun
	// Models is what was asked of models in total, PerStep by step.
	Models  client.Total
	PerStep map[string]client.Total
	// Losses lists what sources and stages lost in this run, with the files, also
	// where the build failed.
	Losses []schemas.Rejection
	// Served lists models that others answered for.
	Served []client.ModelMismatch
}

// Built returns how many units were computed rather than found in the store.
func (r Result) Built() int {
	n := 0
	for _, node := range r.Steps {
		n += node.Built()
	}
	return n
}

// Build runs the plan and writes its release.
func Build(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, opt Options) (res Result, err error) {
	cfg, steps, err := resolve(ctx, reg, cfg, opt)
	if err != nil {
		return res, err
	}
	st, err := storeurl.Open(ctx, cfg.StoreDir())
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(quarantineCorrupt(ctx, st, err), st.Close()) }()
	if err := checkKeys(ctx, reg, cfg, st, opt); err != nil {
		return res, err
	}
	fetcher, err := licensedFetcher(cfg, steps, st, opt)
	if err != nil {
		return res, err
	}
	if res, err = runPlan(ctx, reg, cfg, steps, st, fetcher, opt); err != nil || opt.trial() != "" {
		return res, err
	}
	res.Release, err = writeRelease(ctx, reg, st, cfg, res.Steps, opt)
	return res, err
}

// resolve returns the configuration that a build is confined to, and its steps. It ends a
// build that is bound to miss a number that its configuration asks for, or to make more
// than a release holds, before there is any work. A step that may lose everything is left
// to do so.
func resolve(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, opt Options) (*config.Config, []engine.Step, error) {
	cfg, err := confine(cfg, opt)
	if err != nil {
		return nil, nil, err
	}
	steps, err := cfg.Plan.Resolve(ctx, reg)
	if err != nil || opt.Limit > 0 {
		return cfg, steps, err
	}
	expected, err := forecast.Estimate(ctx, cfg.Plan, reg, 1, forecast.CountFiles(cmp.Or(opt.Inputs, cfg.Dir)))
	if err != nil {
		return nil, nil, err
	}
	if why := release.TooManyMedia(expected.Media); why != "" {
		return nil, nil, &pipeline.SettingError{Setting: "release.from", Problem: why}
	}
	if err := checkPictures(ctx, reg, cfg, opt); err != nil {
		return nil, nil, err
	}
	var short []string
	for i, n := range cfg.Plan.Steps {
		if f := expected.Steps[i].Forecast; f != nil && f.Short != "" && n.MaxLoss < 1 {
			short = append(short, n.Name+": "+f.Short)
		}
	}
	if len(short) > 0 {
		return nil, nil, &pipeline.ShortageError{Short: short}
	}
	return cfg, steps, nil
}

// quarantineCorrupt looks for all damaged blobs once a build met one: the next build
// would otherwise meet the others one by one.
func quarantineCorrupt(ctx context.Context, st store.Store, err error) error {
	var corrupt *pipeline.CorruptError
	if !errors.As(err, &corrupt) {
		return err
	}
	more, failed := st.QuarantineCorrupt(ctx)
	if failed != nil {
		return errors.Join(err, failed)
	}
	return fmt.Errorf("%w; this and %d more damaged blobs were set aside, and all others are sound: run again, which makes what is missing anew", err, len(more))
}

// runPlan runs the plan and keeps the build for explain and show.
func runPlan(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, steps []engine.Step, st store.Store, fetch pipeline.Fetcher, opt Options) (Result, error) {
	models, err := openModels(ctx, cfg, steps, opt)
	if err != nil {
		return Result{}, err
	}
	if steps, err = models.withCorrections(ctx, steps); err != nil {
		return Result{}, errors.Join(err, models.close())
	}
	rt := engine.Runtime{Registry: reg, Store: st, Models: models.runtimeModels(), TempRoot: st.ScratchRoot()}
	nodes, err := local.Execute(ctx, rt, instant(steps, opt.Offline || cfg.Run.Offline), fetch, local.Options{
		Limits: Limits(cfg.Run), Observe: opt.Observe, Drain: opt.Drain, Limit: opt.Limit, RunTask: opt.RunTask, Slots: opt.Slots,
	})
	res := Result{Steps: nodes, Models: models.total(), PerStep: models.perStep(), Served: models.served()}
	if models.client != nil {
		batches, waitErr := models.client.WaitingBatches(context.WithoutCancel(ctx))
		if waitErr == nil && len(batches) > 0 {
			waitErr = &WaitingError{batches}
		}
		if waitErr != nil && errors.Is(err, engine.ErrWaiting) {
			err = nil // said better
		}
		err = errors.Join(err, waitErr)
	}
	var lossErr error
	if res.Losses, lossErr = lossesOf(ctx, reg, st, nodes); ctx.Err() != nil {
		lossErr = nil // an interrupted build says nothing of its losses
	}
	if err = errors.Join(err, lossErr, models.close()); err != nil {
		return res, errors.Join(err, keepFailed(ctx, st, cfg.Plan, nodes, opt))
	}
	return res, engine.SaveHistory(ctx, st, cfg.Plan, nodes, opt.trial())
}

// Limits fills in what the run block leaves open: one task per processor for
// what computes, more for what waits.
func Limits(r config.Run) map[pipeline.Resource]int {
	workers := cmp.Or(r.Workers, runtime.NumCPU())
	return map[pipeline.Resource]int{
		pipeline.CPU: cmp.Or(r.Limits.CPU, workers), pipeline.FFmpeg: cmp.Or(r.Limits.FFmpeg, workers),
		pipeline.Model: cmp.Or(r.Limits.Model, 8), pipeline.Network: cmp.Or(r.Limits.Network, 4),
	}
}

// ErrNoModels says that a plan asks nothing of language models.
var ErrNoModels = errors.New("no step asks a language model; give a role to one in pipeline.yaml")

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

// trial says what a build is confined to, or is empty.
func (o Options) trial() string {
	var parts []string
	if o.Only != "" {
		parts = append(parts, "only "+o.Only)
	}
	if o.Limit > 0 {
		parts = append(parts, fmt.Sprintf("limit %d", o.Limit))
	}
	return strings.Join(parts, ", ")
}

// keepFailed keeps what a build finished before it failed, for show: the records
// that say why it did.
func keepFailed(ctx context.Context, st pipeline.Store, plan engine.Plan, nodes []engine.StepRun, opt Options) error {
	if len(nodes) == 0 || ctx.Err() != nil {
		return nil
	}
	return engine.SaveHistory(ctx, st, plan, nodes, strings.TrimPrefix(opt.trial()+", failed", ", "))
}

// confine returns the configuration with the steps alone that a build is to make.
func confine(cfg *config.Config, opt Options) (*config.Config, error) {
	if opt.Only == "" {
		return cfg, nil
	}
	only := *cfg
	var ok bool
	if only.Plan, ok = cfg.Plan.Only(opt.Only); ok {
		return &only, nil
	}
	var names []string
	for _, n := range cfg.Plan.Steps {
		names = append(names, n.Name)
	}
	near, _ := words.NearestWord(opt.Only, names)
	return nil, &NoStepError{Name: opt.Only, Near: near}
}
