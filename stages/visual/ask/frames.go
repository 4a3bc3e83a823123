package ask

import (
	"cmp"
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

// frame is one wording of what is asked about an aspect: open, and for options.
// {thing}, {is}, {was}, {has}, {had}, {class}, {prep} are of the thing, {when} of
// its picture, {prep2}, {thing2}, {when2} of another. {time} is where the thing is
// asked about: in a picture, or at the end.
type frame struct{ open, choice string }

// present is what is asked about an aspect in one picture, or as things stand.
func present(aspect string) frame {
	switch aspect {
	case scene.Activity:
		return frame{"What is going on {prep} {thing}{time}?", "Which of these is going on {prep} {thing}{time}?"}
	case scene.Setting:
		return frame{"In what kind of place {is} {thing}{time}?", "In which of these kinds of place {is} {thing}{time}?"}
	case scene.Weather:
		return frame{"What is the weather like at {thing}{time}?", "Which of these describes the weather at {thing}{time}?"}
	case scene.Place:
		return frame{"Where {is} {thing}{time}?", "At which of these spots {is} {thing}{time}?"}
	case scene.Beside:
		return frame{"What is right beside {thing}{time}?", "Which of these is right beside {thing}{time}?"}
	case scene.Which:
		return frame{"Which {class} is {prep} {thing}{time}?", "Which of these is the {class} {prep} {thing}{time}?"}
	case scene.Colour:
		return frame{"What colour {is} {thing}{time}?", "Which of these colours {is} {thing}{time}?"}
	case scene.Pattern:
		return frame{"What pattern {is} {thing} shown with{time}?", "Which of these patterns {is} {thing} shown with{time}?"}
	case scene.Text:
		return frame{"What is written on {thing}{time}?", "Which of these is written on {thing}{time}?"}
	}
	return frame{"How many {class} are {prep} {thing}{time}?", "Which of these is the number of {class} {prep} {thing}{time}?"}
}

// past is what is asked about an aspect before its last change.
func past(aspect string) frame {
	f := present(aspect)
	for _, change := range [][2]string{
		{"What is ", "What was "}, {"of these is ", "of these was "}, {"{is}", "{was}"}, {"{class} is ", "{class} was "}, {"{class} are ", "{class} were "},
		{"describes the weather", "described the weather"},
	} {
		f.open, f.choice = strings.ReplaceAll(f.open, change[0], change[1]), strings.ReplaceAll(f.choice, change[0], change[1])
	}
	return f
}

// joined is what is asked about an aspect of a thing in one picture and something
// in another.
func joined(aspect string) frame {
	switch aspect {
	case scene.Activity:
		return frame{"Which other picture shows the same going on as {when}?", "Which of these pictures shows the same going on as {when}?"}
	case scene.Setting:
		return frame{"Which other picture shows the same kind of place as {when}?", "Which of these pictures shows the same kind of place as {when}?"}
	case scene.Weather:
		return frame{"Which other picture shows the same weather as {when}?", "Which of these pictures shows the same weather as {when}?"}
	case scene.Place:
		return frame{"What in {when2} is at the spot where {thing} {is} in {when}?", "Which of these in {when2} is at the spot where {thing} {is} in {when}?"}
	case scene.Beside:
		return frame{"What in {when2} has right beside it what is right beside {thing} in {when}?", "Which of these in {when2} has right beside it what is right beside {thing} in {when}?"}
	case scene.Which:
		return frame{"Where in {when2} is the {class} that is {prep} {thing} in {when}?", "At which of these places in {when2} is the {class} that is {prep} {thing} in {when}?"}
	case scene.Colour:
		return frame{"What in {when2} has the colour that {thing} {has} in {when}?", "Which of these in {when2} has the colour that {thing} {has} in {when}?"}
	case scene.Pattern:
		return frame{"What in {when2} has the pattern that {thing} {has} in {when}?", "Which of these in {when2} has the pattern that {thing} {has} in {when}?"}
	case scene.Text:
		return frame{"What in {when2} bears the words that are on {thing} in {when}?", "Which of these in {when2} bears the words that are on {thing} in {when}?"}
	}
	return frame{
		"How many {class} are {prep} {thing} in {when} and {prep2} {thing2} in {when2} together?",
		"Which of these is the number of {class} {prep} {thing} in {when} and {prep2} {thing2} in {when2} together?",
	}
}

// standing ends a question about what holds now, changing one about what held.
const (
	standing = ", as things stand after the last session"
	changing = " just before that last changed"
)

// fill writes a frame for a thing.
func (f frame) fill(t scene.Thing, slots ...string) frame {
	is, was, has := "is", "was", "has"
	prep := cmp.Or(t.Prep, "at")
	if t.Plural {
		is, was, has = "are", "were", "have"
	}
	r := strings.NewReplacer(append([]string{"{thing}", t.Name, "{is}", is, "{was}", was, "{has}", has, "{class}", t.Class, "{prep}", prep}, slots...)...)
	return frame{r.Replace(f.open), r.Replace(f.choice)}
}
