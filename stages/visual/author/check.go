package author

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/schemas"
)

// forbiddenReference finds references that the test-taker cannot resolve: numbers of
// rounds, sessions or pictures, and mentions of descriptions.
var forbiddenReference = regexp.MustCompile(`(?i)\bD\d+:\d+\b|\b(round|session|picture|image|photo|photograph) (no\. ?|number |#)?\d+\b|\b(caption|description|option|excerpt)s?\b`)

// pictureByDate finds pictures that are named by their date.
var pictureByDate = regexp.MustCompile(`(?i)\b(?:picture|image|photo|photograph|screenshot|page|scan|board|chart|poster|map|one)s? (?:\w+ ){0,3}?(?:of|from|on|dated) (?:the )?` +
	`(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d|\d{4}-\d\d-\d\d)`)

// checkDraft returns what is wrong with a draft, as feedback for its author. It sees
// words and rounds, never pictures.
func (w *dialogueWriter) checkDraft(in Input, d Draft) []string {
	var why []string
	say := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	if d.X != in.X || d.Y != in.Y {
		say("target_X and target_Y are %q and %q; the target is %s, %s", d.X, d.Y, in.X, in.Y)
	}
	w.checkQuestions(in, d, say)
	checkOptions(d, say)
	w.checkClues(in, d, say)
	checkExplanation(d, say)
	return why
}

type reportFunc func(format string, args ...any)

func (w *dialogueWriter) checkQuestions(in Input, d Draft, say reportFunc) {
	for _, f := range []struct{ name, text string }{{"open_question", d.Open}, {"mcq_question", d.Choice}} {
		name, q := f.name, f.text
		if q == "" || answercues.HasControl(q) || !strings.HasSuffix(q, "?") {
			say("%s must be one line of plain text that ends with a question mark", name)
		}
		if m := forbiddenReference.FindString(q); m != "" {
			say("%s says %q; name pictures by their occasion, and speak of no numbers, descriptions or options", name, m)
		}
	}
	for _, q := range []string{d.Open, d.Choice} {
		if m := pictureByDate.FindString(q); m != "" {
			say("the question says %q; name a picture by what it shows or by its occasion, never by its date", m)
			break
		}
	}
	existing := slices.Clone(in.Asked)
	for _, q := range w.questions {
		existing = append(existing, q.Question)
	}
	for _, asked := range existing {
		if slices.Equal(answercues.Words(asked), answercues.Words(d.Open)) {
			say("the question exists already: %q", asked)
		}
	}
	if d.Truth != "" && answercues.ContainsWords(d.Open, d.Truth) {
		say("open_question says its own answer, %q", d.Truth)
	}
}

func checkOptions(d Draft, say reportFunc) {
	right, named := d.correctText()
	switch {
	case len(d.Options) != wrongOptionCount+1:
		say("there are %d options; give four", len(d.Options))
		return
	case !named:
		say("correct_option is %q; give the letter A, B, C or D of an option", d.Correct)
		return
	case right != d.Truth:
		say("ground_truth is %q and option %s %q; they must be the same, word for word", d.Truth, d.Correct, right)
	}
	if d.ErrorType == "" {
		say("error_type is empty; say in which one way the three wrong options are wrong")
	}
	for i, o := range d.Options {
		checkOption(d, i, o, say)
	}
	for _, reason := range answercues.CheckLengths(right, d.wrongTexts()) {
		say("%s", reason)
	}
	checkForms(d, say)
	checkGiveaway(d, right, say)
}

func checkOption(d Draft, i int, o string, say reportFunc) {
	if len(answercues.Words(o)) == 0 || answercues.HasControl(o) {
		say("option %q has no word, or is not one line of plain text", o)
	}
	for _, other := range d.Options[:i] {
		if answercues.Alike(o, other) {
			say("options %q and %q hold one another or say the same; each must exclude the others", other, o)
		}
	}
	if answercues.HasOwnLetter(o) || answercues.FindOptionLetter(o) != "" || answercues.RefersToOptions(o) {
		say("option %q carries a letter or speaks of other options", o)
	}
	if m := answercues.FindNoAnswer(o); m != "" {
		say("option %q says %q, which is no answer; each option must say something that can be seen", o, m)
	}
	if m := answercues.FindHedge(o); m != "" {
		say("option %q says %q; options must not differ in how certain they sound", o, m)
	}
	if m := forbiddenReference.FindString(o); m != "" {
		say("option %q says %q; name pictures by their occasion", o, m)
	}
}

