package oracle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// unlearnedStatements are statements in the texts of a turn from which nothing is learned: what an
// assistant says, what an agent sees, thinks and does, and sentences of the other kind in
// what is read.
func unlearnedStatements(turn schemas.Turn) []statement {
	said, fed := turnPatterns(), shownForm()
	if turn.Role == schemas.TurnAssistant {
		said, fed = nil, nil
	}
	out := append(unreadStatements(turn.Text, said), unreadStatements(turn.Feedback, fed)...)
	for _, text := range []string{turn.Observation, turn.Reasoning, turn.Action} {
		out = append(out, unreadStatements(text, nil)...)
	}
	return out
}

// unreadStatements are statements in the sentences of a text that are told in none of the ways in
// which it is read, but in another.
func unreadStatements(text string, ways []pattern) (out []statement) {
	for _, sentence := range sentences(text) {
		if len(readSentences(sentence, ways)) == 0 {
			all := append(readSentences(sentence, shownForm()), readSentences(sentence, turnPatterns())...)
			out = append(out, all[:min(1, len(all))]...)
		}
	}
	return out
}

// CheckUnlearned finds what is said where nobody tells anything, such as by an assistant, and is
// not what then holds: who reads it takes it for true, and no answer goes by it.
func (t *Task) CheckUnlearned() error {
	aspects := map[string]bool{"": true} // of a rule
	for _, one := range t.statements {
		aspects[one.aspect] = true
	}
	for n, s := range t.sessions {
		for i, turn := range s.Turns {
			for _, one := range unlearnedStatements(turn) {
				one.session, one.turn = n, i
				if aspects[one.aspect] && !t.isRepetition(one) {
					return fmt.Errorf("turn %s says where nothing is told that the %s of %s is %s (%s), and that is not what holds then", turn.TurnID, one.aspect, one.thing, one.value, one.kind)
				}
			}
		}
	}
	return nil
}

// isRepetition reports whether a statement only says again what was told up to its turn: the
// value that holds, or a rule that was taught.
func (t *Task) isRepetition(s statement) bool {
	before := t.filter(func(o statement) bool {
		return (o.session < s.session || o.session == s.session && o.turn <= s.turn) && o.subject() == s.subject()
	})
	if s.kind == "tag" || s.kind == "hours" {
		return slices.ContainsFunc(before, func(o statement) bool { return o.kind == s.kind && o.value == s.value && o.also == s.also })
	}
	if !s.changesState() { // it makes nothing true, and may be said again by whoever heard it
		return slices.ContainsFunc(before, func(o statement) bool { return o.kind == s.kind && o.value == s.value })
	}
	before = slices.DeleteFunc(before, func(o statement) bool { return !o.changesState() })
	if len(before) == 0 {
		return false
	}
	last := before[len(before)-1]
	if last.kind == "delete" || s.kind == "delete" {
		return last.kind == s.kind
	}
	return s.value == last.value && s.also == last.also
}

// CheckUntold finds a line that tells an aspect of a thing that nobody is to tell: in a round
// that names the thing, whichever of its lines that is, unless it names something else.
// Of a question that has an answer there is nothing to find.
func (t *Task) CheckUntold(r Result, upto int) error {
	thing, aspect := r.Thing, r.Aspect
	if r.Type != "mb" {
		return nil
	}
	told := regexp.MustCompile(`(?i)(?:^|[.,:;!?] )(?:its |the |their |your |my )?` + regexp.QuoteMeta(aspect) + `(?: is| are| was| reads| will be|:) `)
	for n, s := range t.sessions {
		for i := 0; i < len(s.Turns) && n <= upto; i++ {
			lines := turnLines(s.Turns[i])
			if i+1 < len(s.Turns) && s.Turns[i+1].Role == schemas.TurnAssistant {
				lines = append(lines, turnLines(s.Turns[i+1])...)
			}
			if !slices.ContainsFunc(lines, func(l string) bool { return namesThing(l, thing) }) {
				continue
			}
			for _, l := range lines {
				if told.MatchString(l) && (namesThing(l, thing) || !t.namesAnyThing(l)) {
					return fmt.Errorf("nobody is to tell the %s of %s, and in the round of turn %s stands %q", aspect, thing, s.Turns[i].TurnID, l)
				}
			}
		}
	}
	return nil
}

func namesThing(line, thing string) bool {
	return strings.Contains(line, strings.TrimPrefix(thing, "the "))
}

// namesAnyThing reports whether a line names a thing that the task tells of.
func (t *Task) namesAnyThing(line string) bool {
	return slices.ContainsFunc(t.statements, func(s statement) bool { return s.thing != "" && namesThing(line, s.thing) })
}

// turnLines are the texts of a turn: what is said, seen, thought and done, and captions.
func turnLines(turn schemas.Turn) []string {
	out := []string{turn.Text, turn.Observation, turn.Reasoning, turn.Action, turn.Feedback}
	for _, a := range turn.Attachments {
		out = append(out, a.Caption, a.MinimalCaption, a.TaskAwareCaption)
	}
	return out
}
