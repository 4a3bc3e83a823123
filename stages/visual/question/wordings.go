package question

import (
	"cmp"
	"math/rand/v2"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/scene"
)

// Forms of questions. Value asks what one picture shows (Y1). Match, Sum and First join
// several pictures without contradictions (Y2). Current and Before ask about changes
// (Y3).
const (
	Value   = "value"
	Match   = "match"
	Sum     = "sum"
	First   = "first"
	Current = "current"
	Before  = "before"
)

// Forms lists the forms.
func Forms() []string { return []string{Value, Match, Sum, First, Current, Before} }

// Reasoning returns the depth of reasoning of a form, Y1 to Y3 (MemEye 3.1).
func Reasoning(form string) string {
	switch form {
	case Value:
		return schemas.ReasonSingle
	case Match, Sum, First:
		return schemas.ReasonJoined
	}
	return schemas.ReasonEvolving
}

// wording is one way to ask, as open question and with options, without the question
// mark. {thing}, {class} and {prep} belong to the thing, {when} is its picture;
// {prep2}, {thing2} and {when2} belong to another. {be}, {do} and {has} agree with the
// thing and, like {is}, {are} and {can}, with the tense.
type wording struct{ open, choice string }

// aspectWordings returns the wordings for an aspect of one thing.
func aspectWordings(aspect string) []wording {
	switch aspect {
	case scene.Activity:
		return wordingsWithPhrases("What {is} %s {prep} {thing}", "Which of these {is} %s {prep} {thing}", "going on", "happening", "under way")
	case scene.Setting:
		return []wording{
			{"In what kind of place {be} {thing}", "In which of these kinds of place {be} {thing}"},
			{"What kind of place {be} {thing} in", "Which of these kinds of place {be} {thing} in"},
			{"What surroundings {be} {thing} in", "Which of these surroundings {be} {thing} in"},
		}
	case scene.Weather:
		return []wording{
			{"What {is} the weather like at {thing}", "Which of these {is} the weather at {thing}"},
			{"What weather {is} there at {thing}", "Which of these kinds of weather {is} there at {thing}"},
			{"What kind of weather {can} be seen at {thing}", "Which of these kinds of weather {can} be seen at {thing}"},
		}
	case scene.Place:
		return []wording{
			{"Where {be} {thing}", "At which of these spots {be} {thing}"},
			{"Whereabouts {be} {thing}", "At which of these places {be} {thing}"},
			{"At what spot {be} {thing}", "Which of these spots {be} {thing} at"},
		}
	case scene.Beside:
		return wordingsWithPhrases("What {is} %s {thing}", "Which of these {is} %s {thing}", "right beside", "immediately next to", "to be seen directly beside")
	case scene.Which:
		return []wording{
			{"Which {class} {is} {prep} {thing}", "Which of these {is} the {class} {prep} {thing}"},
			{"What {class} {is} {prep} {thing}", "Which {class} of these {is} {prep} {thing}"},
			{"Which {class} {can} be seen {prep} {thing}", "Which of these {is} the {class} to be seen {prep} {thing}"},
		}
	case scene.Colour:
		return []wording{
			{"What colour {be} {thing}", "Which of these colours {be} {thing}"},
			{"What {is} the colour of {thing}", "Which of these {is} the colour of {thing}"},
			{"Which colour {do} {thing} have", "Which of these colours {do} {thing} have"},
		}
	case scene.Pattern:
		return []wording{
			{"What pattern {be} {thing} shown with", "Which of these patterns {be} {thing} shown with"},
			{"What pattern {do} {thing} have", "Which of these patterns {do} {thing} have"},
			{"What {is} the pattern of {thing}", "Which of these {is} the pattern of {thing}"},
		}
	case scene.Text:
		return []wording{
			{"What {is} written on {thing}", "Which of these {is} written on {thing}"},
			{"What {can} be read on {thing}", "Which of these {can} be read on {thing}"},
			{"What {do} {thing} say", "Which of these {do} {thing} say"},
		}
	}
	return []wording{
		{"How many {class} {are} {prep} {thing}", "Which of these {is} the number of {class} {prep} {thing}"},
		{"What {is} the number of {class} {prep} {thing}", "Which of these {is} the number of {class} {prep} {thing}"},
		{"How many {class} {can} be counted {prep} {thing}", "Which of these {is} the number of {class} that {can} be counted {prep} {thing}"},
	}
}

// wordingsWithPhrases returns wordings that differ in one phrase.
func wordingsWithPhrases(open, choice string, phrases ...string) []wording {
	var out []wording
	for _, p := range phrases {
		out = append(out, wording{strings.Replace(open, "%s", p, 1), strings.Replace(choice, "%s", p, 1)})
	}
	return out
}

