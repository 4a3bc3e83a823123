package simulate_test

import (
	"testing"

	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// TestTransitions carries actions out one after the other: what is legal changes the
// state, what is not says why and changes nothing.
func TestTransitions(t *testing.T) {
	mug, vase := "the Amber mug", "the Cobalt vase"
	s := simulate.NewState("household", []string{mug, vase})
	for i, c := range []struct {
		do      simulate.Action
		failure string
		holds   string
	}{
		{simulate.Action{Verb: simulate.Set, Thing: "the Jade spoon", Aspect: "keeper", Value: "Ada Dorn"}, simulate.Unknown, ""},
		{simulate.Action{Verb: simulate.Set, Thing: mug, Aspect: "keeper", Value: "Ada Dorn"}, simulate.NotInView, ""},
		{simulate.Action{Verb: simulate.Open, Thing: mug}, "", ""},
		{simulate.Action{Verb: simulate.Set, Thing: mug, Aspect: "resting place", Value: "upper shelf"}, simulate.NotHeld, ""},
		{simulate.Action{Verb: simulate.Take, Thing: mug}, "", ""},
		{simulate.Action{Verb: simulate.Open, Thing: vase}, "", ""},
		{simulate.Action{Verb: simulate.Take, Thing: vase}, simulate.HandsFull, ""},
		{simulate.Action{Verb: simulate.PutBack, Thing: vase}, simulate.NotHeld, ""},
		{simulate.Action{Verb: simulate.Open, Thing: mug}, "", ""},
		{simulate.Action{Verb: simulate.Set, Thing: mug, Aspect: "resting place", Value: "upper shelf"}, "", "upper shelf"},
		{simulate.Action{Verb: simulate.Clear, Thing: mug, Aspect: "resting place"}, simulate.NotHeld, "upper shelf"},
		{simulate.Action{Verb: simulate.Join, Thing: mug, Aspect: "keeper", Value: "Ada Dorn"}, simulate.Empty, ""},
		{simulate.Action{Verb: simulate.Set, Thing: mug, Aspect: "keeper", Value: "Ada Dorn"}, "", "Ada Dorn"},
		{simulate.Action{Verb: simulate.Share, Thing: mug, Aspect: "keeper", Value: "Ugo Abel", Also: "Zoe Fenn"}, "", "Ugo Abel and Zoe Fenn"},
		{simulate.Action{Verb: simulate.Join, Thing: mug, Aspect: "keeper", Value: "Zoe Fenn"}, "", "Zoe Fenn"},
		{simulate.Action{Verb: simulate.Clear, Thing: mug, Aspect: "keeper"}, "", ""},
	} {
		if got := s.Do(c.do); got.Failure != c.failure {
			t.Errorf("action %d, %+v: fails with %q, want %q", i, c.do, got.Failure, c.failure)
		}
		if got := s.Holds(c.do.Thing, c.do.Aspect); got != c.holds {
			t.Errorf("action %d, %+v: then %q holds, want %q", i, c.do, got, c.holds)
		}
	}
}
