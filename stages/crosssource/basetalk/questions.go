package basetalk

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/stages/crosssource/weights"
)

// forGroup ends the name of a rule whose ways only fit more than two people.
const forGroup = "_group"

// question is what a sentence asks.
type question struct {
	// kind is one of those below, empty for none; to is who is asked, by name, empty for
	// anybody.
	kind, to string
}

// questionIn is the question that somebody's sentence by a rule puts, to whom it names.
func (v *Voice) questionIn(rule, text, speaker string) question {
	kind, asks := strings.CutPrefix(rule, "ask_")
	if !asks {
		return question{}
	}
	named := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,.?!:", r) })
	for _, p := range v.cast {
		if p.Name != speaker && slices.Contains(named, firstName(p.Name)) {
			return question{kind, p.Name}
		}
	}
	return question{kind: kind}
}

// topicQuestions are the kinds of questions about what is spoken of, turning those by which the
// talk turns to something else, and private those of small talk.
func topicQuestions() []string {
	return []string{"news", "opinion", "read", "why", "which", "been", "firm", "worth", "always", "explain", "where", "met", "visit", "often", "shop"}
}

func turningQuestions() []string { return []string{"opinion", "looked"} }

func privateQuestions() []string { return []string{"open", "join", "care", "letter"} }

// Of how many shifts and turns of small talk one asks, of how many answers one is such as
// fits any question about a topic, and of how many questions, and of how many sentences that
// tell something, one is about something that may be asked about, of which nothing is told.
const (
	turningOf = 4
	privateOf = 4
	anyOf     = 5
	matterOf  = 2
	wonderOf  = 2
)

// ruleFor is a rule for what a turn does. Where it may not ask, it tells something.
func (v *Voice) ruleFor(act string, may bool) string {
	switch {
	case act == "answer" && slices.Contains(privateQuestions(), v.asked.kind), act == "answer" && v.rnd.IntN(anyOf) > 0:
		return "answer_" + v.asked.kind
	case act == "ask" && may && v.rnd.IntN(matterOf) == 0:
		return "ask_matter"
	case act == "ask" && may:
		return "ask_" + weights.Pick(v.rnd, topicQuestions())
	case (act == "elaborate" || act == "ask" || act == "small") && v.rnd.IntN(wonderOf) == 0:
		return "wonder"
	case act == "ask":
		return "elaborate"
	case act == "shift" && may && v.rnd.IntN(turningOf) == 0:
		return "ask_" + weights.Pick(v.rnd, turningQuestions())
	case act == "small" && may && v.rnd.IntN(privateOf) == 0:
		return "ask_" + weights.Pick(v.rnd, privateQuestions())
	}
	return act
}
