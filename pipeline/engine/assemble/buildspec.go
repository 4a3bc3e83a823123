package assemble

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/server"
	"github.com/memforge/memforge/pipeline/store"
)

// BuildSpec is a build as data, for machines that have neither its configuration nor the
// files that it reads: these are in the store. No secret is in it.
type BuildSpec struct {
	// Program tells programs and machines apart that would make other bytes.
	Program string                      `json:"program"`
	Plan    engine.Plan                 `json:"plan"`
	Models  map[string]server.Model     `json:"models,omitempty"`
	Roles   map[string]string           `json:"roles,omitempty"`
	Assets  map[string][]pipeline.Asset `json:"assets,omitempty"`
	// The others are those of Options and of the run block.
	Offline bool          `json:"offline,omitempty"`
	MaxCost *float64      `json:"max_cost,omitempty"`
	Grace   time.Duration `json:"grace"`
	Limit   int           `json:"limit,omitempty"`
	Only    string        `json:"only,omitempty"`
}

// Encode returns the order as bytes: the same for the same order.
func (o BuildSpec) Encode() ([]byte, error) { return pipeline.Canonical(o) }

// DecodeBuildSpec is the inverse of Encode.
func DecodeBuildSpec(b []byte) (o BuildSpec, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o); err != nil {
		return o, fmt.Errorf("read the order of a build: %w", err)
	}
	return o, nil
}

// PrepareBuild does what comes before the tasks of a build, on the machine that has the
// configuration: it checks it, brings all files into the store, and gives the order.
func PrepareBuild(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, st store.Store, opt Options) (BuildSpec, error) {
	cfg, steps, err := resolve(ctx, reg, cfg, opt)
	if err != nil {
		return BuildSpec{}, err
	}
	fetcher, err := licensedFetcher(cfg, steps, st, opt)
	if err != nil {
		return BuildSpec{}, err
	}
	o := BuildSpec{
		Plan: cfg.Plan, Models: cfg.Models, Roles: cfg.Roles, Offline: opt.Offline || cfg.Run.Offline,
		MaxCost: cfg.Run.MaxCost, Grace: cfg.Run.Grace, Limit: opt.Limit, Only: opt.Only,
	}
	if opt.MaxCost != nil {
		o.MaxCost = opt.MaxCost
	}
	o.Assets, err = fetchAll(ctx, steps, fetcher)
	return o, err
}

// Matches reports whether an order is of the plan that a configuration describes.
func (o BuildSpec) Matches(cfg *config.Config, opt Options) (bool, error) {
	cfg, err := confine(cfg, opt)
	if err != nil {
		return false, err
	}
	own, err := cfg.Plan.Digest()
	if err != nil {
		return false, err
	}
	its, err := o.Plan.Digest()
	return own == its, err
}

func (o BuildSpec) config(ledger string) *config.Config {
	return &config.Config{Plan: o.Plan, Models: o.Models, Roles: o.Roles, Run: config.Run{
		Ledger: ledger, Offline: o.Offline, MaxCost: o.MaxCost, Grace: o.Grace,
	}}
}

// pinnedAssets gives the files that an order names.
type pinnedAssets map[string][]pipeline.Asset

// Fetch implements pipeline.Fetcher.
func (f pinnedAssets) Fetch(_ context.Context, source string, _ []pipeline.Need) ([]pipeline.Asset, error) {
	assets, ok := f[source]
	if !ok {
		return nil, errors.New("the order of the build does not name its files; this is a bug")
	}
	return assets, nil
}

// Run carries an order out as far as the steps: of opt it takes who does the tasks
// and who is told. The steps are those that ended, also on error.
func (o BuildSpec) Run(ctx context.Context, reg *pipeline.Registry, st store.Store, ledger string, opt Options) ([]engine.StepRun, error) {
	steps, err := o.Plan.Resolve(ctx, reg)
	if err != nil {
		return nil, err
	}
	opt.Limit, opt.Only = o.Limit, o.Only
	res, err := runPlan(ctx, reg, o.config(ledger), steps, st, pinnedAssets(o.Assets), opt)
	return res.Steps, err
}

// TaskRuntime is what tasks of an order are executed with on one machine.
type TaskRuntime struct {
	engine.Runtime
	models models
}

// OpenRuntime makes a machine ready for tasks of the order. The caller closes it.
func (o BuildSpec) OpenRuntime(ctx context.Context, reg *pipeline.Registry, st store.Store, ledger string, opt Options) (*TaskRuntime, error) {
	steps, err := o.Plan.Resolve(ctx, reg)
	if err != nil {
		return nil, err
	}
	models, err := openModels(ctx, o.config(ledger), steps, opt)
	if err != nil {
		return nil, err
	}
	return &TaskRuntime{engine.Runtime{Registry: reg, Store: st, Models: models.runtimeModels(), TempRoot: st.ScratchRoot()}, models}, nil
}

// TakeSpending returns what was asked of models, by step, since Spent was called last.
func (s *TaskRuntime) TakeSpending() map[string]client.Total {
	if s.models.client == nil {
		return nil
	}
	return s.models.client.TakeUnreported()
}

// Close gives back what the site holds.
func (s *TaskRuntime) Close() error { return s.models.close() }

// FinishBuild writes the release of an order whose steps ran elsewhere, see
// engine.EncodeRuns, on the machine that has the configuration.
func FinishBuild(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, st store.Store, runs []byte, opt Options) (res Result, err error) {
	if cfg, err = confine(cfg, opt); err != nil {
		return res, err
	}
	steps, err := cfg.Plan.Resolve(ctx, reg)
	if err != nil {
		return res, err
	}
	if res.Steps, err = engine.DecodeRuns(steps, runs); err != nil {
		return res, err
	}
	if res.Losses, err = lossesOf(ctx, reg, st, res.Steps); err != nil || opt.trial() != "" {
		return res, err
	}
	res.Release, err = writeRelease(ctx, reg, st, cfg, res.Steps, opt)
	return res, err
}
