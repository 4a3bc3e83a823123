package local

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// crossed is a build with all that a bound on what is held bears on: records that two
// inputs or two nodes give, records that are lost, a gate, and a fold of many. changed
// is a number that its source gives otherwise, version that of one of its stages.
func crossed(count, changed int, version string) []*made {
	src, left, right := node("src", pipeline.KindSource, false), node("left", pipeline.KindStage, true, "src"), node("right", pipeline.KindStage, true, "src")
	join, gate, fold := node("join", pipeline.KindStage, true, "left", "right"), node("gate", pipeline.KindGate, true, "join"), node("fold", pipeline.KindStage, false, "gate", "left")
	join.Identity.Version = version
	src.Identity.Config = fmt.Appendf(nil, `{"changed":%d}`, changed)
	src.give = func(pipeline.Ref) pipeline.Result {
		out := ids("n", 0, count)
		if changed >= 0 {
			out[changed].Digest = pipeline.DigestOf([]byte("changed"))
		}
		return pipeline.Result{Outputs: out}
	}
	give := func(name string) func(pipeline.Ref) pipeline.Result {
		return func(in pipeline.Ref) pipeline.Result {
			group := in.ID[len(in.ID)-1:] // what lies far apart gives the same
			return pipeline.Result{
				Outputs:    []pipeline.Ref{refOf("item", name+"/"+string(in.Digest[:8])+in.ID), refOf("item", "shared/"+group), in},
				Rejections: []pipeline.Rejection{{ID: in.ID, Code: "odd", Reason: "not all of it"}},
				Blobs:      []pipeline.Digest{pipeline.DigestOf([]byte(group))},
			}
		}
	}
	left.give, right.give, join.give = give("left"), give("right"), give("join")
	left.seconds, right.seconds, join.seconds, gate.seconds = 1, 3, 0.1, 2
	fold.give = func(pipeline.Ref) pipeline.Result {
		return pipeline.Result{Outputs: []pipeline.Ref{refOf("item", "all")}}
	}
	return []*made{src, left, right, join, gate, fold}
}

// keyFromLists is the key of a task that is one unit, from the lists of its inputs.
func keyFromLists(t testing.TB, st pipeline.Store) func(pipeline.Task) pipeline.Key {
	return func(task pipeline.Task) pipeline.Key {
		byID := map[string]pipeline.Ref{}
		for _, list := range task.Lists {
			units, err := engine.LoadUnits(t.Context(), st, list)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range units {
				for _, r := range u.Out {
					if r.Schema == "item" {
						byID[r.ID] = r
					}
				}
			}
		}
		task.Lists = nil
		for _, r := range byID {
			task.Inputs = append(task.Inputs, r)
		}
		slices.SortFunc(task.Inputs, func(a, b pipeline.Ref) int { return strings.Compare(a.ID, b.ID) })
		keys, err := engine.TaskKeys(task)
		if err != nil {
			t.Fatal(err)
		}
		return keys[0]
	}
}

func slots() map[pipeline.Resource]int { return map[pipeline.Resource]int{pipeline.CPU: 3} }

// outcome is a build's nodes, and the counts of them each time a task ended.
func outcome(t testing.TB, st store.Store, held int, nodes []*made) (ended []engine.StepRun, counts [][]engine.Count) {
	t.Helper()
	v := newVirtual(t, st, slots(), held, nodes...)
	v.listed = keyFromLists(t, st)
	if err := v.run(t.Context(), func() { counts = append(counts, v.drive.Counts()) }); err != nil {
		t.Fatalf("held %d: %v", held, err)
	}
	return v.drive.EndedSteps(), counts
}

