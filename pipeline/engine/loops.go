package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// Loop is a row of gates whose flagged items are rewritten and judged again
// from the first of them on.
type Loop struct {
	// Gates in their order, and those of them that have items rewritten.
	Gates, Revising []string
	// Use is the plugin that rewrites.
	Use    string
	Rounds int
}

// Loops lists the loops that the plan spells out, in its order.
func (p Plan) Loops() []Loop {
	var out []Loop
	for _, n := range p.Steps {
		head, round, ok := pipeline.SplitReviser(n.Name)
		if !ok || round != 1 {
			continue
		}
		l := Loop{Gates: []string{head}, Revising: append(p.revising(pipeline.FlagsName(head, 1)), p.revising(pipeline.GathererName(head, 1))...), Use: n.Use, Rounds: 1}
		for p.has(pipeline.ReviserName(head, l.Rounds+1)) {
			l.Rounds++
		}
		for at := head; at != ""; {
			if at = p.copyAfter(at); at != "" {
				l.Gates = append(l.Gates, at)
			}
		}
		out = append(out, l)
	}
	return out
}

// revising are the gates that a node reads and that have items rewritten.
func (p Plan) revising(node string) []string {
	var out []string
	i := slices.IndexFunc(p.Steps, func(n PlanStep) bool { return n.Name == node })
	if i < 0 {
		return nil
	}
	for _, from := range p.Steps[i].From {
		if slices.ContainsFunc(p.Steps, func(n PlanStep) bool { return n.Name == from && n.OnFail == pipeline.OnFailRevise }) {
			out = append(out, from)
		}
	}
	return out
}

func (p Plan) has(name string) bool {
	return slices.ContainsFunc(p.Steps, func(n PlanStep) bool { return n.Name == name })
}

// copyAfter is the gate whose copy of the first round reads the copy of gate.
func (p Plan) copyAfter(gate string) string {
	for _, n := range p.Steps {
		written, round := pipeline.SplitRound(n.Name)
		if round == 1 && n.Kind == pipeline.KindGate && slices.Equal(n.From, []string{pipeline.RoundName(gate, 1)}) {
			return written
		}
	}
	return ""
}

func (l Loop) String() string {
	again := "starts again at " + l.Gates[0]
	if len(l.Gates) > 1 {
		again += " (then " + strings.Join(l.Gates[1:], ", ") + ")"
	}
	return fmt.Sprintf("what %s flags is rewritten by %s and %s; rounds: up to %d", strings.Join(l.Revising, ", "), l.Use, again, l.Rounds)
}
