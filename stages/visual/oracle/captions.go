package oracle

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// captionPhrases has the phrase of a caption for each aspect: {name} is the thing, {v}
// the value; {be} and {have} agree with it.
func captionPhrases() map[string]string {
	return map[string]string{
		"activity": "at {name}, {v}", "setting": "{name} {be} in {v}", "weather": "the weather at {name}: {v}",
		"place": "{name} {be} {v}", "beside": "{name} {be} right beside {v}", "which": "the {class} {prep} {name} is {v}",
		"colour": "{name} {be} {v}", "pattern": "{name} {have} the pattern {v}", "text": "on {name} is written: {v}",
		"count": "there are {v} {class} {prep} {name}",
	}
}

// coarseAspects are the aspects in dense captions, whose author does not know the
// questions.
const coarseAspects = " activity setting weather place beside "

// matchesCaption reports whether a caption says what the picture shows, with exactly
// the aspects that tells admits. The aspects of a thing may be in any order.
func (p Picture) matchesCaption(caption string, tells func(aspect string) bool) bool {
	rest, ok := strings.CutPrefix(caption, toSentence(p.Minimal))
	for _, th := range p.Things {
		var clauses []string
		for _, a := range slices.Sorted(maps.Keys(th.Tells)) {
			if tells(a) {
				clauses = append(clauses, th.clause(a))
			}
		}
		if len(clauses) == 0 {
			clauses = []string{th.Name + " can be seen"}
		}
		if ok {
			rest, ok = cutSentence(rest, " ", clauses)
		}
	}
	for _, name := range p.Absent {
		if ok {
			rest, ok = strings.CutPrefix(rest, " "+toSentence(name+" cannot be seen"))
		}
	}
	return ok && rest == ""
}

func (th Thing) clause(aspect string) string {
	be, have := "is", "has"
	if th.Plural {
		be, have = "are", "have"
	}
	return strings.NewReplacer("{name}", th.Name, "{v}", th.Tells[aspect], "{be}", be, "{have}", have, "{class}", th.Class, "{prep}", th.Prep).Replace(captionPhrases()[aspect])
}

// cutSentence cuts a sentence of these clauses, in any order, off a text.
func cutSentence(text, before string, clauses []string) (rest string, ok bool) {
	if len(clauses) == 0 {
		return strings.CutPrefix(text, ".")
	}
	for i, c := range clauses {
		if before == " " {
			c = strings.TrimSuffix(toSentence(c), ".")
		}
		if rest, ok := strings.CutPrefix(text, before+c); ok {
			if rest, ok = cutSentence(rest, ", and ", slices.Concat(clauses[:i], clauses[i+1:])); ok {
				return rest, true
			}
		}
	}
	return text, false
}

func toSentence(words string) string {
	if words == "" {
		return "."
	}
	return strings.ToUpper(words[:1]) + words[1:] + "."
}

// CheckCaptions checks the conversation: dates in order, rounds of two turns, and
// captions that say what the pictures show.
func (t *Conversation) CheckCaptions() error {
	for _, s := range t.pictures {
		turn := s.round[0].TurnID
		switch a := s.attachment; {
		case a.MinimalCaption != s.Minimal || a.Type != s.Kind:
			return fmt.Errorf("turn %s: its picture is called %q, a %s; it was noted as %q, a %s", turn, a.MinimalCaption, a.Type, s.Minimal, s.Kind)
		case !s.matchesCaption(a.Caption, func(aspect string) bool { return strings.Contains(coarseAspects, " "+aspect+" ") }):
			return fmt.Errorf("turn %s: the caption of its picture says other than what the picture was noted to show: %q", turn, a.Caption)
		case !s.matchesCaption(a.TaskAwareCaption, func(string) bool { return true }):
			return fmt.Errorf("turn %s: the task-aware caption of its picture says other than what the picture was noted to show: %q", turn, a.TaskAwareCaption)
		}
	}
	return t.checkOrder()
}

// checkOrder wants sessions in order, without earlier days, in which user and assistant
// take turns.
func (t *Conversation) checkOrder() error {
	date := ""
	for i, s := range t.sessions {
		if int(s.Order) != i || s.Date < date {
			return fmt.Errorf("session %s has place %d and day %q after %q; want place %d and no earlier day", s.SessionID, s.Order, s.Date, date, i)
		}
		date = s.Date
		if i == 0 {
			continue // the profile
		}
		if _, err := time.Parse(time.DateOnly, s.Date); err != nil {
			return fmt.Errorf("session %s: %w", s.SessionID, err)
		}
		for j, turn := range s.Turns {
			if role := []string{"user", "assistant"}[j%2]; turn.Role != role || int(turn.Order) != j+1 {
				return fmt.Errorf("turn %s is number %d by %s; want %d by %s", turn.TurnID, turn.Order, turn.Role, j+1, role)
			}
		}
		if len(s.Turns)%2 != 0 {
			return fmt.Errorf("session %s ends with a turn that nobody answers", s.SessionID)
		}
	}
	return nil
}