func newStore(t testing.TB) store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// TestWhatIsHeldChangesNothing: with almost nothing in memory nodes give the same
// lists, counts and progress, from nothing and after a change.
func TestWhatIsHeldChangesNothing(t *testing.T) {
	t.Parallel()
	count := testsize.Choose(200, 2000)
	whole, stores := newStore(t), map[int]store.Store{1: newStore(t), 50: newStore(t), 600: newStore(t)}
	for i, of := range []struct {
		changed int
		version string
	}{{-1, "1"}, {150, "1"}, {150, "2"}, {-1, "2"}} {
		want, wantCounts := outcome(t, whole, 1<<20, crossed(count, of.changed, of.version))
		for held, st := range stores {
			got, counts := outcome(t, st, held, crossed(count, of.changed, of.version))
			for k := range want {
				if got[k].Units != want[k].Units || !reflect.DeepEqual(got[k].Summary, want[k].Summary) {
					t.Errorf("run %d, held %d, step %s: %+v, with all in memory %+v", i, held, want[k].Step.Name, got[k].Summary, want[k].Summary)
				}
			}
			if !reflect.DeepEqual(counts, wantCounts) {
				t.Errorf("run %d, held %d: other progress", i, held)
			}
		}
	}
}

// TestDoublesAreFoundHoweverLittleIsHeld: two records with one id end a build, at the
// latest when the node ends that gave or reads them.
func TestDoublesAreFoundHoweverLittleIsHeld(t *testing.T) {
	t.Parallel()
	const count = 100
	other := func(of *made, at int, id string) {
		give := of.give
		of.give = func(in pipeline.Ref) pipeline.Result {
			r := give(in)
			if strings.HasSuffix(in.ID, fmt.Sprintf("%08d", at)) {
				r.Outputs = append(r.Outputs, pipeline.Ref{ID: id, Schema: "item", Digest: pipeline.DigestOf([]byte(of.Name))})
			}
			return r
		}
	}
	for name, tc := range map[string]struct {
		spoil      func(n []*made)
		node, says string
	}{
		"one node":         {func(n []*made) { other(n[1], 0, "twice"); other(n[1], 99, "shared/9") }, "step left", "derive ids from the content"},
		"inputs of a map":  {func(n []*made) { other(n[1], 0, "twice"); other(n[2], 99, "twice") }, "step join", "in this step's inputs"},
		"inputs of a fold": {func(n []*made) { other(n[1], 0, "twice"); other(n[3], 99, "twice") }, "step fold", "two different records have the same id"},
	} {
		for _, held := range []int{1, 100, 1 << 20} {
			nodes := crossed(count, -1, "1")
			nodes[3].give = func(in pipeline.Ref) pipeline.Result {
				return pipeline.Result{Outputs: []pipeline.Ref{refOf("item", "join/"+string(in.Digest[:8])+in.ID)}}
			}
			tc.spoil(nodes)
			st := newStore(t)
			v := newVirtual(t, st, slots(), held, nodes...)
			v.listed = keyFromLists(t, st)
			err := v.run(t.Context(), func() {})
			if err == nil || !strings.Contains(err.Error(), tc.node) || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "bug") {
				t.Errorf("%s, held %d: %v", name, held, err)
			}
		}
	}
}

// TestTasksOfABoundedBuildExecute: what stands in lists and files has the keys and
// records that workers give and find.
func TestTasksOfABoundedBuildExecute(t *testing.T) {
	t.Parallel()
	reg := testkit.NumbersRegistry(&testkit.NumbersHooks{})
	var last []engine.StepRun
	for _, held := range []int{20, 1 << 20} {
		rt := engine.Runtime{Registry: reg, Store: newStore(t), TempRoot: t.TempDir()}
		for _, changed := range []int{-1, 50} {
			steps, err := testkit.NumbersPlan(testkit.NumbersConfig{Count: 300, Changed: changed}).Resolve(t.Context(), reg)
			if err != nil {
				t.Fatal(err)
			}
			drive, err := engine.NewScheduler(t.Context(), rt, steps, testkit.NoFetch{}, engine.SchedulerOptions{MaxHeld: held})
			if err != nil {
				t.Fatal(err)
			}
			if err := run(t.Context(), rt, drive, Options{}); err != nil {
				t.Fatalf("held %d, changed %d: %v", held, changed, err)
			}
			if ended := drive.EndedSteps(); held == 20 {
				last = ended
			} else if changed == 50 {
				for i, n := range ended {
					if n.Units != last[i].Units || !reflect.DeepEqual(n.Summary, last[i].Summary) {
						t.Errorf("step %s: %+v, with little held %+v", n.Step.Name, n.Summary, last[i].Summary)
					}
				}
			}
		}
	}
}
