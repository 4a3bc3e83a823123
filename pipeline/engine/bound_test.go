package engine

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

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
		if all := q.all(); len(all) != q.len() || len(all) > 0 && (all[0] != want[len(got)] || all[len(all)-1] != want[len(want)-1]) {
			t.Fatalf("%d wait, want those after %d", len(all), len(got))
		}
		got = q.take(got, r.IntN(400))
	}
	got = q.take(got, 1<<20)
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

// TestAStateThatIsNotAllThereIsNotSaved, but one whose inputs only wait is.
func TestAStateThatIsNotAllThereIsNotSaved(t *testing.T) {
	bounded, whole := mustState(t, savedSteps()...), mustState(t, savedSteps()...)
	handed := 0
	bounded.limitMemory(100, func(p spilledPart) error {
		handed += len(p.units)
		return nil
	})
	for _, s := range []*State{bounded, whole} {
		s.Begin("src")
		src := pipeline.Task{Step: "src"}
		complete(t, s, src, answer(t, src)...)
		s.Deliver("src")
	}
	// The fold's inputs are more than the state may know.
	if _, err := bounded.Save(); err == nil || !strings.Contains(err.Error(), "300 of its inputs are with the driver") {
		t.Errorf("%v", err)
	}
	if n := bounded.index["left"]; len(n.pending) != 100 || n.later.len() != 200 || n.waitingCount() != whole.index["left"].waitingCount() {
		t.Errorf("%d and %d wait", len(n.pending), n.later.len())
	}
	w, b := unitWriter{schemas: map[string]uint64{}}, unitWriter{schemas: map[string]uint64{}}
	if err := w.node(whole.index["left"]); err != nil {
		t.Fatal(err)
	}
	if err := b.node(bounded.index["left"]); err != nil || string(b.b) != string(w.b) {
		t.Errorf("a node whose inputs wait is saved otherwise (%v)", err)
	}
	for _, task := range bounded.Next(free(2)) {
		complete(t, bounded, task, answer(t, task)...)
	}
	if handed == 0 || bounded.index["left"].checkComplete() == nil && bounded.index["right"].checkComplete() == nil {
		t.Errorf("%d units are with the driver and their nodes could be saved", handed)
	}
}

// TestABuildEndsThatCannotPutAside: what was handed over is not held any more.
func TestABuildEndsThatCannotPutAside(t *testing.T) {
	s, full := mustState(t, savedSteps()...), errors.New("no space left on device")
	s.limitMemory(10, func(spilledPart) error { return full })
	s.Begin("src")
	src := pipeline.Task{Step: "src"}
	complete(t, s, src, answer(t, src)...)
	var err error
	for range 2 { // and it stays so
		task := s.Next(free(1))[0]
		if _, err = s.Complete(task, answer(t, task)); !errors.Is(err, full) {
			t.Errorf("%v", err)
		}
	}
}
