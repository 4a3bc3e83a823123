package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

func step(name string, each bool, from ...string) Step {
	kind := pipeline.KindStage
	if len(from) == 0 {
		kind = pipeline.KindSource
	}
	return Step{
		Name: name, Kind: kind, Use: name, Version: "1", Config: pipeline.RawConfig(`{}`), From: from,
		Spec:     pipeline.Spec{Accepts: []string{"x"}, Emits: []string{"x"}, Resource: pipeline.CPU},
		Identity: pipeline.Identity{Kind: kind, Use: name, Version: "1", Config: pipeline.RawConfig(`{}`)},
		Each:     each,
	}
}

func refs(n int) []pipeline.Ref {
	out := make([]pipeline.Ref, n)
	for i := range out {
		id := fmt.Sprintf("r%05d", i)
		out[i] = pipeline.Ref{ID: id, Schema: "x", Digest: pipeline.DigestOf([]byte(id))}
	}
	return out
}

func mustState(t *testing.T, steps ...Step) *State {
	t.Helper()
	s, err := NewState(steps)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func complete(t *testing.T, s *State, task pipeline.Task, results ...pipeline.Result) []string {
	t.Helper()
	done, err := s.Complete(task, keyed(t, task, results...))
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// keyed gives results the keys of a task's units.
func keyed(t *testing.T, task pipeline.Task, results ...pipeline.Result) []pipeline.Result {
	t.Helper()
	keys, err := TaskKeys(task)
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range keys {
		results[i].Key = k
	}
	return results
}

// TestResultsOfAnotherTaskAreRefused: an executor that mixes up tasks must not have
// what it mixed up remembered.
func TestResultsOfAnotherTaskAreRefused(t *testing.T) {
	for name, spoil := range map[string]func(mine, others []pipeline.Result) []pipeline.Result{
		"another task's": func(_, others []pipeline.Result) []pipeline.Result { return others },
		"one missing":    func(mine, _ []pipeline.Result) []pipeline.Result { return mine[1:] },
		"one too many":   func(mine, others []pipeline.Result) []pipeline.Result { return append(mine, others[0]) },
		"none":           func(_, _ []pipeline.Result) []pipeline.Result { return nil },
		"another order":  func(mine, _ []pipeline.Result) []pipeline.Result { mine[0], mine[1] = mine[1], mine[0]; return mine },
	} {
		s := mustState(t, step("src", false), step("map", true, "src"))
		s.Begin("src")
		complete(t, s, pipeline.Task{Step: "src"}, pipeline.Result{Outputs: refs(2 * minBatch)})
		tasks := s.Next(free(2))
		results := func(i int) []pipeline.Result { return keyed(t, tasks[i], make([]pipeline.Result, minBatch)...) }
		var refused *ResultsError
		if _, err := s.Complete(tasks[0], spoil(results(0), results(1))); !errors.As(err, &refused) || refused.Step != "map" {
			t.Errorf("%s: %v", name, err)
		}
		// Nothing of it was taken: the right results still fit.
		complete(t, s, tasks[0], results(0)...)
		if done := complete(t, s, tasks[1], results(1)...); len(done) != 1 || s.Counts()[1].Summary.Units != 2*minBatch {
			t.Errorf("%s: afterwards %v is complete, %+v", name, done, s.Counts()[1].Summary)
		}
		if _, err := s.Complete(tasks[0], results(0)); !errors.As(err, &refused) {
			t.Errorf("%s: a task that is not running any more: %v", name, err)
		}
	}
}

func free(n int) map[pipeline.Resource]int {
	return map[pipeline.Resource]int{pipeline.CPU: n, pipeline.FFmpeg: n}
}

func TestMapsGetBatchesAndFoldsWait(t *testing.T) {
	s := mustState(t, step("src", false), step("map", true, "src"), step("fold", false, "map"))
	s.Begin("src")
	if got := s.Next(free(4)); len(got) != 0 {
		t.Fatalf("%d tasks before the source has read anything", len(got))
	}
	const count = minBatch + 10
	complete(t, s, pipeline.Task{Step: "src"}, pipeline.Result{Outputs: refs(count)})
	tasks := s.Next(free(4))
	if len(tasks) != 2 || len(tasks[0].Inputs) != minBatch || len(tasks[1].Inputs) != 10 {
		t.Fatalf("want batches of %d and 10, have %d tasks", minBatch, len(tasks))
	}
	pass := func(task pipeline.Task) []pipeline.Result {
		var rs []pipeline.Result
		for _, in := range task.Inputs {
			rs = append(rs, pipeline.Result{Outputs: []pipeline.Ref{in}})
		}
		return rs
	}
	complete(t, s, tasks[1], pass(tasks[1])...)
	if got := s.Next(free(4)); len(got) != 0 {
		t.Fatal("the fold was handed out before its upstream was complete")
	}
	complete(t, s, tasks[0], pass(tasks[0])...)
	fold := s.Next(free(4))
	if len(fold) != 1 || len(fold[0].Inputs) != count {
		t.Fatalf("want one fold over everything, have %v tasks", len(fold))
	}
	for i, in := range fold[0].Inputs {
		if in.ID != refs(count)[i].ID {
			t.Fatalf("fold input %d is %s: the order must not depend on completion", i, in.ID)
		}
	}
	if done := complete(t, s, fold[0], pipeline.Result{}); len(done) != 1 || !s.Done() {
		t.Fatalf("done %v, want the fold and the build complete", done)
	}
}

func TestBatchesGrowWithWhatWaits(t *testing.T) {
	s := mustState(t, step("src", false), step("map", true, "src"))
	s.Begin("src")
	complete(t, s, pipeline.Task{Step: "src"}, pipeline.Result{Outputs: refs(batchShare * (maxBatch + 100))})
	if first := s.Next(free(1))[0]; len(first.Inputs) != maxBatch {
		t.Fatalf("a batch of %d, want the upper bound %d", len(first.Inputs), maxBatch)
	}
}

// TestOnlyWhatModelsAnswerAtOnceIsBatched: items that wait for a model wait side
// by side, those that do not share a task.
func TestOnlyWhatModelsAnswerAtOnceIsBatched(t *testing.T) {
	for _, tc := range []struct {
		instant       bool
		waiting, want int
	}{
		{false, 4000, 1}, {true, 4000, maxAnswered}, {true, 100, 25}, {true, 20, minAnswered}, {true, 3, 3},
	} {
		ask := step("ask", true, "src")
		ask.Spec.Resource, ask.Instant = pipeline.Model, tc.instant
		s := mustState(t, step("src", false), ask)
		s.Begin("src")
		complete(t, s, pipeline.Task{Step: "src"}, pipeline.Result{Outputs: refs(tc.waiting)})
		if first := s.Next(map[pipeline.Resource]int{pipeline.Model: 1})[0]; len(first.Inputs) != tc.want {
			t.Errorf("instant %t, %d waiting: a batch of %d, want %d", tc.instant, tc.waiting, len(first.Inputs), tc.want)
		}
	}
}

func TestAFoldOverNothingStillRuns(t *testing.T) {
	s := mustState(t, step("src", false), step("map", true, "src"), step("fold", false, "map"))
	s.Begin("src")
	done := complete(t, s, pipeline.Task{Step: "src"}, pipeline.Result{})
	if strings.Join(done, " ") != "src map" {
		t.Fatalf("complete: %v, want src and map", done)
	}
	if tasks := s.Next(free(1)); len(tasks) != 1 || tasks[0].Step != "fold" {
		t.Fatalf("tasks %v, want the fold", tasks)
	}
}

func TestTwoRecordsWithOneIDAreAnError(t *testing.T) {
	s := mustState(t, step("src", false), step("map", true, "src"))
	s.Begin("src")
	complete(t, s, pipeline.Task{Step: "src"}, pipeline.Result{Outputs: refs(2)})
	task := s.Next(free(1))[0]
	a := pipeline.Ref{ID: "same", Schema: "x", Digest: pipeline.DigestOf([]byte("a"))}
	b := pipeline.Ref{ID: "same", Schema: "x", Digest: pipeline.DigestOf([]byte("b"))}
	_, err := s.Complete(task, keyed(t, task, pipeline.Result{Outputs: []pipeline.Ref{a}}, pipeline.Result{Outputs: []pipeline.Ref{b}}))
	if err == nil || !strings.Contains(err.Error(), "same") {
		t.Fatalf("err %v, want one that names the id", err)
	}
}

func TestRecordsOfOtherSchemasPassBy(t *testing.T) {
	s := mustState(t, step("src", false), step("map", true, "src"))
	s.Begin("src")
	other := pipeline.Ref{ID: "o", Schema: "other", Digest: pipeline.DigestOf([]byte("o"))}
	complete(t, s, pipeline.Task{Step: "src"}, pipeline.Result{Outputs: []pipeline.Ref{other}})
	if tasks := s.Next(free(1)); len(tasks) != 0 || !s.Done() {
		t.Fatalf("tasks %v, want none and the build complete", tasks)
	}
}

func TestSummaryDoesNotDependOnTheOrderOfCompletion(t *testing.T) {
	outputs := func(reverse bool) (Summary, []pipeline.Unit) {
		s := mustState(t, step("src", false), step("map", true, "src"))
		var units []pipeline.Unit
		s.keep = func(st Step, u pipeline.Unit) error {
			if st.Name == "map" {
				units = append(units, u)
			}
			return nil
		}
		s.Begin("src")
		complete(t, s, pipeline.Task{Step: "src"}, pipeline.Result{Outputs: refs(2 * minBatch)})
		tasks := s.Next(free(2))
		if reverse {
			tasks[0], tasks[1] = tasks[1], tasks[0]
		}
		for _, task := range tasks {
			var rs []pipeline.Result
			for _, in := range task.Inputs {
				rs = append(rs, pipeline.Result{Key: pipeline.Key(in.ID), Outputs: []pipeline.Ref{in}, Rejections: []pipeline.Rejection{{ID: in.ID, Code: "c"}}})
			}
			complete(t, s, task, rs...)
		}
		slices.SortFunc(units, func(a, b pipeline.Unit) int { return strings.Compare(a.In.ID, b.In.ID) })
		return s.index["map"].summary, units
	}
	a, unitsA := outputs(false)
	b, unitsB := outputs(true)
	if !reflect.DeepEqual(a, b) || !reflect.DeepEqual(unitsA, unitsB) || len(unitsA) != 2*minBatch || a.Lost != 2*minBatch || a.Reasons["c"] != 2*minBatch {
		t.Fatalf("summaries %+v and %+v", a, b)
	}
}

func TestSummaryCountsItemsOnly(t *testing.T) {
	var s Summary
	s.count(pipeline.Unit{
		Out:        []pipeline.Ref{{ID: "q", Schema: schemas.NameQuestion}, {ID: "v", Schema: schemas.NameVerdict}, {ID: "p", Schema: schemas.NameProbes}, {ID: "f", Schema: schemas.NameFlagged}},
		Rejections: []pipeline.Rejection{{Code: "guessable", Flagged: true}, {Code: "gate-error"}},
	})
	if s.Units != 1 || s.Out != 1 || s.Revised != 1 || s.Flagged != 1 || s.Lost != 1 {
		t.Errorf("%+v", s)
	}
}

// TestAQueueGivesWhatItWasGiven in that order, however it is taken.
func TestAQueueGivesWhatItWasGiven(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var q refQueue
	var want, got []pipeline.Ref
	for len(got) < 5000 {
		for range r.IntN(400) {
			ref := refs(1)[0]
			ref.ID, ref.Schema = strings.Repeat("i", r.IntN(90)), []string{"x", "y", "z"}[r.IntN(3)]
			want = append(want, ref)
			if err := q.put(ref); err != nil {
				t.Fatal(err)
			}
		}
		if q.len() != len(want)-len(got) {
			t.Fatalf("%d wait, want those after %d", q.len(), len(got))
		}
		got = append(got, q.take(r.IntN(400))...)
	}
	got = append(got, q.take(1<<20)...)
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%d: %+v, want %+v", i, got[i], want[i])
		}
	}
	if len(got) != len(want) || q.len() != 0 || len(q.blocks) > 1 {
		t.Errorf("%d of %d, %d left in %d blocks", len(got), len(want), q.len(), len(q.blocks))
	}
	if err := q.put(pipeline.Ref{ID: "a", Digest: "no digest"}); err == nil {
		t.Error("what is no digest was taken")
	}
}

