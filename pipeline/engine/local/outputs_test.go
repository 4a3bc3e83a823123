package local_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/testkit"
)

// odd is a stage that gives what a test wants.
type odd struct {
	give func(in pipeline.Record) ([]pipeline.Record, error)
}

func (odd) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{"number"}, Emits: []string{"number"}}
}

func (o odd) Map(_ context.Context, _ *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	return o.give(in)
}

// TestWhatAStageMayNotGive ends a build over outputs that are wrong, and names the
// record that they were made of and what is wrong.
func TestWhatAStageMayNotGive(t *testing.T) {
	const item = "number-000000"
	record := func(schema, id, text string, blobs ...pipeline.Digest) pipeline.Record {
		r, err := pipeline.NewRecord(schema, id, text, blobs...)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for name, tc := range map[string]struct {
		out  []pipeline.Record
		want string
	}{
		"one record":                 {[]pipeline.Record{record("number", "a", "one")}, ""},
		"a record twice":             {[]pipeline.Record{record("number", "a", "one"), record("number", "a", "one")}, ""},
		"two records of one id":      {[]pipeline.Record{record("number", "a", "one"), record("number", "a", "two")}, "two different records have the same id"},
		"another schema":             {[]pipeline.Record{record("film", "a", "one")}, `schema "film", which the plugin does not declare`},
		"a blob that was never put":  {[]pipeline.Record{record("number", "a", "one", pipeline.DigestOf([]byte("never put")))}, "which was never stored"},
		"a later one is wrong, too":  {[]pipeline.Record{record("number", "a", "one"), record("film", "b", "one")}, `schema "film"`},
		"a blob of a later one gone": {[]pipeline.Record{record("number", "a", "one"), record("number", "b", "one", pipeline.DigestOf([]byte("gone")))}, "which was never stored"},
	} {
		reg := testkit.NumbersRegistry(&testkit.NumbersHooks{})
		give := odd{func(pipeline.Record) ([]pipeline.Record, error) { return tc.out, nil }}
		pipeline.AddStage(reg, "odd", "1", "gives what is wanted", func(struct{}) (pipeline.Stage, error) { return give, nil })
		plan := testkit.NumbersPlan(testkit.NumbersConfig{Count: 1, Changed: -1})
		plan.Steps = plan.Steps[:2]
		plan.Steps[1].Name, plan.Steps[1].Use = "odd", "odd"
		steps, err := plan.Resolve(t.Context(), reg)
		if err != nil {
			t.Fatal(err)
		}
		rt := engine.Runtime{Registry: reg, Store: openStore(t), TempRoot: t.TempDir()}
		_, err = local.Execute(t.Context(), rt, steps, testkit.NoFetch{}, local.Options{Limits: map[pipeline.Resource]int{pipeline.CPU: 1}})
		var of *pipeline.TaskError
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case tc.want != "" && (!errors.As(err, &of) || of.Item != item || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: %v, want %s and %q", name, err, item, tc.want)
		}
	}
}

// strange is a gate that gives what a test wants.
type strange struct {
	whole bool
	give  func(items []pipeline.Record) ([]pipeline.Judgement, error)
}

func (g strange) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{"number"}, Whole: g.whole}
}

func (g strange) Judge(_ context.Context, _ *pipeline.Scope, items []pipeline.Record) ([]pipeline.Judgement, error) {
	return g.give(items)
}

// TestWhatAGateMayNotGive ends a build over judgements that leave items out: none
// may go on, or be lost, unjudged.
func TestWhatAGateMayNotGive(t *testing.T) {
	const n = 5
	later := &pipeline.Rejection{Code: "busy", Reason: "the server is busy", Transient: true}
	for name, tc := range map[string]struct {
		whole  bool
		passes int
		err    error
		want   string
	}{
		"all":                        {whole: true, passes: n},
		"one too few":                {whole: true, passes: n - 1, want: "gave 4 judgements for 5 items"},
		"one too many":               {whole: true, passes: n + 1, want: "gave 6 judgements for 5 items"},
		"none of one":                {want: "gave 0 judgements for 1 items"},
		"one, not yet":               {err: later},
		"not yet, of the collection": {whole: true, err: later, want: "the server is busy"},
	} {
		reg := testkit.NumbersRegistry(&testkit.NumbersHooks{})
		g := strange{tc.whole, func([]pipeline.Record) ([]pipeline.Judgement, error) {
			return slices.Repeat([]pipeline.Judgement{{Outcome: pipeline.Pass}}, tc.passes), tc.err
		}}
		pipeline.AddGate(reg, "strange", "1", "gives what is wanted", func(struct{}) (pipeline.Gate, error) { return g, nil })
		plan := testkit.NumbersPlan(testkit.NumbersConfig{Count: n, Changed: -1})
		plan.Steps = plan.Steps[:3]
		plan.Steps[2].Use, plan.Steps[2].Config, plan.Steps[2].MaxLoss = "strange", pipeline.RawConfig(`{}`), 1
		steps, err := plan.Resolve(t.Context(), reg)
		if err != nil {
			t.Fatal(err)
		}
		rt := engine.Runtime{Registry: reg, Store: openStore(t), TempRoot: t.TempDir()}
		_, err = local.Execute(t.Context(), rt, steps, testkit.NoFetch{}, local.Options{Limits: map[pipeline.Resource]int{pipeline.CPU: 1}})
		if (tc.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

// TestNothingIsStartedAfterAFailure: what is not begun when a unit fails is left to
// the next build.
func TestNothingIsStartedAfterAFailure(t *testing.T) {
	const n = 4000
	h := &testkit.NumbersHooks{BeforeMap: func(_ context.Context, of testkit.Number) error {
		if of.N == 0 {
			return errors.New("out of luck")
		}
		return nil
	}}
	_, err := execute(t, openStore(t), h, testkit.NumbersConfig{Count: n, Changed: -1}, local.Options{})
	if done := h.Maps.Load(); err == nil || !strings.Contains(err.Error(), "out of luck") || done > n/2 {
		t.Errorf("%v after %d of %d units", err, done, n)
	}
}
