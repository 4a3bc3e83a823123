package agentruns_test

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/agentruns"
)

// run is a task whose sessions have these actions.
func run(sessions ...[]string) (out []schemas.Session) {
	for n, actions := range sessions {
		s := schemas.Session{SessionID: schemas.SessionIDOf("a/t", n), TaskID: "a/t", Order: int32(n), Kind: schemas.KindTrajectory}
		for i, a := range actions {
			s.Turns = append(s.Turns, schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, i+1), SessionID: s.SessionID, Order: int32(i + 1), Role: schemas.TurnAgent, Action: a})
		}
		out = append(out, s)
	}
	return out
}

func TestWhatActionsChange(t *testing.T) {
	got := agentruns.Changes(run(
		[]string{"MoveAhead", "PickupObject Apple|+1|+1|+1", "PutObject Apple|+1|+1|+1 SinkBasin|+2|+2|+2"},
		[]string{"SliceObject Apple|+1|+1|+1", "PickupObject Apple|+1|+1|+1|AppleSliced_3", "ToggleObjectOn DeskLamp|+3|+3|+3", "OpenObject Fridge|+4|+4|+4"},
		[]string{"PickupObject Apple|+9|+9|+9", "PutObject Apple|+9|+9|+9", "Sing Apple|+1|+1|+1", ""},
	))
	var said []string
	for _, c := range got {
		said = append(said, c.Turn+" "+c.Subject()+" "+c.Content())
	}
	want := []string{
		"a/t/S00/T002 apple/place The agent holds the apple.",
		"a/t/S00/T003 apple/place The apple was put down at the sink basin.",
		"a/t/S01/T001 apple/form The apple is sliced now.",
		"a/t/S01/T002 slice of apple/place The agent holds the slice of apple.",
		"a/t/S01/T003 desk lamp/switch The desk lamp is on now.",
		"a/t/S01/T004 fridge/door The fridge is open now.",
		"a/t/S02/T001 second apple/place The agent holds the second apple.",
	}
	if !slices.Equal(said, want) {
		t.Errorf("changes are\n%q\nwant\n%q", said, want)
	}
}
