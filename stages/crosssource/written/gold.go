package written

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/model/tool"
	"github.com/memforge/memforge/schemas"
)

// Gold is the answer that follows from a plan: the place of the right option, or a call.
type Gold struct {
	Right int
	Call  string
}

// FactByID returns a fact.
func (p Plan) FactByID(id string) (Fact, bool) {
	at := slices.IndexFunc(p.Facts, func(f Fact) bool { return f.ID == id })
	if at < 0 {
		return Fact{}, false
	}
	return p.Facts[at], true
}

// Holds reports whether no other fact takes the place of one.
func (p Plan) Holds(f Fact) bool {
	return !slices.ContainsFunc(p.Facts, func(o Fact) bool { return slices.Contains(o.Supersedes, f.ID) })
}

func sameText(a, b string) bool { return words.Folded(a) == words.Folded(b) }

// Gold works the answer of a question out.
func (p Plan) Gold(q Question) (Gold, error) {
	var facts []Fact
	sources := map[string]bool{}
	for i, id := range q.Facts {
		f, there := p.FactByID(id)
		if !there || slices.Contains(q.Facts[:i], id) {
			return Gold{}, fmt.Errorf("fact %q is not in the plan, or is there twice", id)
		}
		facts, sources[f.Source] = append(facts, f), true
	}
	if len(sources) < 2 {
		return Gold{}, fmt.Errorf("its %d facts stand in %d sources; want two or more", len(facts), len(sources))
	}
	if q.Type == schemas.TaskFunctionCall {
		return p.goldCall(q)
	}
	right, wrong, err := p.answer(q, facts)
	if err != nil {
		return Gold{}, err
	}
	return checkOptions(q, right, wrong)
}

// answer returns the right text and texts that wrong options may have; a preference has no
// such list.
func (p Plan) answer(q Question, facts []Fact) (right string, wrong []string, err error) {
	last := facts[len(facts)-1]
	switch q.Type {
	case schemas.TaskSingleHop, schemas.TaskMultiHop:
		if q.Rule != "" {
			return selectThing(q.Rule, facts)
		}
		for i, f := range facts[1:] {
			if !sameText(facts[i].Value, f.Thing) {
				return "", nil, fmt.Errorf("fact %s is of %q, and %s leads to %q", f.ID, f.Thing, facts[i].ID, facts[i].Value)
			}
		}
	case schemas.TaskConflict:
		for i, f := range facts[1:] {
			if f.Key() != facts[i].Key() || !slices.Contains(f.Supersedes, facts[i].ID) {
				return "", nil, fmt.Errorf("fact %s does not take the place of %s", f.ID, facts[i].ID)
			}
		}
	case schemas.TaskPreference:
		right, err = preferred(q.Options, facts)
		return right, nil, err
	default:
		return "", nil, fmt.Errorf("its type is %q", q.Type)
	}
	if !p.Holds(last) {
		return "", nil, fmt.Errorf("fact %s does not hold at the end", last.ID)
	}
	for _, f := range p.Facts {
		if f.Aspect == last.Aspect {
			wrong = append(wrong, f.Value)
		}
	}
	return last.Value, append(wrong, last.Near...), nil
}

// selectThing returns the thing that a condition picks: the first fact has the bound, the
// others a number each.
func selectThing(rule string, facts []Fact) (right string, things []string, err error) {
	bound, err := strconv.ParseFloat(facts[0].Value, 64)
	if err != nil || rule != Most && rule != Least || len(facts) < 3 {
		return "", nil, fmt.Errorf("want the rule %s or %s, a bound that is a number, and two things; it has %q, %q and %d", Most, Least, rule, facts[0].Value, len(facts)-1)
	}
	best := math.Inf(1)
	for _, f := range facts[1:] {
		n, err := strconv.ParseFloat(f.Value, 64)
		if err != nil || f.Aspect != facts[1].Aspect || slices.Contains(things, f.Thing) {
			return "", nil, fmt.Errorf("fact %s has no number, another aspect or a thing that is there", f.ID)
		}
		things = append(things, f.Thing)
		off := bound - n
		if rule == Least {
			off = n - bound
		}
		switch {
		case off == best:
			return "", nil, fmt.Errorf("%s and %s are alike", right, f.Thing)
		case off >= 0 && off < best:
			best, right = off, f.Thing
		}
	}
	if right == "" {
		return "", nil, fmt.Errorf("nothing is within %s", facts[0].Value)
	}
	return right, things, nil
}

