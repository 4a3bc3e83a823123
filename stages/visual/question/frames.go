package question

import (
	"cmp"
	"math/rand/v2"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual/scene"
)

// Forms of questions. Value asks for what one picture shows (Y1); Match, Sum and
// First join several pictures that contradict nothing (Y2); Current and Before ask
// about what changed (Y3).
const (
	Value   = "value"
	Match   = "match"
	Sum     = "sum"
	First   = "first"
	Current = "current"
	Before  = "before"
)

// Forms lists them.
func Forms() []string { return []string{Value, Match, Sum, First, Current, Before} }

// Reasoning is how deep a form goes (MemEye 3.1): Y1 to Y3.
func Reasoning(form string) string {
	switch form {
	case Value:
		return schemas.ReasonSingle
	case Match, Sum, First:
		return schemas.ReasonJoined
	}
	return schemas.ReasonEvolving
}

// frame is one wording of what is asked about an aspect: open, and for options,
// without the sign at its end. {thing}, {class} and {prep} are of the thing, {when}
// of its picture, {prep2}, {thing2} and {when2} of another. {be}, {do} and {has}
// agree with the thing and, as {is}, {are} and {can} do, with the time asked about.
type frame struct{ open, choice string }

// about are the wordings of what is asked about an aspect of a thing.
func about(aspect string) []frame {
	switch aspect {
	case scene.Activity:
		return each("What {is} %s {prep} {thing}", "Which of these {is} %s {prep} {thing}", "going on", "happening", "under way")
	case scene.Setting:
		return []frame{
			{"In what kind of place {be} {thing}", "In which of these kinds of place {be} {thing}"},
			{"What kind of place {be} {thing} in", "Which of these kinds of place {be} {thing} in"},
			{"What surroundings {be} {thing} in", "Which of these surroundings {be} {thing} in"},
		}
	case scene.Weather:
		return []frame{
			{"What {is} the weather like at {thing}", "Which of these {is} the weather at {thing}"},
			{"What weather {is} there at {thing}", "Which of these kinds of weather {is} there at {thing}"},
			{"What kind of weather {can} be seen at {thing}", "Which of these kinds of weather {can} be seen at {thing}"},
		}
	case scene.Place:
		return []frame{
			{"Where {be} {thing}", "At which of these spots {be} {thing}"},
			{"Whereabouts {be} {thing}", "At which of these places {be} {thing}"},
			{"At what spot {be} {thing}", "Which of these spots {be} {thing} at"},
		}
	case scene.Beside:
		return each("What {is} %s {thing}", "Which of these {is} %s {thing}", "right beside", "immediately next to", "to be seen directly beside")
	}
	return finer(aspect)
}

// finer are the wordings about instances and details.
func finer(aspect string) []frame {
	switch aspect {
	case scene.Which:
		return []frame{
			{"Which {class} {is} {prep} {thing}", "Which of these {is} the {class} {prep} {thing}"},
			{"What {class} {is} {prep} {thing}", "Which {class} of these {is} {prep} {thing}"},
			{"Which {class} {can} be seen {prep} {thing}", "Which of these {is} the {class} to be seen {prep} {thing}"},
		}
	case scene.Colour:
		return []frame{
			{"What colour {be} {thing}", "Which of these colours {be} {thing}"},
			{"What {is} the colour of {thing}", "Which of these {is} the colour of {thing}"},
			{"Which colour {do} {thing} have", "Which of these colours {do} {thing} have"},
		}
	case scene.Pattern:
		return []frame{
			{"What pattern {be} {thing} shown with", "Which of these patterns {be} {thing} shown with"},
			{"What pattern {do} {thing} have", "Which of these patterns {do} {thing} have"},
			{"What {is} the pattern of {thing}", "Which of these {is} the pattern of {thing}"},
		}
	case scene.Text:
		return []frame{
			{"What {is} written on {thing}", "Which of these {is} written on {thing}"},
			{"What {can} be read on {thing}", "Which of these {can} be read on {thing}"},
			{"What {do} {thing} say", "Which of these {do} {thing} say"},
		}
	}
	return []frame{
		{"How many {class} {are} {prep} {thing}", "Which of these {is} the number of {class} {prep} {thing}"},
		{"What {is} the number of {class} {prep} {thing}", "Which of these {is} the number of {class} {prep} {thing}"},
		{"How many {class} {can} be counted {prep} {thing}", "Which of these {is} the number of {class} that {can} be counted {prep} {thing}"},
	}
}

// each are wordings that differ in a phrase.
func each(open, choice string, phrases ...string) []frame {
	var out []frame
	for _, p := range phrases {
		out = append(out, frame{strings.Replace(open, "%s", p, 1), strings.Replace(choice, "%s", p, 1)})
	}
	return out
}