// TestABuildEndsThatCannotKeepUnits with the error of whoever keeps them.
func TestABuildEndsThatCannotKeepUnits(t *testing.T) {
	s, full := mustState(t, step("src", false), step("map", true, "src")), errors.New("no space left on device")
	s.Begin("src")
	complete(t, s, pipeline.Task{Step: "src"}, pipeline.Result{Outputs: refs(4 * minBatch)})
	s.keep = func(Step, pipeline.Unit) error { return full }
	for _, task := range s.Next(free(2)) {
		if _, err := s.Complete(task, keyed(t, task, make([]pipeline.Result, len(task.Inputs))...)); !errors.Is(err, full) {
			t.Errorf("%v", err)
		}
	}
}

// TestManyInputsOfAFoldAreOnlyCounted until the driver tells their key; those of a map
// wait whatever their number.
func TestManyInputsOfAFoldAreOnlyCounted(t *testing.T) {
	s := mustState(t, step("src", false), step("map", true, "src"), step("fold", false, "src"))
	s.maxInputs = 10
	s.Begin("src")
	complete(t, s, pipeline.Task{Step: "src"}, pipeline.Result{Outputs: refs(11)})
	if n := s.index["fold"]; len(n.inputs) != 0 || n.inputCount != 11 || !s.hasManyInputs("fold") || s.index["map"].queue.len() != 11 {
		t.Errorf("%d of %d inputs are held", len(n.inputs), n.inputCount)
	}
	if tasks := s.Next(free(4)); len(tasks) != 1 || tasks[0].Step != "map" {
		t.Errorf("%d tasks, want the map's", len(tasks))
	}
	if steps := s.unlistedSteps(); len(steps) != 1 || steps[0].Name != "fold" {
		t.Fatalf("%d steps are to be listed", len(steps))
	}
	key := pipeline.Key(pipeline.DigestOf([]byte("key")))
	s.setInputs("fold", 11, key)
	task := s.Next(free(1))[0]
	task.Lists = []pipeline.Digest{pipeline.DigestOf(nil)}
	if _, err := s.Complete(task, []pipeline.Result{{Key: key}}); err != nil || s.index["fold"].summary.In != 11 {
		t.Errorf("%+v, %v", s.index["fold"].summary, err)
	}
}

// TestRecordsAreKnownByIDAndDigest in whatever order they come.
func TestRecordsAreKnownByIDAndDigest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var s recordSet
	want := map[string]pipeline.Digest{}
	for i := range 2000 {
		ref := pipeline.Ref{ID: fmt.Sprintf("n%03d", r.IntN(700)), Digest: pipeline.DigestOf(fmt.Append(nil, r.IntN(2)*i))}
		before, there := want[ref.ID]
		known, err := s.add(ref)
		if known != (there && before == ref.Digest) || errors.Is(err, errDuplicate) != (there && before != ref.Digest) {
			t.Fatalf("%v after %s: known %t, %v", ref, before, known, err)
		}
		if !there {
			want[ref.ID] = ref.Digest
		}
	}
	if len(s.digests) != len(want) {
		t.Errorf("%d records, want %d", len(s.digests), len(want))
	}
	if _, err := s.add(pipeline.Ref{ID: "a", Digest: "no digest"}); err == nil {
		t.Error("what is no digest was taken")
	}
}
