package build

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/config"
	"github.com/memforge/memforge/pipeline/model/client"
	"github.com/memforge/memforge/pipeline/model/ledger"
)

// models is the client of one run with its ledger; empty when no step asks a
// language model.
type models struct {
	client *client.Client
	ledger *ledger.Ledger
}

// asksModels reports whether a step asks a model other than the built-in one.
func asksModels(steps []pipeline.Step) bool {
	for _, s := range steps {
		if len(s.Identity.Models) > 0 {
			return true
		}
	}
	return false
}

// instant marks the steps whose models answer at once. Where the built-in model
// runs other programs, what it gives is worth committing one by one.
func instant(steps []pipeline.Step, offline bool) []pipeline.Step {
	out := slices.Clone(steps)
	for i, s := range out {
		rules := len(s.Identity.Models) == 0 && len(s.Spec.Tools) == 0
		out[i].Instant = s.Spec.Resource == pipeline.Model && (offline || rules)
	}
	return out
}

// openModels starts the client of the roles that the steps ask. A budget binds
// only models that are asked.
func openModels(ctx context.Context, cfg *config.Config, steps []pipeline.Step, opt Options) (models, error) {
	if !asksModels(steps) {
		return models{}, nil
	}
	roles := map[string]string{}
	for _, s := range steps {
		for role := range s.Identity.Models {
			roles[role] = cfg.Roles[role]
		}
	}
	book, err := ledger.Open(ctx, cfg.LedgerDir())
	if err != nil {
		return models{}, err
	}
	getenv := opt.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	c, err := client.New(client.Options{
		Models: cfg.Models, Roles: roles, Ledger: book, Getenv: getenv,
		Offline: opt.Offline || cfg.Run.Offline, MaxCost: cmp.Or(opt.MaxCost, cfg.Run.MaxCost), Collect: opt.collect,
		Drain: opt.Drain, Grace: cfg.Run.Grace,
	}, cfg.Plan.Models)
	if err != nil {
		return models{}, errors.Join(err, book.Close())
	}
	if opt.Spending != nil {
		opt.Spending(c.Total)
	}
	return models{c, book}, nil
}

// answering is the client as the runtime takes it.
func (m models) answering() pipeline.Models {
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

func (m models) perNode() map[string]client.Total {
	if m.client == nil {
		return nil
	}
	return m.client.PerNode()
}

func (m models) close() error {
	if m.ledger == nil {
		return nil
	}
	return m.ledger.Close()
}
