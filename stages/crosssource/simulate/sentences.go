package simulate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memforge/memforge/stages/crosssource/weights"
)

// sayFact says what something is of something else, as people do in a chat.
func (s *simulator) sayFact(of, attribute, value string) string {
	return s.pickSentence(of, attribute, value, "If anybody asks about the {a} of {e}: {v}.", "I looked up the {a} of {e}, and it is {v}.", "Noted down the {a} of {e}: {v}.")
}

// writeFact says it as a document does.
func (s *simulator) writeFact(of, attribute, value string) string {
	return s.pickSentence(of, attribute, value, "Listed as the {a} of {e}: {v}.", "{e} lists {v} as its {a}.", "Entry for {e}, {a}: {v}.")
}

// pickSentence says it in one of these ways, or in one that suits both.
func (s *simulator) pickSentence(of, attribute, value string, ways ...string) string {
	ways = append(ways, "The {a} of {e} is {v}.", "{e} has {v} as its {a}.", "For {e}, the {a} is {v}.")
	if strings.ToLower(value) != value {
		ways = append(ways, "{v} is the {a} of {e}.")
	}
	return fillSlots(weights.Pick(s.rnd, ways), "e", of, "a", attribute, "v", value)
}

// sayChange says that a fact has become another.
func (s *simulator) sayChange(of, attribute, value string) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"Change of plan: the {a} of {e} is {v} now.", "As of today, the {a} of {e} is {v}.", "The {a} of {e} has changed to {v}.", "Scratch the old {a} of {e}, it is {v} from here on.",
		"They have settled on {v} as the new {a} of {e}.",
	}), "e", of, "a", attribute, "v", value)
}

// sayRaise says that a number has grown, or shrunk: as something that has happened.
func (s *simulator) sayRaise(of, attribute string, by int) string {
	ways := []string{"The {a} of {e} has gone up by {n}.", "They have added {n} to the {a} of {e}.", "The {a} of {e} is {n} higher than it was."}
	if by < 0 {
		ways, by = []string{"The {a} of {e} has gone down by {n}.", "They have taken {n} off the {a} of {e}.", "The {a} of {e} is {n} lower than it was."}, -by
	}
	return fillSlots(weights.Pick(s.rnd, ways), "e", of, "a", attribute, "n", strconv.Itoa(by))
}

// sayDecider says who has the last word.
func (s *simulator) sayDecider(who, of, attribute string) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"{p} has the last word on the {a} of {e}.", "On the {a} of {e}, what {p} says counts.", "Where the {a} of {e} is in doubt, {p} decides.",
	}), "p", who, "a", attribute, "e", of)
}

// sayDefinition says what a term means: a measure within bounds.
func (s *simulator) sayDefinition(term string, low, high int) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"We call {at} {w} when its {m} lies between {l} and {h}.", "{At} counts as {w} as long as its {m} stays between {l} and {h}.",
		"To be {w}, {at} needs {am} between {l} and {h}.",
	}), "at", indefinite(s.field.thing), "At", upper(indefinite(s.field.thing)), "am", indefinite(s.field.measure), "w", term, "m", s.field.measure, "l", strconv.Itoa(low), "h", strconv.Itoa(high))
}

// sayException says what a term does not cover.
func (s *simulator) sayException(term string, above int) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"No {t} is {w} with {am} above {n}.", "{At} with {am} above {n} is never {w}.",
	}), "t", s.field.thing, "At", upper(indefinite(s.field.thing)), "w", term, "am", indefinite(s.field.other), "n", strconv.Itoa(above))
}

// sayTaste is what somebody says of kinds of things: two that they like, one that not.
func (s *simulator) sayTaste(likes [2]string, avoids string) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"I am fond of {a} and {b}, but I would rather skip {c}.", "Give me {a} or {b} any day; {c} I leave to others.", "I look for {a} and {b}, and I stay away from {c}.",
	}), "a", likes[0], "b", likes[1], "c", avoids)
}

// writeTaste is that as a profile has it, which says whose it is.
func (s *simulator) writeTaste(who string, likes [2]string, avoids string) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"{p} is fond of {a} and {b}, but would rather skip {c}.", "{p} looks for {a} and {b}, and stays away from {c}.", "Likes of {p}: {a} and {b}. Leaves to others: {c}.",
	}), "p", who, "a", likes[0], "b", likes[1], "c", avoids)
}

// sayChoice is what somebody tells of a choice between two kinds.
func (s *simulator) sayChoice(taken, left string) string {
	return fillSlots(weights.Pick(s.rnd, []string{
		"I could have had {b} yesterday and went for {a} instead.", "They offered me {b}, and I asked for {a}.", "Picked {a} over {b} once more.", "It was {a} or {b} for me, and I took {a}.",
	}), "a", taken, "b", left)
}

// fillSlots puts values into a sentence: names and values in turn.
func fillSlots(sentence string, pairs ...string) string {
	for i := 0; i+1 < len(pairs); i += 2 {
		sentence = strings.ReplaceAll(sentence, "{"+pairs[i]+"}", pairs[i+1])
	}
	return sentence
}

// snakeCase is a name as tools have them.
func snakeCase(s string) string { return strings.ReplaceAll(strings.ToLower(s), " ", "_") }

func countOf(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
