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
	"github.com/memforge/memforge/pipeline/testkit"
)

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
