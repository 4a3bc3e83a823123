package oracle

import (
	"regexp"
	"strings"
	"sync"
)

// Interpretation is one way to understand a question: form and aspect, of which thing
// in which picture, and of which second.
type Interpretation struct {
	Form, Aspect, Thing, When, Thing2, When2 string
	prep2, class, prep                       string
	options                                  []string
	// stem is the choice form without options.
	stem string
}

// questionPattern matches one wording. Groups of words are named after the fields of an
// interpretation; choice is the choice form with the same groups.
type questionPattern struct {
	form, aspect string
	words        *regexp.Regexp
	choice       string
}

const (
	pictureNamePattern = `the (?:[a-z0-9]+ )?[a-z][a-z -]* of \d{1,2} [A-Z][a-z]+ \d{4}`
	prepositionPattern = `(?P<prep>on|in|at|with|under|behind|by|among|around|above|below|beside|near|inside)`
)

// onePicturePatterns match questions about one thing, without the phrase for its time.
var onePicturePatterns = sync.OnceValue(func() []questionPattern {
	is, be, do, can := `(?P<is>is|was)`, `(?P<be>is|was|are|were)`, `(?P<do>do|does|did)`, `(?P<can>can|could)`
	thing, class := `(?P<thing>.+)`, `(?P<class>.+?)`
	number := ` the number of ${class} `
	return compilePatterns("value", [][3]string{
		{"activity", "What " + is + ` (?P<how>going on|happening|under way) (?P<at>at|in|on) ` + thing, `Which of these ${is} ${how} ${at} ${thing}`},
		{"setting", "In what kind of place " + be + " " + thing, "In which of these kinds of place ${be} ${thing}"},
		{"setting", "What kind of place " + be + " " + thing + " in", "Which of these kinds of place ${be} ${thing} in"},
		{"setting", "What surroundings " + be + " " + thing + " in", "Which of these surroundings ${be} ${thing} in"},
		{"weather", "What " + is + " the weather like at " + thing, "Which of these ${is} the weather at ${thing}"},
		{"weather", "What weather " + is + " there at " + thing, "Which of these kinds of weather ${is} there at ${thing}"},
		{"weather", "What kind of weather " + can + " be seen at " + thing, "Which of these kinds of weather ${can} be seen at ${thing}"},
		{"place", "Where " + be + " " + thing, "At which of these spots ${be} ${thing}"},
		{"place", "Whereabouts " + be + " " + thing, "At which of these places ${be} ${thing}"},
		{"place", "At what spot " + be + " " + thing, "Which of these spots ${be} ${thing} at"},
		{"beside", "What " + is + " (?P<how>right beside|immediately next to|to be seen directly beside) " + thing, "Which of these ${is} ${how} ${thing}"},
		{"which", "Which " + class + " " + is + " " + prepositionPattern + " " + thing, "Which of these ${is} the ${class} ${prep} ${thing}"},
		{"which", "What " + class + " " + is + " " + prepositionPattern + " " + thing, "Which ${class} of these ${is} ${prep} ${thing}"},
		{"which", "Which " + class + " can be seen " + prepositionPattern + " " + thing, "Which of these is the ${class} to be seen ${prep} ${thing}"},
		{"which", "Which " + class + " could be seen " + prepositionPattern + " " + thing, "Which of these was the ${class} to be seen ${prep} ${thing}"},
		{"colour", "What colour " + be + " " + thing, "Which of these colours ${be} ${thing}"},
		{"colour", "What " + is + " the colour of " + thing, "Which of these ${is} the colour of ${thing}"},
		{"colour", "Which colour " + do + " " + thing + " have", "Which of these colours ${do} ${thing} have"},
		{"pattern", "What pattern " + be + " " + thing + " shown with", "Which of these patterns ${be} ${thing} shown with"},
		{"pattern", "What pattern " + do + " " + thing + " have", "Which of these patterns ${do} ${thing} have"},
		{"pattern", "What " + is + " the pattern of " + thing, "Which of these ${is} the pattern of ${thing}"},
		{"text", "What " + is + " written on " + thing, "Which of these ${is} written on ${thing}"},
		{"text", "What " + can + " be read on " + thing, "Which of these ${can} be read on ${thing}"},
		{"text", "What " + do + " " + thing + " say", "Which of these ${do} ${thing} say"},
		{"count", "How many " + class + " are " + prepositionPattern + " " + thing, "Which of these is" + number + "${prep} ${thing}"},
		{"count", "How many " + class + " were " + prepositionPattern + " " + thing, "Which of these was" + number + "${prep} ${thing}"},
		{"count", "What " + is + " the number of " + class + " " + prepositionPattern + " " + thing, "Which of these ${is} the number of ${class} ${prep} ${thing}"},
		{"count", "How many " + class + " can be counted " + prepositionPattern + " " + thing, "Which of these is" + number + "that can be counted ${prep} ${thing}"},
		{"count", "How many " + class + " could be counted " + prepositionPattern + " " + thing, "Which of these was" + number + "that could be counted ${prep} ${thing}"},
	})
})

