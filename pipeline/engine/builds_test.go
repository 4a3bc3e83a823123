package engine_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
)

// builder runs builds over one store and writes what they come to.
type builder struct {
	t   *testing.T
	st  store.Store
	out *strings.Builder
}

func newBuilder(t *testing.T, out *strings.Builder) builder {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return builder{t, st, out}
}

// build runs a plan to the end and writes the summary of each step and the history.
func (b builder) build(name string, reg *pipeline.Registry, plan engine.Plan, opt local.Options) []engine.StepRun {
	b.t.Helper()
	if err := reg.Err(); err != nil {
		b.t.Fatal(err)
	}
	fmt.Fprintf(b.out, "# %s\n", name)
	steps, err := plan.Resolve(b.t.Context(), reg)
	if err != nil {
		fmt.Fprintln(b.out, err)
		return nil
	}
	if opt.Limits == nil {
		opt.Limits = map[pipeline.Resource]int{pipeline.CPU: 1}
	}
	runs, err := local.Execute(b.t.Context(), engine.Runtime{Registry: reg, Store: b.st, TempRoot: b.t.TempDir()}, steps, testkit.NoFetch{}, opt)
	var loss *engine.LossError
	var task *pipeline.TaskError
	fmt.Fprintf(b.out, "error %v (loss %t, task %t)\n", err, errors.As(err, &loss), errors.As(err, &task))
	for _, r := range runs {
		s := r.Summary
		fmt.Fprintf(b.out, "%s: built %d, reused %d, transient %d, waiting %d, units %.8s %s\n", r.Step.Name, r.Built(), s.Reused, s.Transient, s.Waiting, r.Units, golden.JSON(b.t, s))
	}
	if err := engine.SaveHistory(b.t.Context(), b.st, plan, runs, ""); err != nil {
		b.t.Fatal(err)
	}
	past, err := b.st.Builds(b.t.Context(), 10)
	if err != nil {
		b.t.Fatal(err)
	}
	fmt.Fprintf(b.out, "%d builds in the history, the last with %d steps\n", len(past), len(past[0].Steps))
	return runs
}

// TestGoldenBuilds shows what builds of one store reuse, lose and leave.
func TestGoldenBuilds(t *testing.T) {
	var out strings.Builder
	b := newBuilder(t, &out)
	c := testkit.NumbersConfig{Count: 90, Changed: -1}
	quiet := &testkit.NumbersHooks{}
	numbers := func(h *testkit.NumbersHooks, change func(*testkit.NumbersConfig)) (*pipeline.Registry, engine.Plan) {
		c := c
		change(&c)
		return testkit.NumbersRegistry(h), testkit.NumbersPlan(c)
	}
	same := func(*testkit.NumbersConfig) {}
	run := func(name string, h *testkit.NumbersHooks, change func(*testkit.NumbersConfig), opt local.Options) {
		reg, plan := numbers(h, change)
		b.build(name, reg, plan, opt)
	}
	run("the first", quiet, same, local.Options{})
	run("the same again", quiet, same, local.Options{})
	run("one number changed", quiet, func(c *testkit.NumbersConfig) { c.Changed = 17 }, local.Options{})
	run("three numbers are bad", quiet, func(c *testkit.NumbersConfig) { c.Bad = 3 }, local.Options{})
	run("too many are bad", quiet, func(c *testkit.NumbersConfig) { c.Bad = 46 }, local.Options{})
	run("too many are bad, remembered", quiet, func(c *testkit.NumbersConfig) { c.Bad = 46 }, local.Options{})
	run("five numbers of one source", quiet, func(c *testkit.NumbersConfig) { c.Count = 91 }, local.Options{Limit: 5})
	fails := func(of int, why error) *testkit.NumbersHooks {
		return &testkit.NumbersHooks{BeforeMap: func(_ context.Context, n testkit.Number) error {
			if n.N == of {
				return why
			}
			return nil
		}}
	}
	other := func(c *testkit.NumbersConfig) { c.Count = 70 }
	late := pipeline.Reject("late", "no answer yet")
	late.Transient, late.Waiting = true, true
	run("one waits", fails(5, late), other, local.Options{})
	run("one waits, as far as one gets", fails(5, late), other, local.Options{Partial: true})
	run("none waits any more", quiet, other, local.Options{})
	third := func(c *testkit.NumbersConfig) { c.Count = 60 }
	run("one fails", fails(6, errors.New("out of luck")), third, local.Options{})
	run("one is rejected", fails(6, pipeline.Reject("odd", "it is odd")), third, local.Options{})
	fourth := func(c *testkit.NumbersConfig) { c.Count = 50 }
	besides := &testkit.NumbersHooks{Besides: func(n testkit.Number) *pipeline.Rejection {
		if n.N == 5 {
			why := *late
			why.Flagged = true
			return &why
		}
		return nil
	}}
	run("something beside a number waits", besides, fourth, local.Options{})
	run("nothing waits beside a number", quiet, fourth, local.Options{})
	golden.Check(t, "builds", out.String())
}

