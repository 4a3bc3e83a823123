package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// deeds are the actions that change something, in parts: A attribute, T thing without its
// article, V value, W a second one.
var deeds = compiled(
	`TYPE "(?P<V>.+)" into "(?P<A>.+)"; SAVE`, `SELECT "(?P<A>.+)"; DELETE; SAVE`, `SPLIT "(?P<A>.+)" into "(?P<V>.+)" \| "(?P<W>.+)"; SAVE`, `MERGE "(?P<A>.+)" into "(?P<V>.+)"; SAVE`,
	`WRITE (?P<A>.+) of (?P<T>.+?) : (?P<V>.+) \| (?P<W>.+)`, `WRITE (?P<A>.+) of (?P<T>.+?) : (?P<V>.+)`, `WIPE (?P<A>.+) of (?P<T>.+)`, `PUT (?P<T>.+?) : where there is room`, `PUT (?P<T>.+?) : (?P<V>.+)`,
)

// fronts are the answers by which a thing comes in front of an agent.
var fronts = compiled(`(?P<T>the .+) (?:is open now|comes to the front|is within reach)\.`, `I stand in front of (?P<T>the .+)\.`)

func compiled(ways ...string) (out []*regexp.Regexp) {
	for _, w := range ways {
		out = append(out, regexp.MustCompile("^(?i:"+w+")$"))
	}
	return out
}

// toldBy reads a text in the first of some ways that fits; nil where none does.
func toldBy(ways []*regexp.Regexp, text string) map[string]string {
	for _, w := range ways {
		if m := w.FindStringSubmatch(text); m != nil {
			return named(w, m)
		}
	}
	return nil
}

// Acted finds a step of an agent whose parts contradict each other: an action that does
// something else than what its answer says, or on another thing, a look at another thing
// than the one in front, and another number of changes than were saved.
func (t *Task) Acted() error {
	things := map[string]bool{}
	for _, s := range t.statements {
		if title, of := strings.CutPrefix(s.thing, "the "); of {
			things[title] = true
		}
	}
	for n, s := range t.sessions {
		front, saved := "", 0
		for i, turn := range s.Turns {
			if turn.Role != schemas.TurnAgent {
				continue
			}
			step := deed{turn: turn, done: t.filter(func(o statement) bool {
				return o.session == n && o.turn == i && !o.seen && (o.real() || o.kind == "plan")
			}), things: things}
			if err := step.holds(front, saved); err != nil {
				return fmt.Errorf("turn %s: %w", turn.TurnID, err)
			}
			if of := toldBy(fronts, turn.Feedback); of != nil {
				front = strings.TrimPrefix(strings.ToLower(of["T"][:1])+of["T"][1:], "the ")
			}
			if len(step.done) > 0 && step.done[0].real() {
				saved++
			}
		}
	}
	return nil
}

// deed is a step of an agent, what it told, and all things by their titles.
type deed struct {
	turn   schemas.Turn
	done   []statement
	things map[string]bool
}

// savedChanges are how many changes a look says that were saved.
var savedChanges = regexp.MustCompile(`(?:log has|after) (no|one|\d+) changes?\b`)

// full is what an agent hears that takes up a thing and has another one in its gripper.
var full = regexp.MustCompile(`^Failed: the gripper holds .+ already\.$`)

func (d deed) holds(front string, saved int) error {
	did := toldBy(deeds, d.turn.Action)
	switch {
	case len(d.done) > 0 && did == nil:
		return fmt.Errorf("the action %q changes nothing, and is answered by %q", d.turn.Action, d.turn.Feedback)
	case len(d.done) > 0:
		told := d.done[0]
		for part, want := range map[string]string{"A": told.aspect, "T": strings.TrimPrefix(told.thing, "the "), "V": told.value, "W": told.also} {
			if got, says := did[part]; says && got != want && !strings.EqualFold(got, want) {
				return fmt.Errorf("the action %q is of %q, and what it is answered is of %q", d.turn.Action, got, want)
			}
		}
	}
	if err := d.onThing(front); err != nil {
		return err
	}
	if m := savedChanges.FindStringSubmatch(strings.ToLower(d.turn.Observation)); m != nil && m[1] != strconv.Itoa(saved) && (m[1] != "no" || saved != 0) && (m[1] != "one" || saved != 1) {
		return fmt.Errorf("%q tells of %s changes, and %d were saved", d.turn.Observation, m[1], saved)
	}
	return nil
}

// onThing wants a step to be about one thing, and a look to be at what is in front.
func (d deed) onThing(front string) error {
	acted, answered := d.in(d.turn.Action), d.in(full.ReplaceAllString(d.turn.Feedback, ""))
	for _, thing := range acted {
		if len(answered) > 0 && !slices.Contains(answered, thing) {
			return fmt.Errorf("the action %q is on the %s, and the answer %q speaks of another thing", d.turn.Action, thing, d.turn.Feedback)
		}
	}
	seen := d.in(d.turn.Observation)
	if front != "" && len(seen) > 0 && !slices.Contains(seen, front) {
		return fmt.Errorf("%q looks at another thing than the %s, which is in front", d.turn.Observation, front)
	}
	for _, thing := range d.in(d.turn.Reasoning) {
		if !slices.Contains(slices.Concat(acted, answered, seen), thing) {
			return fmt.Errorf("%q thinks of the %s, and what is seen, done and answered is of other things", d.turn.Reasoning, thing)
		}
	}
	return nil
}

// in are the things that a text names.
func (d deed) in(text string) (out []string) {
	for thing := range d.things {
		if strings.Contains(text, thing) {
			out = append(out, thing)
		}
	}
	return out
}