// preferred returns the option that has all tags that the facts of a person share.
func preferred(options []Option, facts []Fact) (right string, err error) {
	shared := slices.Clone(facts[0].Tags)
	for _, f := range facts[1:] {
		if f.Thing != facts[0].Thing {
			return "", fmt.Errorf("its facts are of %s and %s", facts[0].Thing, f.Thing)
		}
		shared = slices.DeleteFunc(shared, func(t string) bool { return !slices.Contains(f.Tags, t) })
	}
	for _, o := range options {
		has := !slices.ContainsFunc(shared, func(t string) bool { return !slices.Contains(o.Tags, t) })
		if has && right != "" {
			return "", fmt.Errorf("%q and %q are both as its facts have it", right, o.Text)
		}
		if has {
			right = o.Text
		}
	}
	if right == "" || len(shared) == 0 {
		return "", fmt.Errorf("its facts share the tags %q, and no option has them all", shared)
	}
	return right, nil
}

const choices = 4

func checkOptions(q Question, right string, wrong []string) (Gold, error) {
	if len(q.Options) != choices || len(q.Tools)+len(q.Plan) > 0 {
		return Gold{}, fmt.Errorf("it has %d options, and tools or calls; want %d and none", len(q.Options), choices)
	}
	out := Gold{Right: -1}
	for i, o := range q.Options {
		switch {
		case slices.ContainsFunc(q.Options[:i], func(b Option) bool { return sameText(b.Text, o.Text) }):
			return out, fmt.Errorf("the option %q is there twice", o.Text)
		case sameText(o.Text, right):
			out.Right = i
		case wrong != nil && !slices.ContainsFunc(wrong, func(w string) bool { return sameText(w, o.Text) }):
			return out, fmt.Errorf("the plan has no value %q near %q", o.Text, right)
		}
	}
	if out.Right < 0 {
		return out, fmt.Errorf("%q, which follows, is none of its options", right)
	}
	return out, nil
}

// goldCall builds the calls from the facts that their arguments lead to.
func (p Plan) goldCall(q Question) (out Gold, err error) {
	var plan [][]schemas.ToolCall
	for _, step := range q.Plan {
		var calls []schemas.ToolCall
		for _, c := range step.Calls {
			call := schemas.ToolCall{Name: c.Name, Arguments: map[string]any{}}
			for name, id := range c.Arguments {
				f, there := p.FactByID(id)
				if !there || !p.Holds(f) || !slices.Contains(q.Facts, id) {
					return out, fmt.Errorf("the argument %s is fact %q, which is none of its facts or does not hold", name, id)
				}
				if call.Arguments[name], err = argument(q.Tools, c.Name, name, f.Value); err != nil {
					return out, err
				}
			}
			calls = append(calls, call)
		}
		plan = append(plan, calls)
	}
	if out.Call, err = schemas.CanonicalPlan(plan); err != nil {
		return out, err
	}
	if why := tool.CheckPlan(q.Tools, out.Call); why != nil || len(q.Options) > 0 {
		return out, fmt.Errorf("it has %d options, and its calls fit its tools not: %v", len(q.Options), why)
	}
	return out, nil
}

// argument returns a value as the schema of a tool has it: a number where it wants one.
func argument(tools []schemas.Tool, called, name, value string) (any, error) {
	var form struct {
		Properties map[string]struct{ Type string }
	}
	for _, t := range tools {
		if t.Name != called {
			continue
		}
		if err := json.Unmarshal([]byte(t.Parameters), &form); err != nil {
			return nil, fmt.Errorf("parameters of %s: %w", called, err)
		}
	}
	switch form.Properties[name].Type {
	case "integer", "number":
		value = strings.ReplaceAll(value, ",", "")
		if _, err := strconv.ParseFloat(value, 64); err != nil {
			return nil, fmt.Errorf("the argument %s of %s is %q; want a number", name, called, value)
		}
		return json.Number(value), nil
	}
	return value, nil
}