// itemGate gives each item the judgement that its label names.
type itemGate struct{}

func (itemGate) Spec() pipeline.Spec { return pipeline.Spec{Accepts: []string{"item"}} }

func (itemGate) Judge(_ context.Context, _ *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	v, err := pipeline.Decode[labelled](items[0])
	if err != nil {
		return nil, err
	}
	probe := schemas.Probe{View: "full", Role: "judge", Answer: "A", Response: strings.Repeat("long ", 300)}
	switch v.Labels["is"] {
	case "late":
		why := pipeline.Reject("late", "no answer yet")
		why.Transient = true
		return nil, why
	case "broken":
		return nil, errors.New("the gate is broken")
	case "two":
		return make([]pipeline.Judgement, 2), nil
	case "failed":
		return []pipeline.Judgement{{Outcome: pipeline.Fail, Code: "bad", Reason: "it is bad", Probes: []schemas.Probe{probe, probe}, CallsFull: 3}}, nil
	case "moved":
		return []pipeline.Judgement{{Outcome: pipeline.Fail, Code: "elsewhere", Reason: "it belongs elsewhere", Relabel: map[string]string{"place": "there"}}}, nil
	}
	return []pipeline.Judgement{{Outcome: pipeline.Outcome(v.Labels["is"]), Reason: "so it is", Probes: []schemas.Probe{probe}, CallsFull: 1}}, nil
}

type labelled struct {
	Labels map[string]string `json:"labels"`
}

type listConfig struct {
	Are []string `json:"are"`
}

// itemSource gives an item for each judgement.
type itemSource struct{ cfg listConfig }

func (itemSource) Spec() pipeline.Spec    { return pipeline.Spec{Emits: []string{"item"}} }
func (itemSource) Needs() []pipeline.Need { return nil }
func (s itemSource) Read(_ context.Context, _ *pipeline.Scope, _ []pipeline.Asset, emit func(pipeline.Record) error) error {
	for _, is := range s.cfg.Are {
		r, err := pipeline.NewRecord("item", "item-"+is, labelled{Labels: map[string]string{"is": is, "place": "here"}})
		if err != nil {
			return err
		}
		if err := emit(r); err != nil {
			return err
		}
	}
	return nil
}

func gateRegistry() *pipeline.Registry {
	r := pipeline.NewRegistry()
	pipeline.AddSource(r, "items", "1", "gives items", func(c listConfig) (pipeline.Source, error) { return itemSource{c}, nil })
	pipeline.AddGate(r, "judge", "1", "says what items are", func(struct{}) (pipeline.Gate, error) { return itemGate{}, nil })
	return r
}