// optionForm classifies an option by its first and last character.
func optionForm(o string) string {
	runes := []rune(o)
	first, last := runes[0], runes[len(runes)-1]
	words := answercues.Words(o)
	switch {
	case !strings.ContainsFunc(o, unicode.IsLetter):
		return "a number"
	case strings.ContainsRune("\"“'«", first):
		return "quoted"
	case last == '.':
		return "a sentence"
	case unicode.IsUpper(first):
		return "beginning with a capital"
	case len(words) > 0 && slices.Contains([]string{"a", "an", "the"}, words[0]):
		return "beginning with an article"
	}
	return "a phrase"
}

func checkForms(d Draft, say reportFunc) {
	var forms []string
	for _, o := range d.Options {
		if o == "" {
			return
		}
		forms = append(forms, optionForm(o))
	}
	if slices.Sort(forms); len(slices.Compact(forms)) > 1 {
		say("the options differ in form, one being %s and another %s; write all four alike", forms[0], forms[len(forms)-1])
	}
}

// minWordLength skips words too short to say what an option is about.
const minWordLength = 4

// checkGiveaway reports words that single out the right option: a word of the question
// that only it repeats, or one that only it lacks.
func checkGiveaway(d Draft, right string, say reportFunc) {
	mine, asked := answercues.Words(right), append(answercues.Words(d.Open), answercues.Words(d.Choice)...)
	count := map[string]int{}
	for _, o := range d.wrongTexts() {
		words := answercues.Words(o)
		slices.Sort(words)
		for _, word := range slices.Compact(words) {
			count[word]++
		}
	}
	for _, word := range mine {
		if len(word) >= minWordLength && count[word] == 0 && slices.Contains(asked, word) {
			say("the question gives the correct option away: both, and no other option, say %q", word)
		}
	}
	for _, o := range d.wrongTexts()[:1] {
		for _, word := range answercues.Words(o) {
			if len(word) >= minWordLength && count[word] == wrongOptionCount && !slices.Contains(mine, word) {
				say("the correct option is the only one that does not say %q", word)
			}
		}
	}
}

// checkClues checks that the clues are rounds of the prompt, as many and in the roles
// that the target depth needs, with pictures among them. Questions are asked after the
// last session, so every round precedes them; only the last clue is the update.
func (w *dialogueWriter) checkClues(in Input, d Draft, say reportFunc) {
	pictured, roles := 0, map[string]int{}
	known := map[string]bool{}
	for i, c := range d.Clues {
		r, err := w.findRound(in, c.Round)
		if err != nil {
			say("%v", err)
			continue
		}
		if known[c.Round] {
			say("clue_rounds names %s in two roles; give each round one", c.Round)
		}
		known[c.Round] = true
		roles[c.Role]++
		if len(r.Pictures()) > 0 {
			pictured++
		}
		if c.Role == schemas.RoleUpdate && i != len(d.Clues)-1 {
			say("%s is called the update and %s comes after it; only the last round is the update", c.Round, d.Clues[i+1].Round)
		}
		if c.Role == schemas.RoleUpdate && d.UpdateIn == "picture" && len(r.Pictures()) == 0 {
			say("update_in is \"picture\" and the update, %s, has none", c.Round)
		}
	}
	if pictured == 0 {
		say("none of the clue_rounds has a picture; the answer must be seen in one")
	}
	checkDepth(d, roles, say)
}

func checkDepth(d Draft, roles map[string]int, say reportFunc) {
	clues, old, updates := roles[schemas.RoleClue], roles[schemas.RoleSuperseded], roles[schemas.RoleUpdate]
	told := fmt.Sprintf("clue_rounds has %d clues, %d superseded rounds and %d updates", clues, old, updates)
	switch {
	case d.Y == schemas.ReasonSingle && (clues != 1 || old+updates > 0):
		say("%s; Y1 rests on one clue", told)
	case d.Y == schemas.ReasonJoined && (clues < 2 || old+updates > 0):
		say("%s; Y2 rests on two clues or more, of which none overrides another", told)
	case d.Y == schemas.ReasonEvolving && (old < 1 || updates != 1):
		say("%s; Y3 rests on one superseded round or more and ends with one update", told)
	}
	if (d.Y == schemas.ReasonEvolving) != (d.UpdateIn != "") {
		say("update_in is %q; Y3 says where the change is told, Y1 and Y2 leave it empty", d.UpdateIn)
	}
}

const minExplanationWords = 12

func checkExplanation(d Draft, say reportFunc) {
	words := answercues.Words(d.Explanation)
	if len(words) < minExplanationWords {
		say("the explanation has %d words; say which detail of which picture decides, and why the target fits", len(words))
	}
	if !slices.ContainsFunc(answercues.Words(d.Truth), func(w string) bool { return slices.Contains(words, w) }) {
		say("the explanation does not name the decisive detail: no word of the answer %q is in it", d.Truth)
	}
	if m := answercues.FindOptionLetter(d.Explanation); m != "" {
		say("the explanation says %q; options are shuffled, so name them by what they say", m)
	}
}
