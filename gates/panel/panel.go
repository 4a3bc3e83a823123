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
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/protocol"
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
	r.AddRule(jobShipped, "2", guessRule("", guessShipped))
	r.AddRule(jobGrade, "1", guessRule("", guessGrade))
	r.AddRule(jobLabel, "1", guessRule("label", guessLabel))
}

// Judge implements pipeline.Gate.
func (g *gate) Judge(ctx context.Context, scope *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	out := make([]pipeline.Judgement, len(items))
	for i, r := range items {
		e, settled := g.newEvaluation(scope, pipeline.RecordItem(r))
		if settled.Outcome == "" && g.ByRule != nil && g.isBuiltIn(scope) {
			settled = g.ByRule(e.item)
		}
		if out[i] = settled; settled.Outcome != "" {
			continue
		}
		order, err := g.orderOf(e.item, e.views, e.calls)
		if err != nil {
			return nil, fmt.Errorf("gate %s on %q: %w", g.Name, r.ID, err)
		}
		_, _, err = protocol.Run(g.rule(e.calls), order, g.cfg.FullProtocol, func(c protocol.Call) (protocol.Mark, error) { return e.ask(ctx, c) })
		if out[i], err = e.judgement(err); err != nil {
			return nil, fmt.Errorf("gate %s on %q: %w", g.Name, r.ID, err)
		}
	}
	return out, nil
}

// isBuiltIn reports whether the built-in model plays all roles.
func (g *gate) isBuiltIn(scope *pipeline.Scope) bool {
	return !slices.ContainsFunc(g.Roles, func(role string) bool { return !scope.IsBuiltIn(role) })
}

// selectViews gives the views to ask under, or a judgement with an outcome. It is pure.
func (g *gate) selectViews(item *pipeline.Item) ([]string, pipeline.Judgement) {
	return g.Form.SelectViews(g.Definition, g.cfg, item)
}

func (g *gate) buildPrompt(item *pipeline.Item, name string, rotation int) (Prompt, error) {
	return g.Form.BuildPrompt(g.Definition, g.cfg, item, name, rotation)
}

func (g *gate) callsPerView() int { return len(g.Roles) * g.Rotations * g.Runs }

// fullCalls is how many calls the full protocol has: each answer may be graded.
func (g *gate) fullCalls(views int) int {
	if g.grader != nil {
		return 2 * views * g.callsPerView()
	}
	return views * g.callsPerView()
}

// calls lists the calls by view, within a view by role, and within a role by order.
func (g *gate) calls(views int) [][]protocol.Call {
	out := make([][]protocol.Call, views)
	n := 0
	for v := range out {
		for _, role := range g.Roles {
			for rotation := range g.Rotations {
				for sample := range g.Runs {
					out[v] = append(out[v], protocol.Call{Index: n, View: v, Role: role, Rotation: rotation, Sample: sample})
					n++
				}
			}
		}
	}
	return out
}

// rule leaves the last views, which are controls, out of the verdict.
func (g *gate) rule(calls [][]protocol.Call) protocol.Rule {
	return g.Rule(calls[:len(calls)-len(g.Controls)])
}

// orderOf orders the calls about an item by what its views show: gates that show the same ask
// in the same order, so that the answers recorded for one serve the others.
func (g *gate) orderOf(item *pipeline.Item, views []string, calls [][]protocol.Call) ([]protocol.Call, error) {
	shown := make([]string, len(views))
	for v, name := range views {
		if g.InTurn {
			break
		}
		prompt, err := g.buildPrompt(item, name, 0)
		if err != nil {
			return nil, err
		}
		digest, err := prompt.digest()
		if err != nil {
			return nil, err
		}
		shown[v] = string(digest)
	}
	return g.orderCalls(calls, shown), nil
}

// orderCalls orders calls view by view, and within a view role by role where the rule counts
// each model's right answers. Elsewhere models take turns at random, so that one which never
// finds the answer is soon asked. Chance follows from what the views show. A gate that asks in
// turn keeps the order of calls.
func (g *gate) orderCalls(calls [][]protocol.Call, shown []string) []protocol.Call {
	out := slices.Concat(calls...)
	if g.InTurn {
		return out
	}
	lots := make([]string, len(out)) // by index
	for _, c := range out {
		of := shown[c.View]
		lots[c.Index] = drawLot(of)
		if g.ByModel {
			lots[c.Index] += drawLot(of, c.Role)
		}
		lots[c.Index] += drawLot(of, c.Rotation, c.Sample) + drawLot(of, c.Rotation, c.Sample, c.Role)
	}
	slices.SortFunc(out, func(a, b protocol.Call) int { return strings.Compare(lots[a.Index], lots[b.Index]) })
	return out
}

func drawLot(of ...any) string {
	sum := sha256.Sum256(fmt.Appendln(nil, of...))
	return string(sum[:8])
}