// TestGoldenVerdicts shows what becomes of items that gates judge in every way.
func TestGoldenVerdicts(t *testing.T) {
	var out strings.Builder
	for _, c := range []struct{ onFail, are string }{
		{"drop", "pass fail failed moved not_applicable insufficient"}, {"keep", "pass failed moved"}, {"relabel", "pass failed moved"}, {"revise", "pass failed moved"},
		{"drop", "pass error"}, {"drop", "pass late"}, {"drop", "pass broken"}, {"drop", "two"}, {"drop", "unheard-of"},
	} {
		b := newBuilder(t, &out)
		raw, err := pipeline.Canonical(listConfig{strings.Fields(c.are)})
		if err != nil {
			t.Fatal(err)
		}
		plan := engine.Plan{Seed: 1, Steps: []engine.Step{
			{Name: "items", Kind: pipeline.KindSource, Use: "items", Version: "1", Config: raw, MaxLoss: 0.5},
			{Name: "check", Kind: pipeline.KindGate, Use: "judge", Version: "1", Config: pipeline.RawConfig(`{}`), From: []string{"items"}, OnFail: c.onFail, MaxLoss: 0.5},
		}}
		runs := b.build(c.onFail+": "+c.are, gateRegistry(), plan, local.Options{})
		if len(runs) < 2 {
			continue
		}
		units, err := engine.LoadUnits(t.Context(), b.st, runs[1].Units)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range units {
			for _, r := range u.Out {
				records, err := b.st.Records(t.Context(), []pipeline.Digest{r.Digest})
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&out, " %s %s: %.400s\n", r.Schema, r.ID, strings.ReplaceAll(string(records[0].Data), "long long ", ""))
			}
			for _, r := range u.Rejections {
				fmt.Fprintf(&out, " rejected: %s\n", golden.JSON(t, r))
			}
		}
	}
	golden.Check(t, "verdicts", out.String())
}

// TestGoldenPlans shows parts of plans, their loops, and what is said of plans that cannot
// be resolved.
func TestGoldenPlans(t *testing.T) {
	var out strings.Builder
	plan := testkit.NumbersPlan(testkit.NumbersConfig{Count: 9})
	for _, name := range []string{"numbers", "small", "sum", "none"} {
		part, ok := plan.Only(name)
		digest, err := part.Digest()
		fmt.Fprintf(&out, "only %s: %d steps, release of %q, %t, %.12s %v\n", name, len(part.Steps), part.Release.From, ok, digest, err)
	}
	for _, c := range []string{`{"full_protocol":false,"x":1}`, `{"x":1}`, `[]`} {
		full, err := engine.FullProtocol(pipeline.RawConfig(c))
		fmt.Fprintf(&out, "%s in full: %s %v\n", c, full, err)
		p := plan
		p.Steps = append(p.Steps[:2:2], p.Steps[2])
		p.Steps[2].Config = pipeline.RawConfig(c)
		p, err = p.AskEverything()
		fmt.Fprintf(&out, "asked everything: %d steps %v\n", len(p.Steps), err)
	}
	for _, change := range []func(s *engine.Step){
		func(s *engine.Step) { s.Use = "triple" }, func(s *engine.Step) { s.Config = pipeline.RawConfig(`{"x":1}`) }, func(s *engine.Step) { s.Version = "2" },
		func(s *engine.Step) { s.Name, s.Use = pipeline.RoundName("double", 2), "triple" }, func(s *engine.Step) { s.Name, s.Use = pipeline.RoundName("double", 1), "triple" },
	} {
		p := testkit.NumbersPlan(testkit.NumbersConfig{Count: 9})
		change(&p.Steps[1])
		steps, err := p.Resolve(t.Context(), testkit.NumbersRegistry(nil))
		fmt.Fprintf(&out, "%d steps, %v\n", len(steps), err)
	}
	loop := engine.Plan{Steps: []engine.Step{
		{Name: "a", Kind: pipeline.KindGate, OnFail: "revise"}, {Name: "b", Kind: pipeline.KindGate, From: []string{"a"}, OnFail: "revise"},
		{Name: pipeline.FlagsName("a", 1), From: []string{"a"}}, {Name: pipeline.GathererName("a", 1), From: []string{"b"}},
		{Name: pipeline.ReviserName("a", 1), Use: "mend"}, {Name: pipeline.RoundName("a", 1), Kind: pipeline.KindGate}, {Name: pipeline.RoundName("b", 1), Kind: pipeline.KindGate, From: []string{pipeline.RoundName("a", 1)}},
		{Name: pipeline.ReviserName("a", 2), Use: "mend"},
	}}
	for _, l := range loop.Loops() {
		fmt.Fprintf(&out, "%+v: %s\n", l, l)
	}
	golden.Check(t, "plans", out.String())
}

