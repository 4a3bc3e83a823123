package assemble

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgerurl"
	"github.com/memforge/memforge/pipeline/model/sharedlimit"
)

// models is the client of one run with its ledger; empty when no step asks a
// language model.
type models struct {
	client *client.Client
	ledger ledger.Interface
	// unshare closes what machines share beside the ledger.
	unshare func() error
}

func asksModels(steps []engine.Step) bool {
	for _, s := range steps {
		if len(s.Identity.Models) > 0 {
			return true
		}
	}
	return false
}

// instant marks the steps whose models answer at once. Where the built-in model
// runs other programs, what it gives is worth committing one by one.
func instant(steps []engine.Step, offline bool) []engine.Step {
	out := slices.Clone(steps)
	for i, s := range out {
		rules := len(s.Identity.Models) == 0 && len(s.Spec.Tools) == 0
		out[i].Instant = s.Spec.Resource == pipeline.Model && (offline || rules)
	}
	return out
}

// openModels starts the client of the roles that the steps ask. A budget binds
// only models that are asked.
func openModels(ctx context.Context, cfg *config.Config, steps []engine.Step, opt Options) (models, error) {
	if !asksModels(steps) {
		return models{}, nil
	}
	roles := map[string]string{}
	for _, s := range steps {
		for role := range s.Identity.Models {
			roles[role] = cfg.Roles[role]
		}
	}
	book, err := ledgerurl.Open(ctx, cfg.LedgerDir())
	if err != nil {
		return models{}, err
	}
	if opt.RunTask != nil { // the workers ask
		return models{ledger: book, unshare: func() error { return nil }}, nil
	}
	board, unshare, err := sharedlimit.OpenFor(ctx, cfg.LedgerDir())
	if err != nil {
		return models{}, errors.Join(err, book.Close())
	}
	m := models{ledger: book, unshare: unshare}
	o := client.Options{
		Models: cfg.Models, Roles: roles, Ledger: book, Getenv: opt.getenv, Shared: board, Run: opt.Run,
		Offline: opt.Offline || cfg.Run.Offline, MaxCost: cmp.Or(opt.MaxCost, cfg.Run.MaxCost), Collect: opt.collect,
		Drain: opt.Drain, Grace: cfg.Run.Grace,
	}
	if m.client, err = client.New(o, cfg.Plan.Models); err != nil {
		return models{}, errors.Join(err, unshare(), book.Close())
	}
	if opt.Spending != nil {
		opt.Spending(m.client.Total)
	}
	return m, nil
}

// withCorrections puts into the identity of steps which answers were taken back of those
// that they may rest on: keys name questions, not answers, so nothing else would
// tell a result of the old answer from one of the new.
func (m models) withCorrections(ctx context.Context, steps []engine.Step) ([]engine.Step, error) {
	if m.ledger == nil {
		return steps, nil
	}
	all, err := m.ledger.Corrections(ctx)
	if err != nil || len(all) == 0 {
		return steps, err
	}
	out := slices.Clone(steps)
	for i, s := range out {
		var of []string
		for _, c := range all {
			if mayDependOn(s.Identity, c) {
				of = append(of, fmt.Sprintf("%s %d", c.Key, c.Times))
			}
		}
		if len(of) > 0 {
			out[i].Identity.Corrections = pipeline.DigestOf([]byte(strings.Join(of, "\n")))
		}
	}
	return out, nil
}

// mayDependOn reports whether a step may have asked what was corrected.
func mayDependOn(id pipeline.Identity, c ledger.Correction) bool {
	if _, asks := id.Prompts[c.Task]; !asks && c.Task != pipeline.EmbedTask {
		return false
	}
	for _, m := range id.Models {
		if m.Host == c.Host && m.Model == c.Model {
			return true
		}
	}
	return false
}

func (m models) runtimeModels() pipeline.Models {
	if m.client == nil {
		return nil
	}
	return m.client
}

func (m models) total() client.Total {
	if m.client == nil {
		return client.Total{}
	}
	return m.client.Total()
}

func (m models) perStep() map[string]client.Total {
	if m.client == nil {
		return nil
	}
	return m.client.PerStep()
}

func (m models) served() []client.ModelMismatch {
	if m.client == nil {
		return nil
	}
	return m.client.ModelMismatches()
}

func (m models) close() error {
	if m.ledger == nil {
		return nil
	}
	if m.client != nil {
		m.client.Close()
	}
	return errors.Join(m.unshare(), m.ledger.Close())
}
