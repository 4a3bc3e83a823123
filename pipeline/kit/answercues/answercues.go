// Package answercues finds hints at the answer that the form of a question or an option
// gives, whatever the question is about.
package answercues

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// lettered finds an option's own letter, letters a letter of another; sweeping
// finds options about options; open those that answer nothing; hedged those that
// sound less certain than others.
var (
	ownLetter    = regexp.MustCompile(`^\s*\(?[A-Da-d][.):]\s`)
	optionLetter = regexp.MustCompile(`\b([Oo]ptions?|[Aa]nswers?|[Cc]hoices?) \(?[A-D]\b`)
	aboutOptions = regexp.MustCompile(`(?i)\b(all|none|both|neither|any|some) of (the )?(above|these|those|options|others|rest)\b|^\s*(none|neither|all|both)\W*$`)
	noAnswer     = regexp.MustCompile(`(?i)\b(un(known|clear|certain|determined|specified|decided|recognisable|recognizable)|in(determinable|determinate|discernible)|undeterminable|unidentifiable)\b` +
		`|\b(not|never|n't|cannot|can't) (be |been |being |possible to |enough (to )?)?(shown|seen|visible|known|clear|certain|stated|mentioned|given|specified|described|determined?|told|tell|say|said|know|identified|recognisable|recognizable|present|there|discernible|made out|make out|applicable|decide[dn]?)\b` +
		`|\b(impossible|hard|difficult) to (tell|say|know|see|determine|make out|judge)\b|\bno (answer|information|way to|telling|saying|such|clear)\b|\bno \w+( \w+)? (is|are|was|were|can be) (visible|shown|seen|given|there|present|legible|to be seen)\b` +
		`|\b(does|did|do) ?(not|n't) (appear|occur|happen|exist|say|show|tell)\b|\b(isn|wasn|aren|doesn|didn|can|couldn)['’]t\b|\b(nothing|none|nobody|no one) (of the (kind|sort)|at all|is (shown|seen|visible)|can (tell|say))\b` +
		`|\b(something|someone|somebody|anything|somewhere) else\b|\b(an)?other (one|thing|colour|color|number|object|person|answer)\b|\bnot enough\b|\bn/a\b|\bdon['’]t know\b|\bone cannot\b`)
	hedge = regexp.MustCompile(`(?i)\b(probably|perhaps|maybe|possibly|apparently|presumably|seems? to|might be|may be|could be)\b`)
)

// HasOwnLetter reports an option that begins with a letter of its own.
func HasOwnLetter(option string) bool { return ownLetter.MatchString(option) }

// RefersToOptions reports an option that speaks of others.
func RefersToOptions(option string) bool { return aboutOptions.MatchString(option) }

// FindOptionLetter gives what names an option by its letter, which says nothing where options
// are shuffled; empty where nothing does.
func FindOptionLetter(text string) string { return optionLetter.FindString(text) }

// FindNoAnswer gives what says that nothing is answered, Hedged what sounds uncertain;
// empty where nothing does.
func FindNoAnswer(option string) string { return noAnswer.FindString(option) }

// FindHedge is told with FindNoAnswer.
func FindHedge(option string) string { return hedge.FindString(option) }

// HasControl reports whether a text has a line break or another control character.
func HasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// Words are the words of a text in lower case.
func Words(s string) []string { return words.Rule{NoMarks: true, Digits: true}.Words(s) }

// ContainsWords reports whether the words of part stand in text one after the other.
// No words are in no text.
func ContainsWords(text, part string) bool {
	return part != "" && containsRun(Words(text), Words(part))
}

func containsRun(text, part []string) bool {
	for i := 0; len(part) > 0 && i+len(part) <= len(text); i++ {
		if slices.Equal(text[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// Overlap reports whether one of two texts holds the other.
func Overlap(a, b string) bool { return ContainsWords(a, b) || ContainsWords(b, a) }

// Alike reports whether two texts overlap or have the same words in another
// order: "grey and black" is hardly another claim than "black and grey".
func Alike(a, b string) bool {
	if Overlap(a, b) {
		return true
	}
	x, y := slices.Sorted(slices.Values(Words(a))), slices.Sorted(slices.Values(Words(b)))
	return len(x) > 0 && slices.Equal(x, y)
}

// Options may differ in length by this factor and these many characters.
const (
	lengthFactor = 2
	lengthSlack  = 20
)

// CheckLengths says, in words that an author can act on, what is wrong with the lengths of
// options: they should be comparable, and the right one not stand out.
func CheckLengths(right string, wrong []string) (why []string) {
	mine := utf8.RuneCountInString(right)
	if len(wrong) == 0 || mine == 0 {
		return nil
	}
	var others []int
	for _, w := range wrong {
		others = append(others, utf8.RuneCountInString(w))
	}
	shortest, longest := slices.Min(others), slices.Max(others)
	if max(longest, mine) > lengthFactor*min(shortest, mine)+lengthSlack {
		why = append(why, fmt.Sprintf("the options have %d to %d characters; make them about equally long", min(shortest, mine), max(longest, mine)))
	}
	if outlier(mine, longest) || outlier(shortest, mine) {
		why = append(why, fmt.Sprintf("the correct option has %d characters and the others %d to %d; its length must not tell it", mine, shortest, longest))
	}
	return why
}

// outlier reports whether a length is out of reach of the one it should be near.
func outlier(long, short int) bool { return long > short+short/4+8 }