// twoPicturePatterns match questions about two pictures.
var twoPicturePatterns = sync.OnceValue(func() []questionPattern {
	one, two := `(?P<when>`+pictureNamePattern+`)`, `(?P<when2>`+pictureNamePattern+`)`
	thing, class := `(?P<thing>.+)`, `(?P<class>.+?)`
	var list [][3]string
	for _, of := range [][3]string{
		{"activity", "the same going on", "is the same going on as"}, {"setting", "the same kind of place", "is the kind of place the same as"},
		{"weather", "the same weather", "is the weather the same as"},
	} {
		list = append(list,
			[3]string{of[0], "Which other picture shows " + of[1] + " as " + one, "Which of these pictures shows " + of[1] + " as ${when}"},
			[3]string{of[0], "What other picture has " + of[1] + " as " + one, "Which of these pictures has " + of[1] + " as ${when}"},
			[3]string{of[0], "In which other picture " + of[2] + " in " + one, "In which of these pictures " + of[2] + " in ${when}"})
	}
	for _, of := range [][3]string{
		{"place", "is at the spot where " + thing + " (?:is|are)", "is at the same spot"},
		{"beside", "has the same thing right beside it as " + thing + " (?:has|have)", "has the same thing right beside it"},
		{"colour", "has the colour that " + thing + " (?:has|have)", "has the same colour"},
		{"pattern", "has the pattern that " + thing + " (?:has|have)", "has the same pattern"},
		{"text", "bears the words that are on " + thing, "bears the same words"},
	} {
		list = append(list,
			[3]string{of[0], "What in " + two + " (?P<rest>" + of[1] + " in " + one + ")", "Which of these in ${when2} ${rest}"},
			[3]string{of[0], "In " + two + ", what (?P<rest>" + of[1] + " in " + one + ")", "In ${when2}, which of these ${rest}"},
			[3]string{of[0], "Take " + thing + " in " + one + ": what in " + two + " " + of[2], "Take ${thing} in ${when}: which of these in ${when2} " + of[2]})
	}
	tail := "is the (?P<rest>" + class + " that is " + prepositionPattern + " " + thing + " in " + one + ")"
	list = append(list,
		[3]string{"which", "Where in " + two + " " + tail, "At which of these places in ${when2} is the ${rest}"},
		[3]string{"which", "In " + two + ", where " + tail, "In ${when2}, at which of these places is the ${rest}"},
		[3]string{"which", "Take (?P<rest>the " + class + " " + prepositionPattern + " " + thing + " in " + one + "): where in " + two + " is it", "Take ${rest}: at which of these places in ${when2} is it"})
	counted := "(?P<rest>" + class + " " + prepositionPattern + " " + thing + " in " + one + " and (?P<prep2>[a-z]+) (?P<thing2>.+) in " + two + ")"
	added := [][3]string{
		{"count", "How many " + class + " are (?P<rest>" + prepositionPattern + " " + thing + " in " + one + " and (?P<prep2>[a-z]+) (?P<thing2>.+) in " + two + ") together", "Which of these is the number of ${class} ${rest} together"},
		{"count", "Count the " + counted + ": how many are they together", "Count the ${rest}: which of these are they together"},
		{"count", "What do the " + counted + " add up to", "Which of these do the ${rest} add up to"},
	}
	return append(compilePatterns("match", list), compilePatterns("sum", added)...)
})

