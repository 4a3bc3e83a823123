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

// Order is a build as data, for machines that have neither its configuration nor the
// files that it reads: these are in the store. No secret is in it.
type Order struct {
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

// Encode gives the order as bytes: the same for the same order.
func (o Order) Encode() ([]byte, error) { return pipeline.Canonical(o) }

// DecodeOrder is the inverse of Encode.
func DecodeOrder(b []byte) (o Order, err error) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&o); err != nil {
		return o, fmt.Errorf("read the order of a build: %w", err)
	}
	return o, nil
}

// Prepare does what comes before the tasks of a build, on the machine that has the
// configuration: it checks it, brings all files into the store, and gives the order.
func Prepare(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, st store.Store, opt Options) (Order, error) {
	cfg, err := confined(cfg, opt)
	if err != nil {
		return Order{}, err
	}
	steps, err := cfg.Plan.Resolve(ctx, reg)
	if err != nil {
		return Order{}, err
	}
	if opt.Limit == 0 {
		if err := foresee(ctx, reg, cfg); err != nil {
			return Order{}, err
		}
	}
	fetcher, err := newFetcher(cfg, st, opt)
	if err != nil {
		return Order{}, err
	}
	licensed, err := withLicenses(fetcher, cfg.Plan, steps, opt)
	if err != nil {
		return Order{}, err
	}
	o := Order{
		Plan: cfg.Plan, Models: cfg.Models, Roles: cfg.Roles, Offline: opt.Offline || cfg.Run.Offline,
		MaxCost: cfg.Run.MaxCost, Grace: cfg.Run.Grace, Limit: opt.Limit, Only: opt.Only,
	}
	if opt.MaxCost != nil {
		o.MaxCost = opt.MaxCost
	}
	o.Assets, err = fetchAll(ctx, steps, licensed)
	return o, err
}

// IsOf reports whether an order is of the plan that a configuration describes.
func (o Order) IsOf(cfg *config.Config, opt Options) (bool, error) {
	cfg, err := confined(cfg, opt)
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

// config is the configuration of an order on a machine with a ledger.
func (o Order) config(ledger string) *config.Config {
	return &config.Config{Plan: o.Plan, Models: o.Models, Roles: o.Roles, Run: config.Run{
		Ledger: ledger, Offline: o.Offline, MaxCost: o.MaxCost, Grace: o.Grace,
	}}
}

// fetched gives the files that an order names.
type fetched map[string][]pipeline.Asset

// Fetch implements pipeline.Fetcher.
func (f fetched) Fetch(_ context.Context, source string, _ []pipeline.Need) ([]pipeline.Asset, error) {
	assets, ok := f[source]
	if !ok {
		return nil, errors.New("the order of the build does not name its files; this is a bug")
	}
	return assets, nil
}

// Drive carries an order out as far as the nodes: of opt it takes who does the tasks
// and who is told. The nodes are those that ended, also on error.
func (o Order) Drive(ctx context.Context, reg *pipeline.Registry, st store.Store, ledger string, opt Options) ([]engine.NodeRun, error) {
	steps, err := o.Plan.Resolve(ctx, reg)
	if err != nil {
		return nil, err
	}
	opt.Limit, opt.Only = o.Limit, o.Only
	res, err := carryOut(ctx, reg, o.config(ledger), steps, st, fetched(o.Assets), opt)
	return res.Nodes, err
}

// Site is what tasks of an order are executed with on one machine.
type Site struct {
	engine.Runtime
	models models
}

// Open makes a machine ready for tasks of the order. Whoever calls it closes the site.
func (o Order) Open(ctx context.Context, reg *pipeline.Registry, st store.Store, ledger string, opt Options) (*Site, error) {
	steps, err := o.Plan.Resolve(ctx, reg)
	if err != nil {
		return nil, err
	}
	models, err := openModels(ctx, o.config(ledger), steps, opt)
	if err != nil {
		return nil, err
	}
	return &Site{engine.Runtime{Registry: reg, Store: st, Models: models.answering(), TempRoot: st.ScratchRoot()}, models}, nil
}

// Spent is what was asked of models, by node, since Spent was called last.
func (s *Site) Spent() map[string]client.Total {
	if s.models.client == nil {
		return nil
	}
	return s.models.client.Untold()
}

// Close gives back what the site holds.
func (s *Site) Close() error { return s.models.close() }

// Conclude writes the release of an order whose nodes ran elsewhere, see
// engine.EncodeRuns, on the machine that has the configuration.
func Conclude(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, st store.Store, runs []byte, opt Options) (res Result, err error) {
	if cfg, err = confined(cfg, opt); err != nil {
		return res, err
	}
	steps, err := cfg.Plan.Resolve(ctx, reg)
	if err != nil {
		return res, err
	}
	if res.Nodes, err = engine.DecodeRuns(steps, runs); err != nil {
		return res, err
	}
	if res.Refused, err = refused(ctx, reg, st, res.Nodes); err != nil || opt.trial() != "" {
		return res, err
	}
	res.Release, err = writeRelease(ctx, reg, st, cfg, res.Nodes, opt)
	return res, err
}
