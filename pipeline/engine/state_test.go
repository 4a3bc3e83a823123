package engine

import (
	"errors"
	"fmt"
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
		PlanStep: PlanStep{Name: name, Kind: kind, Use: name, Version: "1", Config: pipeline.RawConfig(`{}`), From: from},
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
	keys, err := task.Keys()
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
	outputs := func(reverse bool) Summary {
		s := mustState(t, step("src", false), step("map", true, "src"))
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
		return s.Deliver("map").Summary
	}
	a, b := outputs(false), outputs(true)
	if a.Outputs != b.Outputs || a.Lost != 2*minBatch || a.Reasons["c"] != 2*minBatch {
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
