package lifelong_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// sight is what an agent has seen come of its steps: what is in front, and in its gripper.
type sight struct{ front, hand string }

// outcomes are the feedbacks that change what is in front or in the gripper.
var outcomes = []struct {
	said *regexp.Regexp
	then func(s *sight, thing string)
}{
	{regexp.MustCompile(`^The (.+) (?:is open now|comes to the front|is within reach)\.$`), func(s *sight, thing string) { s.front = thing }},
	{regexp.MustCompile(`^I stand in front of the (.+)\.$`), func(s *sight, thing string) { s.front = thing }},
	{regexp.MustCompile(`^The (.+) is in the gripper\.$`), func(s *sight, thing string) { s.hand = thing }},
	{regexp.MustCompile(`^The gripper has hold of the (.+)\.$`), func(s *sight, thing string) { s.hand = thing }},
	{regexp.MustCompile(`^The (.+) is back where it was\.$`), func(s *sight, _ string) { s.hand = "nothing" }},
}

// after is what is seen after a step. What is put somewhere is in the gripper no longer.
func (s sight) after(turn schemas.Turn) (next sight, changed bool) {
	next = s
	if strings.HasPrefix(turn.Action, "PUT ") && !strings.HasPrefix(turn.Feedback, "Failed") {
		next.hand = "nothing"
	}
	for _, o := range outcomes {
		if m := o.said.FindStringSubmatch(turn.Feedback); m != nil {
			o.then(&next, m[1])
		}
	}
	return next, next != s
}

// TestObservationsFollowTheState reads the steps of many runs: an observation names the
// thing that the last successful move of its session put in front and no other one, and the
// gripper has what it took up and put nowhere since.
func TestObservationsFollowTheState(t *testing.T) {
	t.Parallel()
	observed := regexp.MustCompile(`^(.+?)(?:(?:; my gripper holds|\. In the gripper:) (?:the )?(.+))?\.$`)
	steps, changes := 0, 0
	for _, k := range manyTasks(t) {
		for _, s := range k.all[1:] {
			state := sight{hand: "nothing"}
			for _, turn := range s.Turns {
				if turn.Role != schemas.TurnAgent {
					continue
				}
				steps++
				saw := observed.FindStringSubmatch(turn.Observation)
				for _, thing := range k.life.World.Things {
					if name := strings.TrimPrefix(thing, "the "); strings.Contains(saw[1], name) != (name == state.front) {
						t.Errorf("%s sees %q; in front is %q", turn.TurnID, turn.Observation, state.front)
					}
				}
				if saw[2] != "" && saw[2] != state.hand {
					t.Errorf("%s sees %q; the gripper has %q", turn.TurnID, turn.Observation, state.hand)
				}
				changed := false
				if state, changed = state.after(turn); changed {
					changes++
				}
			}
		}
	}
	t.Logf("%d steps, %d change what is in front or in the gripper", steps, changes)
	if steps < 2000 || changes < 500 {
		t.Errorf("%d steps, %d change what is in front or in the gripper", steps, changes)
	}
}

// TestUsersSpeakOfThemselves: nobody names oneself, in a life or to an agent, and says "my"
// of what is one's own.
func TestUsersSpeakOfThemselves(t *testing.T) {
	t.Parallel()
	own := map[string]int{}
	for _, k := range manyTasks(t) {
		for _, s := range k.all[1:] {
			for _, turn := range s.Turns {
				if turn.Role != schemas.TurnUser {
					continue
				}
				if strings.Contains(turn.Text, " of "+k.life.World.Person) {
					t.Errorf("%s, of %s: %q", turn.TurnID, k.life.World.Person, turn.Text)
				}
				if regexp.MustCompile(`\b[Mm]y (?:home city|closest colleague|usual desk|employer)\b`).MatchString(turn.Text) {
					own[s.Kind]++
				}
			}
		}
	}
	if own[schemas.KindDialogue] < 3 || own[schemas.KindTrajectory] < 3 {
		t.Errorf("users speak of themselves so often: %v", own)
	}
}
