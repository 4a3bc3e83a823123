package oracle

import "github.com/memforge/memforge/schemas"

// Answers where something held and nothing took its place, to who and to what it is.
const (
	nobody = "Nobody any more"
	none   = "None any more"
)

// heldValue is what a statement makes hold, as pictures write it.
func (s statement) heldValue() string {
	if s.also != "" {
		return s.value + " and " + s.also
	}
	return s.value
}

// history is what tells what holds at the end of a chain: all that held before, what holds
// now, and the latest later picture that shows it again.
func (t *Task) history(c []statement, upto int) []Ref {
	var out []Ref
	for _, before := range c[:len(c)-1] {
		out = append(out, before.ref(schemas.RoleSuperseded))
	}
	last := c[len(c)-1]
	if len(c) > 1 {
		out = append(out, last.ref(schemas.RoleUpdate))
	} else {
		out = append(out, last.ref(schemas.RoleClue))
	}
	if last.kind == "delete" {
		return out
	}
	if again := t.picturesShowing(last.subject(), last.heldValue(), upto); len(again) > 0 {
		p := again[len(again)-1]
		if p.session > last.session || p.session == last.session && p.turn > last.turn {
			out = append(out, p.ref(schemas.RoleClue))
		}
	}
	return out
}

// picturesShowing are the pictures up to a session that show a value of a subject.
func (t *Task) picturesShowing(subject, value string, upto int) []statement {
	var out []statement
	for _, p := range t.pictures {
		if p.session <= upto && p.value == value && p.subject() == subject {
			out = append(out, p)
		}
	}
	return out
}
