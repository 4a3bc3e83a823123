package revise

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// lettered finds an option's own letter or number; sweeping finds options about
// options.
var (
	lettered = regexp.MustCompile(`^\s*\(?([A-Za-z]|[0-9]{1,2})[.):]\s`)
	sweeping = regexp.MustCompile(`(?i)\b(all|none|both|neither|any) of (the )?(above|these|options|others)`)
)

// checkDraft returns what is wrong with a rewrite, in words that its author can
// act on; nothing when it can stand. It checks form; the gates check truth.
func checkDraft(old schemas.Question, in Input, d Draft) []string {
	var why []string
	say := func(format string, args ...any) { why = append(why, fmt.Sprintf(format, args...)) }
	checkQuestion(old.Question, d.Question, say)
	if strings.TrimSpace(d.Explanation) == "" {
		say("the explanation is missing")
	}
	checkChoice(in, d, say)
	switch {
	case len(in.Options) > 0 && !in.Fixed:
		checkOptions(in, d, say)
	case len(d.Options) > 0 && !repeatsOptions(in, d):
		say("options are given although they are fixed or there are none; give an empty list")
	}
	if len(why) == 0 {
		checkChange(old, in, d, say)
	}
	return why
}

func repeatsOptions(in Input, d Draft) bool {
	return len(d.Options) == len(in.Options) && !slices.ContainsFunc(d.Options, func(o Rewrite) bool {
		return o.Option < 1 || o.Option > len(in.Options) || o.Text != in.Options[o.Option-1].Text
	})
}

type report func(format string, args ...any)

// checkChoice demands words of its own for the form with options where there is
// one, and none where there is not.
func checkChoice(in Input, d Draft, say report) {
	if in.Choice != "" {
		checkQuestion(in.Choice, d.Choice, func(format string, args ...any) { say("choice_question: "+format, args...) })
		return
	}
	if c := strings.TrimSpace(d.Choice); c != "" && c != strings.TrimSpace(d.Question) {
		say("choice_question is given although the form with options asks in the words of the question; leave it empty")
	}
}

func checkQuestion(old, next string, say report) {
	q := strings.TrimSpace(next)
	switch {
	case len(wordsOf(q)) == 0:
		say("there is no question, and \"cannot\" does not say why")
	case strings.HasSuffix(strings.TrimSpace(old), "?") && !strings.HasSuffix(q, "?"):
		say("the question must end with a question mark")
	}
	if hasControl(q) {
		say("the question must be one line of plain text")
	}
}

func checkOptions(in Input, d Draft, say report) {
	given := map[int]int{}
	for _, o := range d.Options {
		given[o.Option]++
	}
	for _, o := range in.Options {
		if given[o.Option] != 1 {
			say("option %d is given %d times; give each of the %d options once, by its number", o.Option, given[o.Option], len(in.Options))
		}
	}
	if len(d.Options) > len(in.Options) {
		say("there are %d options; there must be %d", len(d.Options), len(in.Options))
	}
	for i, o := range d.Options {
		if len(wordsOf(o.Text)) == 0 || hasControl(o.Text) {
			say("option %d must be one line of plain text", o.Option)
		}
		if lettered.MatchString(o.Text) || sweeping.MatchString(o.Text) {
			say("option %d, %q, begins with a letter or number or speaks of other options", o.Option, o.Text)
		}
		for _, other := range d.Options[:i] {
			if slices.Equal(wordsOf(o.Text), wordsOf(other.Text)) {
				say("options %d and %d say the same", other.Option, o.Option)
			}
		}
	}
}

func checkChange(old schemas.Question, in Input, d Draft, say report) {
	same := slices.Equal(wordsOf(old.Question), wordsOf(d.Question)) && (in.Choice == "" || slices.Equal(wordsOf(in.Choice), wordsOf(d.Choice)))
	for _, o := range d.Options {
		same = same && slices.Equal(wordsOf(in.Options[o.Option-1].Text), wordsOf(o.Text))
	}
	if same {
		say("nothing was changed but signs; the finding would be the same")
	}
}

func wordsOf(s string) []string { return words.Rule{NoMarks: true}.Words(s) }

// hasControl reports whether a text has a line break or another control
// character.
func hasControl(s string) bool { return strings.ContainsFunc(strings.TrimSpace(s), unicode.IsControl) }
