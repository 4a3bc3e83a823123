package agent_test

import (
	"testing"

	"github.com/memforge/memforge/stages/lifelong/simulate/agent"
)

// TestTransitions carries actions out one after the other: what is legal changes the
// state, what is not says why and changes nothing.
func TestTransitions(t *testing.T) {
	mug, vase := "the Amber mug", "the Cobalt vase"
	s := agent.NewState("household", []string{mug, vase})
	for i, c := range []struct {
		do      agent.Action
		failure string
		holds   string
	}{
		{agent.Action{Verb: agent.Set, Thing: "the Jade spoon", Aspect: "keeper", Value: "Ada Dorn"}, agent.Unknown, ""},
		{agent.Action{Verb: agent.Set, Thing: mug, Aspect: "keeper", Value: "Ada Dorn"}, agent.NotInView, ""},
		{agent.Action{Verb: agent.Open, Thing: mug}, "", ""},
		{agent.Action{Verb: agent.Set, Thing: mug, Aspect: "resting place", Value: "upper shelf"}, agent.NotHeld, ""},
		{agent.Action{Verb: agent.Take, Thing: mug}, "", ""},
		{agent.Action{Verb: agent.Open, Thing: vase}, "", ""},
		{agent.Action{Verb: agent.Take, Thing: vase}, agent.HandsFull, ""},
		{agent.Action{Verb: agent.PutBack, Thing: vase}, agent.NotHeld, ""},
		{agent.Action{Verb: agent.Open, Thing: mug}, "", ""},
		{agent.Action{Verb: agent.Set, Thing: mug, Aspect: "resting place", Value: "upper shelf"}, "", "upper shelf"},
		{agent.Action{Verb: agent.Clear, Thing: mug, Aspect: "resting place"}, agent.NotHeld, "upper shelf"},
		{agent.Action{Verb: agent.Join, Thing: mug, Aspect: "keeper", Value: "Ada Dorn"}, agent.Empty, ""},
		{agent.Action{Verb: agent.Set, Thing: mug, Aspect: "keeper", Value: "Ada Dorn"}, "", "Ada Dorn"},
		{agent.Action{Verb: agent.Share, Thing: mug, Aspect: "keeper", Value: "Ugo Abel", Also: "Zoe Fenn"}, "", "Ugo Abel and Zoe Fenn"},
		{agent.Action{Verb: agent.Join, Thing: mug, Aspect: "keeper", Value: "Zoe Fenn"}, "", "Zoe Fenn"},
		{agent.Action{Verb: agent.Clear, Thing: mug, Aspect: "keeper"}, "", ""},
	} {
		if got := s.Do(c.do); got.Failure != c.failure {
			t.Errorf("action %d, %+v: fails with %q, want %q", i, c.do, got.Failure, c.failure)
		}
		if got := s.Holds(c.do.Thing, c.do.Aspect); got != c.holds {
			t.Errorf("action %d, %+v: then %q holds, want %q", i, c.do, got, c.holds)
		}
	}
}