// TestGoldenTasks shows what is said of tasks that another program made.
func TestGoldenTasks(t *testing.T) {
	var out strings.Builder
	for _, err := range []error{
		&engine.ForeignError{Differs: []string{"tool x: 1 there, 2 here", "prompt y: none there, z here"}}, &engine.ResultsError{Step: "double", Why: "two of one"},
		&engine.LostError{Err: engine.ErrWaiting}, &engine.LossError{Step: "double", Kind: pipeline.KindStage, Max: 0.25, Summary: engine.Summary{In: 8, Lost: 3, Reasons: map[string]int{"odd": 1, "bad": 2}}},
	} {
		fmt.Fprintf(&out, "%v; waiting %t\n", err, errors.Is(err, engine.ErrWaiting))
	}
	b := newBuilder(t, &out)
	reg := testkit.NumbersRegistry(&testkit.NumbersHooks{})
	steps, err := testkit.NumbersPlan(testkit.NumbersConfig{Count: 3, Changed: -1}).Resolve(t.Context(), reg)
	if err != nil {
		t.Fatal(err)
	}
	rt := engine.Runtime{Registry: reg, Store: b.st, TempRoot: t.TempDir()}
	task := pipeline.Task{Step: "numbers", Identity: steps[0].Identity}
	before, err := engine.LookUpResults(t.Context(), rt, []pipeline.Task{task})
	if err != nil {
		t.Fatal(err)
	}
	_, all := before.AllResults(0)
	results, err := engine.Execute(t.Context(), rt, task)
	fmt.Fprintf(&out, "found before %t; %d results of %d records, reused %t, %v; passing %d\n", all, len(results), len(results[0].Outputs), results[0].Reused, err, len(engine.TransientResults(results)))
	after, err := engine.LookUpResults(t.Context(), rt, []pipeline.Task{task})
	if err != nil {
		t.Fatal(err)
	}
	found, all := after.AllResults(0)
	since, err := after.ResultsSince(before, 0, nil)
	fmt.Fprintf(&out, "found after %t, reused %t; since then reused %t %v\n", all, found[0].Reused, since[0].Reused, err)
	_, err = before.ResultsSince(before, 0, nil)
	fmt.Fprintf(&out, "missing: %v\n", err)
	passed, err := before.ResultsSince(before, 0, map[pipeline.Key]pipeline.Result{results[0].Key: results[0]})
	fmt.Fprintf(&out, "passed on: %d %v\n", len(passed), err)
	again, err := engine.Execute(t.Context(), rt, task)
	fmt.Fprintf(&out, "again: reused %t %v\n", again[0].Reused, err)
	for _, change := range []func(*pipeline.Task){
		func(k *pipeline.Task) { k.Identity.Tools = map[string]string{"ffmpeg": "9"} }, func(k *pipeline.Task) { k.Identity.Use = "none" }, func(k *pipeline.Task) { k.Identity.Version = "7" },
		func(k *pipeline.Task) { k.Identity.Rules = map[string]string{"r": "1"} }, func(k *pipeline.Task) { k.Each = true },
	} {
		other := task
		change(&other)
		results, err := engine.Execute(t.Context(), rt, other)
		fmt.Fprintf(&out, "%d results, %v\n", len(results), err)
	}
	encoded, err := engine.EncodeRuns([]engine.StepRun{{Step: steps[0], Summary: engine.Summary{Reused: 1, Transient: 2, Waiting: 3}, Units: "u"}})
	if err != nil {
		t.Fatal(err)
	}
	runs, err := engine.DecodeRuns(steps, encoded)
	fmt.Fprintf(&out, "%s: %+v %s %v\n", encoded, runs[0].Summary, runs[0].Units, err)
	_, err = engine.DecodeRuns(steps[1:], encoded)
	fmt.Fprintln(&out, err)
	golden.Check(t, "tasks", out.String())
}