// joinWordings returns the wordings that join a thing of one picture with another
// picture.
func joinWordings(aspect string) []wording {
	switch aspect {
	case scene.Activity:
		return pictureWordings("the same going on", "is the same going on as")
	case scene.Setting:
		return pictureWordings("the same kind of place", "is the kind of place the same as")
	case scene.Weather:
		return pictureWordings("the same weather", "is the weather the same as")
	case scene.Place:
		return comparisonWordings("is at the spot where {thing} {be} in {when}", "is at the same spot")
	case scene.Beside:
		return comparisonWordings("has the same thing right beside it as {thing} {has} in {when}", "has the same thing right beside it")
	case scene.Which:
		return []wording{
			{"Where in {when2} is the {class} that is {prep} {thing} in {when}", "At which of these places in {when2} is the {class} that is {prep} {thing} in {when}"},
			{"In {when2}, where is the {class} that is {prep} {thing} in {when}", "In {when2}, at which of these places is the {class} that is {prep} {thing} in {when}"},
			{"Take the {class} {prep} {thing} in {when}: where in {when2} is it", "Take the {class} {prep} {thing} in {when}: at which of these places in {when2} is it"},
		}
	case scene.Colour:
		return comparisonWordings("has the colour that {thing} {has} in {when}", "has the same colour")
	case scene.Pattern:
		return comparisonWordings("has the pattern that {thing} {has} in {when}", "has the same pattern")
	case scene.Text:
		return comparisonWordings("bears the words that are on {thing} in {when}", "bears the same words")
	}
	return []wording{
		{"How many {class} are {prep} {thing} in {when} and {prep2} {thing2} in {when2} together", "Which of these is the number of {class} {prep} {thing} in {when} and {prep2} {thing2} in {when2} together"},
		{"Count the {class} {prep} {thing} in {when} and {prep2} {thing2} in {when2}: how many are they together", "Count the {class} {prep} {thing} in {when} and {prep2} {thing2} in {when2}: which of these are they together"},
		{"What do the {class} {prep} {thing} in {when} and {prep2} {thing2} in {when2} add up to", "Which of these do the {class} {prep} {thing} in {when} and {prep2} {thing2} in {when2} add up to"},
	}
}

// pictureWordings asks for another picture with the same gist.
func pictureWordings(gist, like string) []wording {
	return []wording{
		{"Which other picture shows " + gist + " as {when}", "Which of these pictures shows " + gist + " as {when}"},
		{"What other picture has " + gist + " as {when}", "Which of these pictures has " + gist + " as {when}"},
		{"In which other picture " + like + " in {when}", "In which of these pictures " + like + " in {when}"},
	}
}

// comparisonWordings asks for a thing of a second picture that matches one of a first.
func comparisonWordings(like, same string) []wording {
	return []wording{
		{"What in {when2} " + like, "Which of these in {when2} " + like},
		{"In {when2}, what " + like, "In {when2}, which of these " + like},
		{"Take {thing} in {when}: what in {when2} " + same, "Take {thing} in {when}: which of these in {when2} " + same},
	}
}

// rankingWordings asks which of some things is seen first.
func rankingWordings(items string) []wording {
	return []wording{
		{"Which of these is shown first: " + items, "Which of these is shown first"},
		{"Which comes up first in the pictures: " + items, "Which of these comes up first in the pictures"},
		{"Which can be seen earliest: " + items, "Which of these can be seen earliest"},
	}
}

// timePhrase says before or after a wording which time it is about.
type timePhrase struct {
	before, after string
	past          bool
}

func inPicture(when string) []timePhrase {
	return []timePhrase{{after: " in " + when}, {before: "In " + when + ", "}, {before: "Going by " + when + ", "}}
}

func atEnd() []timePhrase {
	return []timePhrase{
		{after: ", as things stand after the last session"}, {after: " at the end of the conversation"}, {before: "After everything that was shared, "},
	}
}

func beforeLastChange() []timePhrase {
	return []timePhrase{
		{after: " just before the last time this changed", past: true}, {after: " until the last time this changed", past: true}, {before: "Just before the last time this changed, ", past: true},
	}
}

func (m timePhrase) apply(f wording) wording { return wording{m.wrap(f.open), m.wrap(f.choice)} }

func (m timePhrase) wrap(words string) string {
	if m.before != "" {
		words = strings.ToLower(words[:1]) + words[1:]
	}
	return m.before + words + m.after
}

func pickOne[T any](rnd *rand.Rand, ways []T) T { return ways[rnd.IntN(len(ways))] }

// fill replaces the placeholders of a wording.
func (f wording) fill(t scene.Thing, past bool, slots ...string) wording {
	be, do, has, is, are, can := "is", "does", "has", "is", "are", "can"
	if t.Plural {
		be, do, has = "are", "do", "have"
	}
	if past {
		be, do, has, is, are, can = "was", "did", "had", "was", "were", "could"
		if t.Plural {
			be = "were"
		}
	}
	r := strings.NewReplacer(append([]string{
		"{thing}", t.Name, "{class}", t.Class, "{prep}", cmp.Or(t.Prep, "at"), "{be}", be, "{do}", do, "{has}", has, "{is}", is, "{are}", are, "{can}", can,
	}, slots...)...)
	return wording{r.Replace(f.open), r.Replace(f.choice)}
}
