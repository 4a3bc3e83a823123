package testkit

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/schemas"
)

// ConformStage checks what every stage must keep, on the subject's inputs. See the
// names of the subtests.
func ConformStage(t *testing.T, s Subject) { conform(t, pipeline.KindStage, s) }

// ConformGate checks what every gate must keep.
func ConformGate(t *testing.T, s Subject) { conform(t, pipeline.KindGate, s) }

// ConformSource checks what every source must keep.
func ConformSource(t *testing.T, s Subject) { conform(t, pipeline.KindSource, s) }

func conform(t *testing.T, kind pipeline.Kind, s Subject) {
	t.Helper()
	f := newFixture(t, kind, s)
	st := &FaultStore{Store: f.newStore(t)}
	want := f.must(t, st)
	writes := st.Writes()
	t.Run("unknown key is rejected", f.checkUnknownKey)
	t.Run("constructor is inert", f.checkConstructor)
	t.Run("outputs match their schema", func(t *testing.T) { f.checkOutputs(t, outputs(t, st, want)) })
	t.Run("second run reuses everything", func(t *testing.T) { f.checkReuse(t, st, want) })
	t.Run("two runs give the same bytes", func(t *testing.T) { f.checkRepeat(t, f.task, want) })
	t.Run("task survives JSON", func(t *testing.T) { f.checkRepeat(t, f.throughJSON(t), want) })
	t.Run("another's task is refused", f.checkForeignTasks)
	t.Run("cancel commits nothing", f.checkCancel)
	t.Run("failed write, then a rerun", func(t *testing.T) { f.checkFaults(t, want, writes) })
	t.Run("what fails around it fails it", f.checkErrorsReturned)
	t.Run("empty input", f.checkEmpty)
	t.Run("golden", func(t *testing.T) { f.checkGolden(t, want) })
}

func (f *fixture) checkUnknownKey(t *testing.T) {
	var keys map[string]any
	if err := json.Unmarshal(f.task.Identity.Config, &keys); err != nil {
		t.Fatalf("the configuration is not an object: %v", err)
	}
	keys["no_such_key"] = 1
	raw, err := pipeline.Canonical(keys)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.plugin.BuildRaw(raw); err == nil {
		t.Error("a configuration with the key no_such_key is accepted")
	}
}

// checkConstructor constructs in an empty folder without programs on the path: whatever
// the constructor leaves or needs shows.
func (f *fixture) checkConstructor(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("PATH", "")
	t.Setenv("TMPDIR", dir)
	var specs []pipeline.Spec
	for range 2 {
		built, err := f.plugin.BuildRaw(f.task.Identity.Config)
		if err != nil {
			t.Fatalf("the constructor needs something besides its configuration: %v", err)
		}
		specs = append(specs, built.(interface{ Spec() pipeline.Spec }).Spec())
	}
	if !reflect.DeepEqual(specs[0], specs[1]) {
		t.Errorf("two plugins of one configuration differ in their Spec: %+v and %+v", specs[0], specs[1])
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) > 0 {
		t.Errorf("the constructor wrote %s", left[0].Name())
	}
}

func (f *fixture) checkOutputs(t *testing.T, records []pipeline.Record) {
	if len(records) == 0 {
		t.Error("the subject gives no output, so nothing is checked; choose inputs that give some")
	}
	for _, r := range records {
		if err := errors.Join(f.check(r), f.checkTypeStated(r)); err != nil {
			t.Errorf("output %s: %v", r.ID, err)
		}
	}
}

// checkTypeStated wants the questions of a source or stage to have types that its Spec
// states, if it states any.
func (f *fixture) checkTypeStated(r pipeline.Record) error {
	if r.Schema != schemas.NameQuestion || f.plugin.Kind == pipeline.KindGate {
		return nil
	}
	built, err := f.plugin.BuildRaw(f.task.Identity.Config)
	if err != nil {
		return err
	}
	q, err := pipeline.Decode[schemas.Question](r)
	if err != nil {
		return err
	}
	types := built.(interface{ Spec() pipeline.Spec }).Spec().Types
	if len(types) > 0 && !slices.Contains(types, q.Type) {
		return fmt.Errorf("its type %q is none of those in Spec.Types: %q", q.Type, types)
	}
	return nil
}

