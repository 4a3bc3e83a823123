package local_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
)

func openStore(t testing.TB) store.Store {
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
	return st
}

func execute(t testing.TB, st pipeline.Store, h *testkit.NumbersHooks, c testkit.NumbersConfig, opt local.Options) ([]engine.StepRun, error) {
	t.Helper()
	reg := testkit.NumbersRegistry(h)
	if err := reg.Err(); err != nil {
		t.Fatal(err)
	}
	steps, err := testkit.NumbersPlan(c).Resolve(t.Context(), reg)
	if err != nil {
		t.Fatal(err)
	}
	if opt.Limits == nil {
		opt.Limits = map[pipeline.Resource]int{pipeline.CPU: 2}
	}
	rt := engine.Runtime{Registry: reg, Store: st, TempRoot: t.TempDir()}
	return local.Execute(t.Context(), rt, steps, testkit.NoFetch{}, opt)
}

func sumOf(t testing.TB, st pipeline.Store, nodes []engine.StepRun) testkit.Number {
	t.Helper()
	last := nodes[len(nodes)-1]
	units, err := engine.LoadUnits(t.Context(), st, last.Units)
	if err != nil {
		t.Fatal(err)
	}
	recs, err := st.Records(t.Context(), []pipeline.Digest{units[0].Out[0].Digest})
	if err != nil {
		t.Fatal(err)
	}
	n, err := pipeline.Decode[testkit.Number](recs[0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func built(nodes []engine.StepRun) string {
	var parts []string
	for _, n := range nodes {
		parts = append(parts, fmt.Sprintf("%s=%d", n.Step.Name, n.Built()))
	}
	return strings.Join(parts, " ")
}

func TestABuildGivesTheRightSumAndARebuildDoesNothing(t *testing.T) {
	st, h := openStore(t), &testkit.NumbersHooks{}
	c := testkit.NumbersConfig{Count: 1000, Changed: -1}
	nodes, err := execute(t, st, h, c, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// The doubles of 0..989 pass the gate.
	if got := sumOf(t, st, nodes); got.N != 990*989 || got.Label != "990" {
		t.Fatalf("sum %+v, want %d over 990 numbers", got, 990*989)
	}
	if s := nodes[2].Summary; s.Flagged != 10 || s.Reasons["too-big"] != 10 || s.Lost != 0 {
		t.Fatalf("gate summary %+v, want 10 flagged and none lost", s)
	}
	again, err := execute(t, st, h, c, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := built(again); got != "numbers=0 double=0 small=0 sum=0" {
		t.Errorf("rebuild built %s, want nothing", got)
	}
	if h.Maps.Load() != 1000 {
		t.Errorf("the map ran %d times, want once per record", h.Maps.Load())
	}
	if again[3].Units != nodes[3].Units {
		t.Error("the rebuild has other units than the build")
	}
}

func TestOneChangedLabelRebuildsOnlyItsDescendants(t *testing.T) {
	st, h := openStore(t), &testkit.NumbersHooks{}
	if _, err := execute(t, st, h, testkit.NumbersConfig{Count: 1000, Changed: -1}, local.Options{}); err != nil {
		t.Fatal(err)
	}
	nodes, err := execute(t, st, h, testkit.NumbersConfig{Count: 1000, Changed: 17}, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := built(nodes); got != "numbers=1 double=1 small=1 sum=1" {
		t.Errorf("built %s, want one unit in each node", got)
	}
}

func TestWorkersDoNotChangeTheResult(t *testing.T) {
	var units []pipeline.Digest
	for _, workers := range []int{1, 4} {
		st := openStore(t)
		nodes, err := execute(t, st, &testkit.NumbersHooks{}, testkit.NumbersConfig{Count: 2000, Changed: -1}, local.Options{Limits: map[pipeline.Resource]int{pipeline.CPU: workers}})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range nodes {
			units = append(units, n.Units)
		}
	}
	half := len(units) / 2
	for i := range half {
		if units[i] != units[half+i] {
			t.Errorf("step %d: 1 and 4 workers give different units", i)
		}
	}
}

func TestAFailedUnitKeepsWhatWasDone(t *testing.T) {
	st := openStore(t)
	broken := errors.New("out of luck")
	h := &testkit.NumbersHooks{BeforeMap: func(_ context.Context, n testkit.Number) error {
		if n.N == 700 {
			return broken
		}
		return nil
	}}
	c := testkit.NumbersConfig{Count: 1000, Changed: -1}
	_, err := execute(t, st, h, c, local.Options{})
	var failed *pipeline.TaskError
	if !errors.As(err, &failed) || failed.Step != "double" || failed.Item != "number-000700" || !errors.Is(err, broken) {
		t.Fatalf("err %v, want a task error that names step and record", err)
	}
	before := h.Maps.Load()
	h.BeforeMap = nil
	if _, err := execute(t, st, h, c, local.Options{}); err != nil {
		t.Fatal(err)
	}
	if redone := h.Maps.Load() - before; redone > 1000-700+64 {
		t.Errorf("the rerun mapped %d records, want only those not done before", redone)
	}
}

// TestACauseIsToldOnce: what many tasks meet is told of one of them, also where it is one
// of several errors at once.
func TestACauseIsToldOnce(t *testing.T) {
	var met sync.WaitGroup
	met.Add(2)
	h := &testkit.NumbersHooks{BeforeMap: func(_ context.Context, n testkit.Number) error {
		if n.N == 0 || n.N == 999 { // of two tasks, which run side by side
			met.Done()
			met.Wait()
			return fmt.Errorf("ask for %d: %w", n.N, errors.Join(errors.New("no server answers"), nil))
		}
		return nil
	}}
	_, err := execute(t, openStore(t), h, testkit.NumbersConfig{Count: 1000, Changed: -1}, local.Options{})
	if err == nil || strings.Count(err.Error(), "no server answers") != 1 {
		t.Fatalf("err %v, want the cause once", err)
	}
}

func TestAPanicIsAnErrorThatNamesTheRecord(t *testing.T) {
	h := &testkit.NumbersHooks{BeforeMap: func(_ context.Context, n testkit.Number) error {
		if n.N == 3 {
			panic("boom")
		}
		return nil
	}}
	_, err := execute(t, openStore(t), h, testkit.NumbersConfig{Count: 10, Changed: -1}, local.Options{})
	var p *pipeline.PanicError
	if !errors.As(err, &p) || !strings.Contains(err.Error(), "number-000003") {
		t.Fatalf("err %v, want the panic with its record", err)
	}
}

func TestTooManyLossesFailTheBuildAndARememberedRunToo(t *testing.T) {
	st := openStore(t)
	for range 2 {
		_, err := execute(t, st, &testkit.NumbersHooks{}, testkit.NumbersConfig{Count: 10, Changed: -1, Bad: 6}, local.Options{})
		var loss *engine.LossError
		if !errors.As(err, &loss) || loss.Step != "numbers" || !strings.Contains(err.Error(), "60.0 %") || !strings.Contains(err.Error(), "bad=6") {
			t.Fatalf("err %v, want a loss of 60 %% with its reasons", err)
		}
	}
	if _, err := execute(t, openStore(t), &testkit.NumbersHooks{}, testkit.NumbersConfig{Count: 40, Changed: -1, Bad: 20}, local.Options{}); err != nil {
		t.Fatalf("a loss of exactly max_loss is allowed, got %v", err)
	}
}

func TestADrainEndsRunningTasksAndARerunGoesOn(t *testing.T) {
	st := openStore(t)
	drain := make(chan struct{})
	h := &testkit.NumbersHooks{}
	h.BeforeMap = func(_ context.Context, n testkit.Number) error {
		if n.N == 300 {
			drain <- struct{}{} // returns once it was noticed
			close(drain)
		}
		return nil
	}
	c := testkit.NumbersConfig{Count: 2500, Changed: -1}
	_, err := execute(t, st, h, c, local.Options{Drain: drain, Limits: map[pipeline.Resource]int{pipeline.CPU: 1}})
	if !errors.Is(err, local.ErrInterrupted) {
		t.Fatalf("err %v, want ErrInterrupted", err)
	}
	first := h.Maps.Load()
	if first < 300 || first >= 1000 {
		t.Fatalf("%d records mapped: want the batch that ran to its end and no more", first)
	}
	h.BeforeMap = nil
	if _, err := execute(t, st, h, c, local.Options{}); err != nil {
		t.Fatal(err)
	}
	if h.Maps.Load() != 2500 {
		t.Errorf("%d records mapped in all, want each once", h.Maps.Load())
	}
}

func TestCancelCommitsNothingMore(t *testing.T) {
	st := openStore(t)
	ctx, cancel := context.WithCancel(t.Context())
	h := &testkit.NumbersHooks{BeforeMap: func(_ context.Context, n testkit.Number) error {
		if n.N == 300 {
			cancel()
		}
		return nil
	}}
	reg := testkit.NumbersRegistry(h)
	steps, err := testkit.NumbersPlan(testkit.NumbersConfig{Count: 1000, Changed: -1}).Resolve(ctx, reg)
	if err != nil {
		t.Fatal(err)
	}
	rt := engine.Runtime{Registry: reg, Store: st, TempRoot: t.TempDir()}
	if _, err := local.Execute(ctx, rt, steps, testkit.NoFetch{}, local.Options{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("err %v, want a cancellation", err)
	}
	mapped := h.Maps.Load()
	h.BeforeMap = nil
	if _, err := execute(t, st, h, testkit.NumbersConfig{Count: 1000, Changed: -1}, local.Options{}); err != nil {
		t.Fatal(err)
	}
	if again := h.Maps.Load() - mapped; again < 1000-300 {
		t.Errorf("the rerun mapped %d records; more than one batch was committed", again)
	}
}

func TestATransientLossIsTriedAgain(t *testing.T) {
	st := openStore(t)
	slow := pipeline.Reject("timeout", "too slow")
	slow.Transient = true
	h := &testkit.NumbersHooks{BeforeMap: func(_ context.Context, n testkit.Number) error {
		if n.N == 5 {
			return slow
		}
		return nil
	}}
	c := testkit.NumbersConfig{Count: 100, Changed: -1}
	_, err := execute(t, st, h, c, local.Options{})
	var loss *engine.LossError
	if !errors.As(err, &loss) || loss.Summary.Reasons["timeout"] != 1 {
		t.Fatalf("err %v, want the loss of one number", err)
	}
	h.BeforeMap = nil
	nodes, err := execute(t, st, h, c, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if h.Maps.Load() != 101 {
		t.Errorf("the map ran %d times, want every number once and the slow one again", h.Maps.Load())
	}
	if got := sumOf(t, st, nodes); got.Label != "90" {
		t.Errorf("%s numbers passed, want 90", got.Label)
	}
}

// TestWhatATransientLossLeavesIsUsed gives a number together with a loss that may
// pass, as an author does of whose questions one waits for an answer: what
// follows reads the number, and the next run computes it again.
func TestWhatATransientLossLeavesIsUsed(t *testing.T) {
	for name, partial := range map[string]bool{"build": false, "requests": true} {
		st := openStore(t)
		late := pipeline.Reject("model-pending", "no answer yet")
		late.Transient, late.Flagged = true, true
		h := &testkit.NumbersHooks{Besides: func(n testkit.Number) *pipeline.Rejection {
			if n.N == 5 {
				return late
			}
			return nil
		}}
		c := testkit.NumbersConfig{Count: 100, Changed: -1}
		if _, err := execute(t, st, h, c, local.Options{Partial: partial}); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		h.Besides = nil
		nodes, err := execute(t, st, h, c, local.Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if h.Maps.Load() != 101 {
			t.Errorf("%s: the map ran %d times, want every number once and the one with a loss again", name, h.Maps.Load())
		}
		if got := sumOf(t, st, nodes); got.Label != "90" {
			t.Errorf("%s: %s numbers passed, want 90", name, got.Label)
		}
	}
}