// compilePatterns compiles lists of aspect, words and choice form.
func compilePatterns(form string, list [][3]string) []questionPattern {
	var out []questionPattern
	for _, l := range list {
		out = append(out, questionPattern{form: form, aspect: l[0], words: regexp.MustCompile("^" + l[1] + "$"), choice: l[2]})
	}
	return out
}

// timedQuestion is a question with its phrase for the time cut off.
type timedQuestion struct{ form, when, before, words, after string }

// Phrases for the time of questions about one picture.
var (
	pictureOpening = regexp.MustCompile(`^((?:In|Going by) (` + pictureNamePattern + `), )(.)(.*)$`)
	pictureEnding  = regexp.MustCompile(`^(.*)( in (` + pictureNamePattern + `))$`)
)

// splitTimes returns the ways to cut a phrase for the time off a question.
func splitTimes(body string) []timedQuestion {
	var out []timedQuestion
	upper := func(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
	for _, after := range []timedQuestion{
		{form: "current", after: ", as things stand after the last session"}, {form: "current", after: " at the end of the conversation"},
		{form: "before", after: " just before the last time this changed"}, {form: "before", after: " until the last time this changed"},
	} {
		if words, ok := strings.CutSuffix(body, after.after); ok {
			after.words = words
			out = append(out, after)
		}
	}
	for _, before := range []timedQuestion{{form: "current", before: "After everything that was shared, "}, {form: "before", before: "Just before the last time this changed, "}} {
		if words, ok := strings.CutPrefix(body, before.before); ok && words != "" {
			before.words = upper(words)
			out = append(out, before)
		}
	}
	if m := pictureOpening.FindStringSubmatch(body); m != nil {
		out = append(out, timedQuestion{form: "value", when: m[2], before: m[1], words: upper(m[3] + m[4])})
	}
	if m := pictureEnding.FindStringSubmatch(body); m != nil {
		out = append(out, timedQuestion{form: "value", when: m[3], words: m[1], after: m[2]})
	}
	return out
}

// Interpretations returns all interpretations of a question. Names of things may have
// any words; the pictures decide which one is meant.
func Interpretations(question string) []Interpretation {
	body, ok := strings.CutSuffix(question, "?")
	if !ok {
		return nil
	}
	if r, ok := parseRanking(body); ok {
		return []Interpretation{r}
	}
	var out []Interpretation
	for _, w := range twoPicturePatterns() {
		if r, ok := w.match(body); ok {
			r.stem += "?"
			out = append(out, r)
		}
	}
	for _, t := range splitTimes(body) {
		for _, w := range onePicturePatterns() {
			r, ok := w.match(t.words)
			if !ok {
				continue
			}
			if t.before != "" {
				r.stem = strings.ToLower(r.stem[:1]) + r.stem[1:]
			}
			r.Form, r.When, r.stem = t.form, t.when, t.before+r.stem+t.after+"?"
			out = append(out, r)
		}
	}
	return out
}

func (w questionPattern) match(words string) (Interpretation, bool) {
	at := w.words.FindStringSubmatchIndex(words)
	if at == nil {
		return Interpretation{}, false
	}
	get := func(name string) string {
		if i := w.words.SubexpIndex(name); i >= 0 {
			return words[at[2*i]:at[2*i+1]]
		}
		return ""
	}
	return Interpretation{
		Form: w.form, Aspect: w.aspect, Thing: get("thing"), When: get("when"), Thing2: get("thing2"), When2: get("when2"),
		prep2: get("prep2"), class: get("class"), prep: get("prep"), stem: string(w.words.ExpandString(nil, w.choice, words, at)),
	}, true
}

// parseRanking interprets a question about which of some things is seen first.
func parseRanking(body string) (Interpretation, bool) {
	for words, stem := range map[string]string{
		"Which of these is shown first: ": "Which of these is shown first?", "Which comes up first in the pictures: ": "Which of these comes up first in the pictures?",
		"Which can be seen earliest: ": "Which of these can be seen earliest?",
	} {
		if list, ok := strings.CutPrefix(body, words); ok {
			return Interpretation{Form: "first", Aspect: "which", options: splitItems(list), stem: stem}, true
		}
	}
	return Interpretation{}, false
}

// splitItems splits "a, b, c or d".
func splitItems(list string) []string {
	i := strings.LastIndex(list, " or ")
	if i < 0 {
		return []string{list}
	}
	return append(strings.Split(list[:i], ", "), list[i+len(" or "):])
}