func (f *fixture) checkReuse(t *testing.T, st pipeline.Store, want []pipeline.Result) {
	again := f.must(t, st)
	for i, r := range again {
		if !r.Reused && !hasTransient(want[i]) {
			t.Errorf("result %d was computed again", i)
		}
	}
}

func hasTransient(r pipeline.Result) bool {
	return slices.ContainsFunc(r.Rejections, func(r pipeline.Rejection) bool { return r.Transient })
}

// checkRepeat runs a task in a new store; map stages get their inputs in reverse, for
// their results must not depend on each other.
func (f *fixture) checkRepeat(t *testing.T, task pipeline.Task, want []pipeline.Result) {
	st := f.newStore(t)
	task.Inputs = slices.Clone(task.Inputs)
	if task.Each {
		slices.Reverse(task.Inputs)
	}
	got, err := f.execute(t.Context(), t, st, task)
	if err != nil {
		t.Fatal(err)
	}
	if task.Each {
		slices.Reverse(got)
	}
	if a, b := resultText(t, want), resultText(t, got); a != b {
		t.Errorf("results differ\n first %s\nsecond %s", a, b)
	}
}

func (f *fixture) throughJSON(t *testing.T) pipeline.Task {
	t.Helper()
	b, err := json.Marshal(f.task)
	if err != nil {
		t.Fatal(err)
	}
	var task pipeline.Task
	if err := json.Unmarshal(b, &task); err != nil {
		t.Fatal(err)
	}
	return task
}

// checkCancel stops the task before it starts and, for plugins that touch the
// store, at each of their first calls.
func (f *fixture) checkCancel(t *testing.T) {
	for at := range int64(3) {
		ctx, stop := context.WithCancel(t.Context())
		real := f.newStore(t)
		st := &stopStore{Store: real, at: at, stop: stop}
		if at == 0 {
			stop()
		}
		_, err := f.execute(ctx, t, st, f.task)
		stop()
		if at > 0 && !st.stopped {
			return // the task makes fewer calls
		}
		if err == nil {
			t.Fatalf("cancelled at call %d, the task reports success", at)
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at call %d, the error does not say so: %v", at, err)
		}
		f.checkNothingStored(t, real)
	}
}

func (f *fixture) checkNothingStored(t *testing.T, st pipeline.Store) {
	t.Helper()
	keys, err := engine.TaskKeys(f.task)
	if err != nil {
		t.Fatal(err)
	}
	stored, err := st.Results(t.Context(), keys)
	if err != nil {
		t.Fatal(err)
	}
	if len(stored) > 0 {
		t.Errorf("a cancelled task committed %d results", len(stored))
	}
}

// maxFaults is how many writes are made to fail where a subject does not say.
const maxFaults = 4

// checkFaults lets single ones of an undisturbed run's writes fail. The failure must
// come out of Execute, and a plain rerun must give what the undisturbed run gave.
func (f *fixture) checkFaults(t *testing.T, want []pipeline.Result, writes int64) {
	for _, n := range pickEvenly(writes, cmp.Or(f.Faults, maxFaults)) {
		st := f.newStore(t)
		_, err := f.execute(t.Context(), t, &FaultStore{Store: st, FailAt: n}, f.task)
		if !errors.Is(err, ErrFault) {
			t.Errorf("write %d of %d failed, Execute returned %v", n, writes, err)
			continue
		}
		if a, b := resultText(t, want), resultText(t, f.must(t, st)); a != b {
			t.Errorf("after write %d failed, a rerun differs\n want %s\n  got %s", n, a, b)
		}
	}
}

