package oracle

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// checkQuestionWords wants a question to ask as one asks for its attribute: who somebody is, how many
// there are of several, else what something is; and of runs not what a user brought up.
func (t *Task) checkQuestionWords(question string, of map[string]string) error {
	asked := of["B"]
	if asked == "" {
		asked = of["A"]
	}
	if asked == "" {
		return nil
	}
	want := []string{"what is "}
	switch {
	case isPlural(asked):
		want = []string{"how many ", " that the " + asked + " of " + of["T"] + " are ", " what has " + of["V"] + " " + asked + "?"}
	case slices.Contains(t.aspectForms(asked), person):
		want = []string{"who is "}
	}
	low := strings.ToLower(question)
	for _, way := range []string{"who is ", "how many ", "what is ", " that the " + asked + " of " + of["T"] + " are ", " what has " + of["V"] + " " + asked + "?"} {
		if way = strings.ToLower(way); strings.Contains(low, way) && !slices.ContainsFunc(want, func(w string) bool { return strings.ToLower(w) == way }) {
			return fmt.Errorf("%q asks %q for the %s; want %q", question, way, asked, want)
		}
	}
	if isPlural(asked) && (strings.Contains(low, " as its ") || strings.Contains(low, "bring up") && !strings.Contains(low, " are ")) {
		return fmt.Errorf("%q asks for %s, of which there are several, as for one", question, asked)
	}
	if run := t.hasAgent(); run == strings.Contains(question, "the user first bring up") && strings.HasPrefix(question, "On which day") {
		return fmt.Errorf("%q asks when something came up; that it is asked of a run of an agent is %t", question, run)
	}
	return nil
}

// isPlural reports an attribute of several, such as "filled cells" and "hours of work".
func isPlural(aspect string) bool {
	noun, _, _ := strings.Cut(aspect, " in ")
	noun, _, _ = strings.Cut(noun, " of ")
	return strings.HasSuffix(noun, "s") && !strings.HasSuffix(noun, "ss")
}

// hasAgent reports whether an agent acts in the task.
func (t *Task) hasAgent() bool {
	return slices.ContainsFunc(t.sessions, func(s schemas.Session) bool {
		return slices.ContainsFunc(s.Turns, func(turn schemas.Turn) bool { return turn.Role == schemas.TurnAgent })
	})
}
