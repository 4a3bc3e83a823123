// Package structural holds what gates are made of that ask no model: their view is
// the question row itself, and a rule over it alone decides.
package structural

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Config of a gate that judges certain types of questions.
type Config struct {
	Types []string `json:"types" doc:"question types to judge; empty means those the gate is made for"`
}

// Rule judges items: one judgement each, in order.
type Rule[T any] func([]T) []pipeline.Judgement

// Each makes a rule of one that looks at a single item.
func Each[T any](judge func(T) pipeline.Judgement) Rule[T] {
	return func(items []T) []pipeline.Judgement {
		out := make([]pipeline.Judgement, len(items))
		for i, item := range items {
			out[i] = judge(item)
		}
		return out
	}
}

// Add registers a gate whose rule looks at all questions of its types together.
func Add(r *pipeline.Registry, name, version, summary string, types []string, rule Rule[schemas.Question]) {
	pipeline.AddGate(r, name, version, summary, func(c Config) (pipeline.Gate, error) { return New(c, types, true, rule) })
}

type gate[T any] struct {
	spec pipeline.Spec
	// skip is the judgement of an item that the rule is not for, without an outcome for
	// any other.
	skip func(T) pipeline.Judgement
	// by names the field, a text, that items which the rule must see together have in
	// common; empty where that is all of them.
	by   string
	rule Rule[T]
}

// NewForSchema is a gate for items of a schema that is no question. Those that have the field
// by, a text, in common are judged together, such as the sessions of a task_id, and
// those of one such group are held at a time; without it each is judged alone.
func NewForSchema[T any](schema, by string, rule Rule[T]) pipeline.Gate {
	none := func(T) pipeline.Judgement { return pipeline.Judgement{} }
	return &gate[T]{pipeline.Spec{Accepts: []string{schema}, Whole: by != ""}, none, by, rule}
}

// New is a gate that judges the types of a configuration, else the given ones;
// whole says that the rule must see all of them together. Other questions carry
// nothing that it could judge.
func New(c Config, types []string, whole bool, rule Rule[schemas.Question]) (pipeline.Gate, error) {
	if len(c.Types) > 0 {
		types = c.Types
	}
	if slices.Contains(types, "") {
		return nil, errors.New("types holds an empty name; list question types as their questions have them")
	}
	return &gate[schemas.Question]{pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Whole: whole, Types: types}, skipOtherTypes(types), "", rule}, nil
}

func skipOtherTypes(types []string) func(schemas.Question) pipeline.Judgement {
	return func(q schemas.Question) (none pipeline.Judgement) {
		if slices.Contains(types, q.Type) {
			return none
		}
		return pipeline.NotApplicable.Because("other-type", "it is of type %q and this gate judges %q", q.Type, types)
	}
}

// Spec implements pipeline.Gate.
func (g *gate[T]) Spec() pipeline.Spec { return g.spec }

// Judge applies the rule to the items that it is for.
func (g *gate[T]) Judge(ctx context.Context, _ *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	out := make([]pipeline.Judgement, len(items))
	groups, err := g.groupItems(items)
	for _, members := range groups {
		if err = errors.Join(ctx.Err(), g.judge(items, members, out)); err != nil {
			break
		}
	}
	return out, err
}

func (g *gate[T]) groupItems(items []pipeline.Record) ([][]int, error) {
	at := map[string]int{}
	var out [][]int
	for i, r := range items {
		var name string
		if g.by != "" {
			fields, err := pipeline.Decode[map[string]json.RawMessage](r)
			if err == nil {
				err = json.Unmarshal(fields[g.by], &name)
			}
			if err != nil {
				return nil, fmt.Errorf("%s %s: its %s: %w", r.Schema, r.ID, g.by, err)
			}
		}
		n, known := at[name]
		if !known {
			n = len(out)
			at[name], out = n, append(out, nil)
		}
		out[n] = append(out[n], i)
	}
	return out, nil
}

func (g *gate[T]) judge(items []pipeline.Record, members []int, out []pipeline.Judgement) error {
	var mine []T
	var at []int
	for _, i := range members {
		v, err := pipeline.Decode[T](items[i])
		if err != nil {
			return err
		}
		if out[i] = g.skip(v); out[i].Outcome == "" {
			mine, at = append(mine, v), append(at, i)
		}
	}
	for n, j := range g.rule(mine) {
		out[at[n]] = j
	}
	return nil
}

// RuleCPU is what judging one question takes, in seconds, its verdict included.
const RuleCPU = 3e-4

// Forecast implements pipeline.Forecaster: every item passes, and no model is asked.
func (g *gate[T]) Forecast(in pipeline.Volume) pipeline.Forecast {
	schema := g.spec.Accepts[0]
	n := in[schema]
	return pipeline.Forecast{Out: pipeline.Volume{schema: n, schemas.NameVerdict: {Records: n.Records}}, CPU: RuleCPU * n.Records}
}

// Pass is the judgement of what nothing is wrong with.
func Pass() pipeline.Judgement { return pipeline.Judgement{Outcome: pipeline.Pass} }

// SameForAll gives n questions one judgement.
func SameForAll(n int, j pipeline.Judgement) []pipeline.Judgement {
	return slices.Repeat([]pipeline.Judgement{j}, n)
}
