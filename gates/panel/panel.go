// Package panel holds the gates that ask models: each is a view (what a solver
// sees), a protocol (whom to ask, how often) and a rule (when to flag), stated as
// a Definition. The table in gates.go is the list of those about questions.
//
// A gate asks no more than its rule needs: it stops as soon as no further
// answer can change the verdict, which is that of the full protocol. Each call
// is a probe, and the verdict follows from the probes alone (Recompute).
package panel

import (
	"context"
	"errors"
	"fmt"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
)

// Register adds the gates about questions and the built-in model's rules for the
// tasks of all forms.
func Register(r *pipeline.Registry) {
	for _, d := range definitions() {
		Add(r, d)
	}
	version, answer := pictureRule(r)
	r.AddRule(jobAnswer, version, answer)
	r.AddRule(jobSupport, "2", guessRule("", guessSupport))
	r.AddRule(jobContradiction, "1", guessRule("", guessContradiction))
	r.AddRule(jobCall, "1", guessRule("call", guessCall))
	r.AddRule(jobOpen, "1", guessRule("", guessOpen))
	r.AddRule(jobGrade, "1", guessRule("", guessGrade))
	r.AddRule(jobLabel, "1", guessRule("label", guessLabel))
}

// Judge implements pipeline.Gate.
func (g *gate) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	out := make([]pipeline.Judgement, len(items))
	for i, r := range items {
		var err error
		if out[i], err = g.evaluateItem(ctx, scope, pipeline.RecordItem(r)); err != nil {
			return nil, fmt.Errorf("gate %s on %q: %w", g.Name, r.ID, err)
		}
	}
	return out, nil
}

func (g *gate) evaluateItem(ctx context.Context, scope *pipeline.Scope, item *pipeline.Item) (pipeline.Judgement, error) {
	views, settled := g.selectViews(item)
	if settled.Outcome != "" {
		return settled, nil
	}
	s := &evaluation{gate: g, scope: scope, item: item, views: views, images: map[view.Picture][]pipeline.Digest{}, prompts: map[viewRotation]*renderedPrompt{}}
	order := g.callOrder(scope, item.ID, len(views))
	_, _, err := protocol.Run(g.rule(len(views)), order, g.cfg.FullProtocol, func(call int) (protocol.Mark, error) { return s.ask(ctx, call) })
	var unseen *noPictureError
	switch {
	case errors.As(err, &unseen):
		return pipeline.GateError.Because("no-picture-taken", "%v", unseen), nil
	case err != nil:
		return pipeline.Judgement{}, err
	case s.waiting != nil:
		return pipeline.Judgement{}, s.waiting
	}
	return g.Recompute(item, s.probes, g.fullCalls(len(views)))
}

// selectViews gives the views to ask under, or a judgement with an outcome. It is pure.
func (g *gate) selectViews(item *pipeline.Item) ([]string, pipeline.Judgement) {
	return g.Form.SelectViews(g.Definition, g.cfg, item)
}

// buildPrompt is what an item shows and asks.
func (g *gate) buildPrompt(item *pipeline.Item, name string, rotation int) (Prompt, error) {
	return g.Form.BuildPrompt(g.Definition, g.cfg, item, name, rotation)
}

// callsPerView is how many answers one view takes.
func (g *gate) callsPerView() int { return len(g.Roles) * g.Rotations * g.Runs }

// fullCalls is how many calls the full protocol has: each answer may be graded.
func (g *gate) fullCalls(views int) int {
	if g.grader != nil {
		return 2 * views * g.callsPerView()
	}
	return views * g.callsPerView()
}

// calls is the shape of the protocol over each view.
func (g *gate) calls(views int) []protocol.Calls {
	out := make([]protocol.Calls, views)
	for i := range out {
		out[i] = protocol.Calls{First: i * g.callsPerView(), Models: len(g.Roles), Rotations: g.Rotations, Runs: g.Runs}
	}
	return out
}

// rule is when the item is flagged. The last views are controls: the full
// protocol asks under them, and the verdict does not rest on them.
func (g *gate) rule(views int) protocol.Rule {
	return g.Rule(g.calls(views - len(g.Controls)))
}

// callOrder is the order of the calls about an item.
func (g *gate) callOrder(scope *pipeline.Scope, id string, views int) []int {
	return g.orderCalls(views, scope.Rand("order", id).Perm)
}

// orderCalls draws the order of the calls for each item: view by view, so that one
// view is done with before the next, and within a view model by model where the
// rule counts each model's right answers. Elsewhere models take turns by lot,
// so that one which never finds the answer is soon asked.
func (g *gate) orderCalls(views int, perm func(int) []int) []int {
	if g.InTurn {
		perm = ascending
	}
	blocks, each := 1, g.callsPerView()
	if g.ByModel {
		blocks, each = len(g.Roles), g.Rotations*g.Runs
	}
	var out []int
	for _, v := range perm(views) {
		for _, b := range perm(blocks) {
			for _, c := range perm(each) {
				out = append(out, v*g.callsPerView()+b*each+c)
			}
		}
	}
	return out
}

func ascending(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