// pickEvenly picks at most m of 1..n, the first and the last among them.
func pickEvenly(n, m int64) []int64 {
	var picked []int64
	for i := range min(n, m) {
		picked = append(picked, 1+i*(n-1)/max(1, min(n, m)-1))
	}
	return picked
}

// checkErrorsReturned has an output refused and an input unreadable: a source or fold that
// says nothing of either would lose records.
func (f *fixture) checkErrorsReturned(t *testing.T) {
	if f.task.Each || f.plugin.Kind == pipeline.KindGate {
		return
	}
	refused, unreadable := errors.New("this output is refused"), errors.New("this input cannot be read")
	count := int64(0)
	if err := f.runDirectly(t, nil, func(pipeline.Record) error { count++; return nil }); err != nil {
		t.Fatal(err)
	}
	for _, last := range pickEvenly(count, 2) {
		n := int64(0)
		err := f.runDirectly(t, nil, func(pipeline.Record) error {
			if n++; n >= last {
				return refused
			}
			return nil
		})
		if !errors.Is(err, refused) {
			t.Errorf("output %d of %d is refused, and it ends with %v", last, count, err)
		}
	}
	if f.plugin.Kind == pipeline.KindSource || len(f.Inputs) == 0 {
		return
	}
	if err := f.runDirectly(t, unreadable, func(pipeline.Record) error { return nil }); !errors.Is(err, unreadable) {
		t.Errorf("its last input cannot be read, and it ends with %v", err)
	}
}

// runDirectly runs a source or fold without the engine. The last input is replaced by an
// error, if there is one.
func (f *fixture) runDirectly(t *testing.T, last error, emit func(pipeline.Record) error) error {
	t.Helper()
	plugin, err := f.plugin.BuildRaw(f.task.Identity.Config)
	if err != nil {
		t.Fatal(err)
	}
	inputs := slices.SortedFunc(slices.Values(f.Inputs), func(a, b pipeline.Record) int { return cmp.Compare(a.ID, b.ID) })
	all := func(yield func(pipeline.Record, error) bool) {
		for i, r := range inputs {
			if i == len(inputs)-1 && last != nil {
				yield(pipeline.Record{}, last)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
	options := pipeline.ScopeOptions{
		Identity: f.task.Identity, Step: f.task.Step, Store: f.newStore(t), Registry: f.registry, Models: f.Models, TempRoot: t.TempDir(),
	}
	_, err = pipeline.RunInScope(options, func(s *pipeline.Scope) error {
		switch p := plugin.(type) {
		case pipeline.Source:
			return p.Read(t.Context(), s, f.task.Assets, emit)
		case pipeline.Fold:
			return p.Fold(t.Context(), s, pipeline.Collection{Len: len(inputs), All: all}, emit)
		}
		return fmt.Errorf("%T is neither a source nor a fold", plugin)
	})
	return err
}

func (f *fixture) checkEmpty(t *testing.T) {
	task := f.task
	task.Inputs, task.Assets = nil, nil
	if f.plugin.Kind == pipeline.KindSource && len(f.Assets) > 0 {
		return // a source that needs files is never run without them
	}
	if _, err := f.execute(t.Context(), t, f.newStore(t), task); err != nil {
		t.Errorf("no input is an error: %v", err)
	}
}

func (f *fixture) checkGolden(t *testing.T, want []pipeline.Result) {
	got := f.plugin.Version + " " + string(pipeline.DigestOf([]byte(resultText(t, want))))
	if f.Golden == "" && f.Unpinned != "" {
		t.Logf("%s; Golden: %q", f.Unpinned, got)
		return
	}
	if f.Golden == "" {
		t.Errorf("nothing pins the results: set\nGolden: %q", got)
		return
	}
	if got != f.Golden {
		t.Errorf("results changed: give the plugin a new version and set\nGolden: %q", got)
	}
}
