package pipeline

import (
	"fmt"
	"strings"
	"testing"
)

func step(name string, each bool, from ...string) Step {
	kind := KindStage
	if len(from) == 0 {
		kind = KindSource
	}
	return Step{
		Node:     Node{Name: name, Kind: kind, Use: name, Version: "1", Config: RawConfig(`{}`), From: from},
		Spec:     Spec{Accepts: []string{"x"}, Emits: []string{"x"}, Resource: CPU},
		Identity: Identity{Kind: kind, Use: name, Version: "1", Config: RawConfig(`{}`)},
		Each:     each,
	}
}

func refs(n int) []Ref {
	out := make([]Ref, n)
	for i := range out {
		id := fmt.Sprintf("r%05d", i)
		out[i] = Ref{ID: id, Schema: "x", Digest: DigestOf([]byte(id))}
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

func complete(t *testing.T, s *State, task Task, results ...Result) []string {
	t.Helper()
	done, err := s.Complete(task, results)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func free(n int) map[Resource]int { return map[Resource]int{CPU: n, FFmpeg: n} }

func TestMapsGetBatchesAndFoldsWait(t *testing.T) {
	s := mustState(t, step("src", false), step("map", true, "src"), step("fold", false, "map"))
	s.Begin("src")
	if got := s.Next(free(4)); len(got) != 0 {
		t.Fatalf("%d tasks before the source has read anything", len(got))
	}
	const count = minBatch + 10
	complete(t, s, Task{Node: "src"}, Result{Outputs: refs(count)})
	tasks := s.Next(free(4))
	if len(tasks) != 2 || len(tasks[0].Inputs) != minBatch || len(tasks[1].Inputs) != 10 {
		t.Fatalf("want batches of %d and 10, have %d tasks", minBatch, len(tasks))
	}
	pass := func(task Task) []Result {
		var rs []Result
		for _, in := range task.Inputs {
			rs = append(rs, Result{Outputs: []Ref{in}})
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
	if done := complete(t, s, fold[0], Result{}); len(done) != 1 || !s.Done() {
		t.Fatalf("done %v, want the fold and the build complete", done)
	}
}

func TestBatchesGrowWithWhatWaits(t *testing.T) {
	s := mustState(t, step("src", false), step("map", true, "src"))
	s.Begin("src")
	complete(t, s, Task{Node: "src"}, Result{Outputs: refs(batchShare * (maxBatch + 100))})
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
		ask.Spec.Resource, ask.Instant = Model, tc.instant
		s := mustState(t, step("src", false), ask)
		s.Begin("src")
		complete(t, s, Task{Node: "src"}, Result{Outputs: refs(tc.waiting)})
		if first := s.Next(map[Resource]int{Model: 1})[0]; len(first.Inputs) != tc.want {
			t.Errorf("instant %t, %d waiting: a batch of %d, want %d", tc.instant, tc.waiting, len(first.Inputs), tc.want)
		}
	}
}

func TestAFoldOverNothingStillRuns(t *testing.T) {
	s := mustState(t, step("src", false), step("map", true, "src"), step("fold", false, "map"))
	s.Begin("src")
	done := complete(t, s, Task{Node: "src"}, Result{})
	if strings.Join(done, " ") != "src map" {
		t.Fatalf("complete: %v, want src and map", done)
	}
	if tasks := s.Next(free(1)); len(tasks) != 1 || tasks[0].Node != "fold" {
		t.Fatalf("tasks %v, want the fold", tasks)
	}
}

func TestTwoRecordsWithOneIDAreAnError(t *testing.T) {
	s := mustState(t, step("src", false), step("map", true, "src"))
	s.Begin("src")
	complete(t, s, Task{Node: "src"}, Result{Outputs: refs(2)})
	task := s.Next(free(1))[0]
	a := Ref{ID: "same", Schema: "x", Digest: DigestOf([]byte("a"))}
	b := Ref{ID: "same", Schema: "x", Digest: DigestOf([]byte("b"))}
	_, err := s.Complete(task, []Result{{Outputs: []Ref{a}}, {Outputs: []Ref{b}}})
	if err == nil || !strings.Contains(err.Error(), "same") {
		t.Fatalf("err %v, want one that names the id", err)
	}
}

func TestRecordsOfOtherSchemasPassBy(t *testing.T) {
	s := mustState(t, step("src", false), step("map", true, "src"))
	s.Begin("src")
	other := Ref{ID: "o", Schema: "other", Digest: DigestOf([]byte("o"))}
	complete(t, s, Task{Node: "src"}, Result{Outputs: []Ref{other}})
	if tasks := s.Next(free(1)); len(tasks) != 0 || !s.Done() {
		t.Fatalf("tasks %v, want none and the build complete", tasks)
	}
}

func TestSummaryDoesNotDependOnTheOrderOfCompletion(t *testing.T) {
	outputs := func(reverse bool) Summary {
		s := mustState(t, step("src", false), step("map", true, "src"))
		s.Begin("src")
		complete(t, s, Task{Node: "src"}, Result{Outputs: refs(2 * minBatch)})
		tasks := s.Next(free(2))
		if reverse {
			tasks[0], tasks[1] = tasks[1], tasks[0]
		}
		for _, task := range tasks {
			var rs []Result
			for _, in := range task.Inputs {
				rs = append(rs, Result{Key: Key(in.ID), Outputs: []Ref{in}, Rejections: []Rejection{{ID: in.ID, Code: "c"}}})
			}
			complete(t, s, task, rs...)
		}
		return s.Take("map").Summary
	}
	a, b := outputs(false), outputs(true)
	if a.Outputs != b.Outputs || a.Lost != 2*minBatch || a.Reasons["c"] != 2*minBatch {
		t.Fatalf("summaries %+v and %+v", a, b)
	}
}
