package assemble

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger/ledgerurl"
)

// Heard is a request as it would be put to a model.
type Heard struct {
	pipeline.Origin
	pipeline.Request
	// Model is what answers for its role.
	Model string
}

// Rehearsal is what a node would ask.
type Rehearsal struct {
	Requests []Heard
	// Waits says that more would be asked, which follows from answers that are not
	// there yet.
	Waits bool
	// Store holds the pictures of the requests, until Close.
	Store pipeline.Store
	close func() error
}

// Close removes the pictures.
func (r *Rehearsal) Close() error { return r.close() }

// Rehearse runs a node over records that its upstreams gave and lists what it asks
// of models: nothing is sent and nothing is kept. Answers that are recorded are
// used, and so is the built-in model where it plays the role. inputs chooses the
// records; it is not called for a node that asks nothing.
func Rehearse(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, st pipeline.Store, node string, inputs func(engine.Step) ([]pipeline.Ref, error), opt Options) (*Rehearsal, error) {
	offline := *cfg
	offline.Run.MaxCost = nil // nothing is paid for
	opt.Only, opt.Offline, opt.MaxCost = node, true, nil
	only, err := confined(&offline, opt)
	if err != nil {
		return nil, err
	}
	steps, err := only.Plan.Resolve(ctx, reg)
	if err != nil {
		return nil, err
	}
	step := steps[slices.IndexFunc(steps, func(s engine.Step) bool { return s.Name == node })]
	if len(step.Spec.Asks) == 0 {
		return &Rehearsal{Store: st, close: func() error { return nil }}, nil
	}
	task := pipeline.Task{Node: node, Identity: step.Identity, Each: step.Each}
	if task.Inputs, err = inputs(step); err != nil {
		return nil, err
	}
	return rehearse(ctx, reg, only, st, step, task, opt)
}

func rehearse(ctx context.Context, reg *pipeline.Registry, cfg *config.Config, st pipeline.Store, step engine.Step, task pipeline.Task, opt Options) (*Rehearsal, error) {
	models, err := openModels(ctx, cfg, withLedger([]engine.Step{step}, ledgerurl.Exists(cfg.LedgerDir())), opt)
	if err != nil {
		return nil, err
	}
	scratch, err := newScratch(st)
	if err != nil {
		return nil, errors.Join(err, models.close())
	}
	out := &Rehearsal{Store: scratch, close: scratch.Close}
	var mu sync.Mutex
	rt := engine.Runtime{Registry: reg, Store: scratch, Models: models.answering(), TempRoot: scratch.dir, Heard: func(o pipeline.Origin, r pipeline.Request) {
		mu.Lock()
		defer mu.Unlock()
		out.Requests = append(out.Requests, Heard{Origin: o, Request: r, Model: answers(step, r.Role)})
	}}
	if rt.Models == nil {
		rt.Models = nobody{}
	}
	failed := engine.Rehearse(ctx, rt, task)
	out.Waits = slices.ContainsFunc(failed, waits)
	err = errors.Join(append(slices.DeleteFunc(failed, waits), models.close())...)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("rehearse: %w", err), scratch.Close())
	}
	return out, nil
}

// withLedger leaves out the steps where there are no recorded answers: opening a
// ledger would make one.
func withLedger(steps []engine.Step, there bool) []engine.Step {
	if there {
		return steps
	}
	return nil
}

func answers(s engine.Step, role string) string {
	m, ok := s.Identity.Models[role]
	if !ok {
		return pipeline.BuiltInModel
	}
	return m.Name
}

// waits reports whether all that is wrong is that an answer is not there.
func waits(err error) bool {
	var miss *model.MissError
	return errors.As(err, &miss) || errors.Is(err, errUnanswered)
}

// errUnanswered is what nobody answers.
var errUnanswered = errors.New("no answer is recorded")

// nobody answers nothing.
type nobody struct{}

func (nobody) Ask(context.Context, *pipeline.Scope, pipeline.Request) (pipeline.Reply, error) {
	return pipeline.Reply{}, errUnanswered
}

func (nobody) Embed(context.Context, *pipeline.Scope, string, []string) ([][]float32, error) {
	return nil, errUnanswered
}
