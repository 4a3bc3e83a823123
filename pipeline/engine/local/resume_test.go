package local_test

import (
	"context"
	"encoding/json"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
)

// TestASavedStateAndTheStoreAreAllADriverNeeds ends the driver and its store after
// each few tasks. Whoever goes on does what is left, and nothing twice.
func TestASavedStateAndTheStoreAreAllADriverNeeds(t *testing.T) {
	c, h := testkit.NumbersConfig{Count: 1500, Changed: -1, Bad: 3}, &testkit.NumbersHooks{}
	reg := testkit.NumbersRegistry(h)
	steps, err := testkit.NumbersPlan(c).Resolve(t.Context(), reg)
	if err != nil {
		t.Fatal(err)
	}
	begun, err := engine.NewState(steps)
	if err != nil {
		t.Fatal(err)
	}
	saved, err := begun.Save()
	if err != nil {
		t.Fatal(err)
	}
	dir, units := t.TempDir(), map[string]pipeline.Digest{}
	for done := false; !done; {
		saved, done = driveOn(t, dir, reg, steps, saved, units)
	}
	if h.Maps.Load() != int64(c.Count-c.Bad) {
		t.Errorf("%d maps of %d numbers", h.Maps.Load(), c.Count-c.Bad)
	}
	nodes, err := execute(t, openStore(t), &testkit.NumbersHooks{}, c, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nodes {
		if units[n.Step.Name] != n.Units {
			t.Errorf("node %s gave other units than without breaks", n.Step.Name)
		}
	}
}

// driveOn is one driver: it loads a state, has a few tasks executed, leaves one at
// work, and saves.
func driveOn(t *testing.T, dir string, reg *pipeline.Registry, steps []engine.Step, saved []byte, units map[string]pipeline.Digest) ([]byte, bool) {
	t.Helper()
	st, err := store.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	state, err := engine.LoadState(steps, saved)
	if err != nil {
		t.Fatal(err)
	}
	var ready []pipeline.Task
	if counts := state.Counts(); !counts[0].Complete {
		state.Begin("numbers")
		ready = []pipeline.Task{{Step: "numbers", Identity: steps[0].Identity}}
	}
	for range 4 {
		ready = append(ready, state.Next(map[pipeline.Resource]int{pipeline.CPU: 2})...)
		if len(ready) == 0 {
			break
		}
		results, err := engine.Execute(t.Context(), engine.Runtime{Registry: reg, Store: st, TempRoot: t.TempDir()}, ready[0])
		if err != nil {
			t.Fatal(err)
		}
		ended, err := state.Complete(ready[0], results)
		if err != nil {
			t.Fatal(err)
		}
		ready = ready[1:]
		for _, node := range ended {
			b, err := state.Deliver(node).Encode()
			if err != nil {
				t.Fatal(err)
			}
			units[node] = pipeline.DigestOf(b)
		}
	}
	saved, err = state.Save()
	if err != nil {
		t.Fatal(err)
	}
	return saved, state.Done()
}

// TestAFoldOfManyInputsIsASmallTask that gives what it gives with all its inputs.
func TestAFoldOfManyInputsIsASmallTask(t *testing.T) {
	st, reg := openStore(t), testkit.NumbersRegistry(&testkit.NumbersHooks{})
	rt := engine.Runtime{Registry: reg, Store: st, TempRoot: t.TempDir()}
	plan := testkit.NumbersPlan(testkit.NumbersConfig{Count: 1500, Changed: -1})
	until, _ := plan.Only("small")
	var nodes []engine.StepRun
	for _, p := range []engine.Plan{until, plan} {
		steps, err := p.Resolve(t.Context(), reg)
		if err != nil {
			t.Fatal(err)
		}
		drive, err := engine.NewScheduler(t.Context(), rt, steps, testkit.NoFetch{}, engine.SchedulerOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Steps) == 3 {
			nodes, err = local.Execute(t.Context(), rt, steps, testkit.NoFetch{}, local.Options{})
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
		fold := drive.Next(map[pipeline.Resource]int{pipeline.CPU: 1})[0]
		text, err := json.Marshal(fold)
		if err != nil || len(text) > 1000 || fold.Lists[0] != nodes[2].Units {
			t.Fatalf("a task of %d bytes (%v): %.300s", len(text), err, text)
		}
		results, err := engine.Execute(t.Context(), rt, fold)
		if err != nil {
			t.Fatal(err)
		}
		heavy := pipeline.Task{Step: fold.Step, Identity: fold.Identity}
		units, err := engine.LoadUnits(t.Context(), st, nodes[2].Units)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range units {
			for _, r := range u.Out {
				if r.Schema == "number" {
					heavy.Inputs = append(heavy.Inputs, r)
				}
			}
		}
		again, err := engine.Execute(t.Context(), rt, heavy)
		if err != nil || len(again) != 1 || !again[0].Reused || !reflect.DeepEqual(again[0].Outputs, results[0].Outputs) {
			t.Errorf("%+v, with its inputs %+v (%v)", results, again, err)
		}
		if err := drive.Complete(t.Context(), fold, results); err != nil || !drive.Done() {
			t.Errorf("done %t, %v", drive.Done(), err)
		}
		for name, spoil := range map[string]func(t pipeline.Task) pipeline.Task{
			"then in nothing else": func(t pipeline.Task) pipeline.Task { t.Inputs = heavy.Inputs[:1]; return t },
			"one unit":             func(t pipeline.Task) pipeline.Task { t.Each = true; return t },
			"the same id":          func(t pipeline.Task) pipeline.Task { t.Lists = append(t.Lists, nodes[0].Units); return t },
			"no such blob":         func(t pipeline.Task) pipeline.Task { t.Lists = []pipeline.Digest{pipeline.DigestOf(nil)}; return t },
		} {
			if _, err := engine.Execute(t.Context(), rt, spoil(fold)); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestOfANodeThatIsOneUnitOnlyWhatIsNewIsStored: one changed number of a source is one
// more record, under whatever configuration.
func TestOfANodeThatIsOneUnitOnlyWhatIsNewIsStored(t *testing.T) {
	st := &written{Store: openStore(t)}
	for i, changed := range []int{-1, 17, 18} {
		st.records = 0
		if _, err := execute(t, st, &testkit.NumbersHooks{}, testkit.NumbersConfig{Count: 1000, Changed: changed}, local.Options{}); err != nil {
			t.Fatal(err)
		}
		if i > 0 && st.records > 30 {
			t.Errorf("run %d wrote %d records for two changed ones", i, st.records)
		}
	}
}

// written counts the records that are committed.
type written struct {
	pipeline.Store
	mu      sync.Mutex
	records int
}

func (w *written) Commit(ctx context.Context, outcomes []pipeline.Committed) error {
	w.mu.Lock()
	for _, o := range outcomes {
		w.records += len(o.Records)
	}
	w.mu.Unlock()
	return w.Store.Commit(ctx, outcomes)
}
