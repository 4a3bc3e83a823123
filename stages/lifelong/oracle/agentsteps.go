package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// stepForms are the actions that change something, in parts: A attribute, T thing without its
// article, V value, W a second one.
var stepForms = compileAll(
	`TYPE "(?P<V>.+)" into "(?P<A>.+)"; SAVE`, `SELECT "(?P<A>.+)"; DELETE; SAVE`, `SPLIT "(?P<A>.+)" into "(?P<V>.+)" \| "(?P<W>.+)"; SAVE`, `MERGE "(?P<A>.+)" into "(?P<V>.+)"; SAVE`,
	`WRITE (?P<A>.+) of (?P<T>.+?) : (?P<V>.+) \| (?P<W>.+)`, `WRITE (?P<A>.+) of (?P<T>.+?) : (?P<V>.+)`, `WIPE (?P<A>.+) of (?P<T>.+)`, `PUT (?P<T>.+?) : where there is room`, `PUT (?P<T>.+?) : (?P<V>.+)`,
)

// frontForms are the answers by which a thing comes in front of an agent.
var frontForms = compileAll(`(?P<T>the .+) (?:is open now|comes to the front|is within reach)\.`, `I stand in front of (?P<T>the .+)\.`)

func compileAll(ways ...string) (out []*regexp.Regexp) {
	for _, w := range ways {
		out = append(out, regexp.MustCompile("^(?i:"+w+")$"))
	}
	return out
}

// firstMatch reads a text in the first of some ways that fits; nil where none does.
func firstMatch(ways []*regexp.Regexp, text string) map[string]string {
	for _, w := range ways {
		if m := w.FindStringSubmatch(text); m != nil {
			return namedGroups(w, m)
		}
	}
	return nil
}

// CheckAgentSteps finds a step of an agent whose parts contradict each other: an action that does
// something else than what its answer says, or on another thing, a look at another thing
// than the one in front, and another number of changes than were saved.
func (t *Task) CheckAgentSteps() error {
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
			step := agentStep{turn: turn, statements: t.filter(func(o statement) bool {
				return o.session == n && o.turn == i && !o.shownBefore && (o.changesState() || o.kind == "plan")
			}), things: things}
			if err := step.check(front, saved); err != nil {
				return fmt.Errorf("turn %s: %w", turn.TurnID, err)
			}
			if of := firstMatch(frontForms, turn.Feedback); of != nil {
				front = strings.TrimPrefix(strings.ToLower(of["T"][:1])+of["T"][1:], "the ")
			}
			if len(step.statements) > 0 && step.statements[0].changesState() {
				saved++
			}
		}
	}
	return nil
}

// agentStep is a step of an agent, what it told, and all things by their titles.
type agentStep struct {
	turn       schemas.Turn
	statements []statement
	things     map[string]bool
}

// savedChanges are how many changes a look says that were saved.
var savedChanges = regexp.MustCompile(`(?:log has|after) (no|one|\d+) changes?\b`)

// full is what an agent hears that takes up a thing and has another one in its gripper.
var full = regexp.MustCompile(`^Failed: the gripper holds .+ already\.$`)

func (d agentStep) check(front string, saved int) error {
	did := firstMatch(stepForms, d.turn.Action)
	switch {
	case len(d.statements) > 0 && did == nil:
		return fmt.Errorf("the action %q changes nothing, and is answered by %q", d.turn.Action, d.turn.Feedback)
	case len(d.statements) > 0:
		told := d.statements[0]
		for part, want := range map[string]string{"A": told.aspect, "T": strings.TrimPrefix(told.thing, "the "), "V": told.value, "W": told.also} {
			if got, says := did[part]; says && got != want && !strings.EqualFold(got, want) {
				return fmt.Errorf("the action %q is of %q, and what it is answered is of %q", d.turn.Action, got, want)
			}
		}
	}
	if err := d.checkThing(front); err != nil {
		return err
	}
	if m := savedChanges.FindStringSubmatch(strings.ToLower(d.turn.Observation)); m != nil && m[1] != strconv.Itoa(saved) && (m[1] != "no" || saved != 0) && (m[1] != "one" || saved != 1) {
		return fmt.Errorf("%q tells of %s changes, and %d were saved", d.turn.Observation, m[1], saved)
	}
	return nil
}

// checkThing wants a step to be about one thing, and a look to be at what is in front.
func (d agentStep) checkThing(front string) error {
	acted, answered := d.thingsNamed(d.turn.Action), d.thingsNamed(full.ReplaceAllString(d.turn.Feedback, ""))
	for _, thing := range acted {
		if len(answered) > 0 && !slices.Contains(answered, thing) {
			return fmt.Errorf("the action %q is on the %s, and the answer %q speaks of another thing", d.turn.Action, thing, d.turn.Feedback)
		}
	}
	seen := d.thingsNamed(d.turn.Observation)
	if front != "" && len(seen) > 0 && !slices.Contains(seen, front) {
		return fmt.Errorf("%q looks at another thing than the %s, which is in front", d.turn.Observation, front)
	}
	for _, thing := range d.thingsNamed(d.turn.Reasoning) {
		if !slices.Contains(slices.Concat(acted, answered, seen), thing) {
			return fmt.Errorf("%q thinks of the %s, and what is seen, done and answered is of other things", d.turn.Reasoning, thing)
		}
	}
	return nil
}

// thingsNamed are the things that a text names.
func (d agentStep) thingsNamed(text string) (out []string) {
	for thing := range d.things {
		if strings.Contains(text, thing) {
			out = append(out, thing)
		}
	}
	return out
}
