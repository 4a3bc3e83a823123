package agentoracle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/agentruns"
	"github.com/memforge/memforge/stages/lifelong/oracle/agentoracle"
)

// FuzzFacts makes actions of any bytes, and of words that actions consist of: whatever
// they are, a fact names a step of the run, and of known words the stage says the same.
func FuzzFacts(f *testing.F) {
	verbs := []string{"PickupObject", "PutObject", "SliceObject", "ToggleObjectOn", "ToggleObjectOff", "OpenObject", "CloseObject", "MoveAhead"}
	things := []string{"Mug|1", "Mug|2", "Mug|3", "Mug|4", "DeskLamp|+0.1|-2", "Apple|1|2|AppleSliced_3", "Apple|1|2", "fridge", "|1|2", "Pear|1|Sliced_2"}
	f.Add([]byte{0, 1, 9, 1, 1, 2, 5, 4, 0}, "PutObject Mug|1 Desk|1")
	f.Add([]byte{1, 5, 3, 0, 0, 0}, " OpenObject  X\nY")
	f.Add([]byte{1, 0, 8, 3, 8, 0, 1, 8, 0}, "PutObject Mug |+1")
	f.Fuzz(func(t *testing.T, picks []byte, raw string) {
		s := schemas.Session{SessionID: "a/t/S00", TaskID: "a/t"}
		for i := 0; i+2 < len(picks); i += 3 {
			words := []string{verbs[int(picks[i])%len(verbs)], things[int(picks[i+1])%len(things)], things[int(picks[i+2])%len(things)]}
			s.Turns = append(s.Turns, schemas.Turn{TurnID: fmt.Sprint(i), Action: strings.Join(words[:2+int(picks[i+2])%2], " ")})
		}
		all := []schemas.Session{s}
		var facts, changes []string
		for _, x := range agentoracle.Facts(all, 0) {
			facts = append(facts, fmt.Sprint(x.Turn, " ", x.Subject(), " ", x.Value))
		}
		for _, c := range agentruns.Changes(all) {
			changes = append(changes, fmt.Sprint(c.Turn, " ", c.Subject(), " ", c.Value))
		}
		if strings.Join(facts, "\n") != strings.Join(changes, "\n") {
			t.Errorf("the replay has\n%s\nand the stage\n%s", strings.Join(facts, "\n"), strings.Join(changes, "\n"))
		}
		s.Turns = []schemas.Turn{{TurnID: "one", Action: raw}}
		for _, x := range agentoracle.Facts([]schemas.Session{s}, 0) {
			if x.Turn != "one" || x.Thing == "" || x.Value == "" {
				t.Errorf("%q gives %+v", raw, x)
			}
		}
	})
}

// TestWhatCannotBeAsked wants questions without an answer to say so.
func TestWhatCannotBeAsked(t *testing.T) {
	run := []schemas.Session{{Turns: []schemas.Turn{{TurnID: "1", Action: "PickupObject Mug|1"}}}, {Order: 1, Turns: []schemas.Turn{{TurnID: "2", Action: "PutObject Mug|1 Desk|1"}}}}
	if m, err := agentoracle.Moves("Where was the mug when the run was over?", run, 1); err != nil || len(m) != 2 || m[1].Value != "desk" {
		t.Errorf("moves %+v, %v", m, err)
	}
	for _, q := range []string{"Where is the mug?", "Where was the pen when the run was over?"} {
		if _, err := agentoracle.Moves(q, run, 1); err == nil {
			t.Errorf("%q has an answer", q)
		}
	}
	if _, err := agentoracle.Moves("Where was the mug when the run was over?", run, 0); err == nil {
		t.Error("what is in the agent's hand has a place")
	}
}