// joined are the wordings of what is asked about an aspect of a thing in one picture
// and something in another.
func joined(aspect string) []frame {
	switch aspect {
	case scene.Activity:
		return pictures("the same going on", "is the same going on as")
	case scene.Setting:
		return pictures("the same kind of place", "is the kind of place the same as")
	case scene.Weather:
		return pictures("the same weather", "is the weather the same as")
	case scene.Place:
		return compared("is at the spot where {thing} {be} in {when}", "is at the same spot")
	case scene.Beside:
		return compared("has the same thing right beside it as {thing} {has} in {when}", "has the same thing right beside it")
	case scene.Which:
		return []frame{
			{"Where in {when2} is the {class} that is {prep} {thing} in {when}", "At which of these places in {when2} is the {class} that is {prep} {thing} in {when}"},
			{"In {when2}, where is the {class} that is {prep} {thing} in {when}", "In {when2}, at which of these places is the {class} that is {prep} {thing} in {when}"},
			{"Take the {class} {prep} {thing} in {when}: where in {when2} is it", "Take the {class} {prep} {thing} in {when}: at which of these places in {when2} is it"},
		}
	case scene.Colour:
		return compared("has the colour that {thing} {has} in {when}", "has the same colour")
	case scene.Pattern:
		return compared("has the pattern that {thing} {has} in {when}", "has the same pattern")
	case scene.Text:
		return compared("bears the words that are on {thing} in {when}", "bears the same words")
	}
	return []frame{
		{"How many {class} are {prep} {thing} in {when} and {prep2} {thing2} in {when2} together", "Which of these is the number of {class} {prep} {thing} in {when} and {prep2} {thing2} in {when2} together"},
		{"Count the {class} {prep} {thing} in {when} and {prep2} {thing2} in {when2}: how many are they together", "Count the {class} {prep} {thing} in {when} and {prep2} {thing2} in {when2}: which of these are they together"},
		{"What do the {class} {prep} {thing} in {when} and {prep2} {thing2} in {when2} add up to", "Which of these do the {class} {prep} {thing} in {when} and {prep2} {thing2} in {when2} add up to"},
	}
}

// pictures ask for another picture with the same gist.
func pictures(gist, like string) []frame {
	return []frame{
		{"Which other picture shows " + gist + " as {when}", "Which of these pictures shows " + gist + " as {when}"},
		{"What other picture has " + gist + " as {when}", "Which of these pictures has " + gist + " as {when}"},
		{"In which other picture " + like + " in {when}", "In which of these pictures " + like + " in {when}"},
	}
}

// compared ask for a thing of a second picture that is like one of a first.
func compared(like, same string) []frame {
	return []frame{
		{"What in {when2} " + like, "Which of these in {when2} " + like},
		{"In {when2}, what " + like, "In {when2}, which of these " + like},
		{"Take {thing} in {when}: what in {when2} " + same, "Take {thing} in {when}: which of these in {when2} " + same},
	}
}

// ranked are the wordings of which of some things is seen first.
func ranked(items string) []frame {
	return []frame{
		{"Which of these is shown first: " + items, "Which of these is shown first"},
		{"Which comes up first in the pictures: " + items, "Which of these comes up first in the pictures"},
		{"Which can be seen earliest: " + items, "Which of these can be seen earliest"},
	}
}

// moment says what time a question is about, before its words or after them.
type moment struct {
	before, after string
	past          bool
}

// pictured is in a picture.
func pictured(when string) []moment {
	return []moment{{after: " in " + when}, {before: "In " + when + ", "}, {before: "Going by " + when + ", "}}
}

// standing is after everything, changing just before the last change.
func standing() []moment {
	return []moment{
		{after: ", as things stand after the last session"}, {after: " at the end of the conversation"}, {before: "After everything that was shared, "},
	}
}

func changing() []moment {
	return []moment{
		{after: " just before the last time this changed", past: true}, {after: " until the last time this changed", past: true}, {before: "Just before the last time this changed, ", past: true},
	}
}

// at puts a wording to its time.
func (m moment) at(f frame) frame { return frame{m.put(f.open), m.put(f.choice)} }

func (m moment) put(words string) string {
	if m.before != "" {
		words = strings.ToLower(words[:1]) + words[1:]
	}
	return m.before + words + m.after
}

// word draws one of several.
func word[T any](rnd *rand.Rand, ways []T) T { return ways[rnd.IntN(len(ways))] }

// fill writes a frame for a thing.
func (f frame) fill(t scene.Thing, past bool, slots ...string) frame {
	be, do, has, is, are, can := "is", "does", "has", "is", "are", "can"
	if t.Plural {
		be, do, has = "are", "do", "have"
	}
	if past {
		be, do, has, is, are, can = map[string]string{"is": "was", "are": "were"}[be], "did", "had", "was", "were", "could"
	}
	r := strings.NewReplacer(append([]string{
		"{thing}", t.Name, "{class}", t.Class, "{prep}", cmp.Or(t.Prep, "at"), "{be}", be, "{do}", do, "{has}", has, "{is}", is, "{are}", are, "{can}", can,
	}, slots...)...)
	return frame{r.Replace(f.open), r.Replace(f.choice)}
}
