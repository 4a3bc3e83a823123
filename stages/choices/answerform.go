package choices

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// answerForm is what a reader sees of an answer without knowing it is right,
// but for its length. Only answers of one form stand beside each other.
type answerForm struct {
	asked askedFor
	shape string
	// opening is how a phrase begins, written how a date or a number is, who whom a text is
	// about, and ends how it ends: a full stop where no other has one tells it apart.
	opening, written, who, ends string
}

// Shapes of answers that tell more than their opening does.
const (
	shapeYesNo    = "yes or no"
	shapeReasoned = "yes or no, with a reason"
	shapeDay      = "day"
	shapeMonth    = "month"
	shapeYear     = "year"
	shapeNear     = "time before or after a date"
	shapeAgo      = "time before now"
	shapeSpan     = "span of time"
	shapeNumber   = "number"
	shapeQuantity = "number with a unit"
	shapeQuoted   = "quotation"
	shapeName     = "name"
	shapePhrase   = "phrase"
	shapeList     = "list"
	shapeClause   = "clause"
)

const (
	months  = `(?:january|february|march|april|may|june|july|august|september|october|november|december)`
	count   = `(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|a few|several|many)`
	periods = `(?:second|minute|hour|day|week|weekend|month|year|decade)s?`
)

// shapes are tried in their order on an answer in lower case.
var shapes = []struct {
	name string
	is   *regexp.Regexp
}{
	{shapeYesNo, regexp.MustCompile(`^(?:likely |probably |somewhat )?(?:yes|no)$`)},
	{shapeReasoned, regexp.MustCompile(`^(?:likely |probably |somewhat )?(?:yes|no)\b`)},
	{shapeNear, regexp.MustCompile(`\b(?:before|after|of|since|around)\b.*(?:\b` + months + `\b|\b(?:1[89]|20)\d\d\b)`)},
	{shapeAgo, regexp.MustCompile(`\b(?:ago|last|next|yesterday|tomorrow)\b.*$`)},
	{shapeDay, regexp.MustCompile(`^(?:on |the )?(?:(?:\d{1,2}(?:st|nd|rd|th)?(?: of)? ` + months + `|` + months + ` \d{1,2}(?:st|nd|rd|th)?)(?:,? \d{4})?|\d{4}-\d\d-\d\d)$`)},
	{shapeMonth, regexp.MustCompile(`^(?:in )?` + months + `(?:,? \d{4})?$`)},
	{shapeYear, regexp.MustCompile(`^(?:in )?(?:1[89]|20)\d\d$`)},
	{shapeSpan, regexp.MustCompile(`^(?:since .*|(?:for |about |over )?` + count + ` ` + periods + `|(?:once|twice|` + count + ` times)\b.*)$`)},
	{shapeNumber, regexp.MustCompile(`^[\d.,]+%?$|^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)$`)},
	{shapeQuantity, regexp.MustCompile(`^[$€£]?[\d.,]+ ?\S+$`)},
	{shapeQuoted, regexp.MustCompile(`^["“«]`)},
}

func formOf(question, answer string) answerForm {
	text := strings.ToLower(strings.Join(strings.Fields(strings.TrimRight(answer, ". ")), " "))
	f := answerForm{asked: parseAsked(question), who: pronounPerson(text)}
	if strings.HasSuffix(strings.TrimSpace(answer), ".") {
		f.ends = "."
	}
	for _, s := range shapes {
		if s.is.MatchString(text) {
			f.shape = s.name
			f.written = f.style(text)
			return f
		}
	}
	first := openingOf(text)
	switch {
	case first == openClause:
		f.shape = shapeClause
	case strings.ContainsAny(answer, ",;") || strings.Contains(" "+answer+" ", " and "):
		f.shape = shapeList
	case strings.ContainsFunc(answer, unicode.IsUpper) && allNames(answer):
		f.shape = shapeName
	default:
		f.shape = shapePhrase
	}
	switch first {
	case openGerund, openPast, "article", "infinitive", "manner", "reason":
		f.opening = first
	}
	return f
}

// style separates dates with a year or a comma from those without, numbers in digits from
// those in words, and quantities by their unit.
func (f answerForm) style(text string) (out string) {
	switch {
	case f.shape == shapeNumber && strings.ContainsFunc(text, unicode.IsDigit):
		return "digits"
	case f.shape == shapeQuantity:
		return words.Value(strings.Trim(text, "0123456789., "))
	case !f.isDate():
		return ""
	}
	if strings.Contains(text, ",") {
		out = ", "
	}
	if yearIn.MatchString(text) {
		out += "year"
	}
	return out
}

var yearIn = regexp.MustCompile(`\b(?:1[89]|20)\d\d\b`)

// isDate reports a form whose texts share words though they differ: "May",
// "before".
func (f answerForm) isDate() bool {
	switch f.shape {
	case shapeDay, shapeMonth, shapeYear, shapeNear, shapeAgo, shapeSpan, shapeNumber:
		return true
	}
	return false
}

func openingKind(word string) string {
	switch word {
	case "he", "she", "it", "they", "we", "i", "you", "there", "that", "let":
		return openClause
	case "a", "an", "the":
		return "article"
	case "his", "her", "its", "their", "our", "my", "your":
		return "possessive"
	case "in", "on", "at", "from", "with", "into", "near", "during", "of", "as", "after", "before", "outside", "inside":
		return "preposition"
	case "to":
		return "infinitive"
	case "by", "through":
		return "manner"
	case "because", "since", "for", "so", "due":
		return "reason"
	case "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "several", "many", "some":
		return "number"
	}
	return ""
}

// Openings that more than one place names.
const (
	openClause = "clause" // of a sentence
	openGerund = "gerund"
	openPast   = "past"
)

func openingOf(text string) string {
	list := strings.Fields(text)
	if len(list) == 0 {
		return ""
	}
	first := strings.Trim(list[0], ",;:'\"")
	kind := openingKind(strings.TrimSuffix(first, "'s"))
	switch {
	case hasFiniteVerb(list):
		return openClause
	case kind != "":
		return kind
	case strings.ContainsFunc(first, unicode.IsDigit):
		return "number"
	case len(first) > 4 && strings.HasSuffix(first, "ing"):
		return openGerund
	case len(first) > 4 && strings.HasSuffix(first, "ed"):
		return openPast
	}
	return "noun"
}

// hasFiniteVerb reports that one of the first words is a verb that makes a
// sentence.
func hasFiniteVerb(list []string) bool {
	return slices.ContainsFunc(list[:min(len(list), 6)], func(w string) bool {
		return slices.Contains([]string{"is", "are", "was", "were", "has", "have", "had", "'s", "got", "can", "would", "likes", "wants"}, w)
	})
}

// allNames reports that all but the small words begin with a capital.
func allNames(answer string) bool {
	return !slices.ContainsFunc(strings.Fields(answer), func(w string) bool {
		r := []rune(w)[0]
		return unicode.IsLower(r) && len(w) > 3
	})
}

// hasCapital reports a capital after the first word.
func hasCapital(answer string) bool {
	list := strings.Fields(answer)
	return len(list) > 1 && slices.ContainsFunc(list[1:], func(w string) bool {
		return strings.ContainsFunc(w[:min(len(w), 4)], unicode.IsUpper)
	})
}

func pronounPerson(text string) string {
	list := words.Words(text)
	for _, who := range [][]string{{"he", "his", "him", "himself"}, {"she", "her", "hers", "herself"}, {"they", "their", "them", "themselves"}, {"we", "our", "us", "i", "my", "me"}} {
		if slices.ContainsFunc(list, func(w string) bool { return slices.Contains(who, w) }) {
			return who[0]
		}
	}
	return ""
}

// askedFor is what a question asks for, as far as its question word and the word that
// goes with it tell: "when", "how many", "which city". Questions that ask for unlike
// things have unlike answers, whatever these look like.
type askedFor string

const (
	askedWhen  = "when"
	askedYesNo = "yes or no"
	askedTitle = "which title"
	askedPlace = "which place"
	askedName  = "which name"
	askedDo    = "what do"
	askedWhat  = "what"
	askedBe    = "what be"
	askedHow   = "how"
	askedWhy   = "why"
)

// isAuxiliary reports a word that separates a question's noun from its subject.
func isAuxiliary(word string) bool {
	switch word {
	case "did", "do", "does", "is", "are", "was", "were", "has", "have", "had", "would", "will", "could", "can", "should", "might", "may":
		return true
	}
	return false
}

// nounAsked maps nouns that ask for the same thing, though they differ, to one.
func nounAsked(noun string) askedFor {
	switch noun {
	case "book", "song", "movie", "film", "show", "game":
		return askedTitle
	case "city", "cities", "town", "towns":
		return askedPlace
	case "countries":
		return "which country"
	case "name", "names", "called":
		return askedName
	case "year", "month", "date", "day", "time":
		return askedWhen
	}
	return askedFor("which " + strings.TrimSuffix(noun, "s"))
}

func parseAsked(question string) askedFor {
	list := words.Words(question)
	at := slices.IndexFunc(list, func(w string) bool {
		return slices.Contains([]string{"when", "where", "who", "whom", "whose", "why", "how", "what", "which"}, w)
	})
	if len(list) > 0 && isAuxiliary(list[0]) || at < 0 {
		return askedYesNo
	}
	rest := list[at+1:]
	switch w := list[at]; w {
	case "whom", "whose", "who":
		return "who"
	case "how":
		if len(rest) > 0 && !isAuxiliary(rest[0]) {
			return askedFor("how " + rest[0])
		}
		if slices.Contains(rest, "feel") {
			return "how feel"
		}
		return askedHow
	case "what", "which":
		return parseWhat(rest)
	default:
		return askedFor(w)
	}
}

func parseWhat(rest []string) askedFor {
	if slices.Contains(rest, "name") || slices.Contains(rest, "names") || len(rest) > 0 && rest[len(rest)-1] == "called" {
		return askedName
	}
	verb := slices.IndexFunc(rest, isAuxiliary)
	if verb == 0 {
		switch {
		case strings.HasPrefix(rest[0], "d") && slices.Contains(rest[1:], "do"):
			return askedDo
		case slices.Contains([]string{"did", "do", "does", "has", "have"}, rest[0]):
			return askedWhat
		}
		return askedBe
	}
	if len(rest) > 1 && slices.Contains([]string{"kind", "kinds", "type", "types", "sort", "style"}, rest[0]) && rest[1] == "of" {
		rest, verb = rest[2:], verb-2
	}
	noun := ""
	if verb > 0 {
		noun = rest[verb-1]
	} else if len(rest) > 0 {
		noun = rest[0]
	}
	return nounAsked(noun)
}

// isVague reports that questions of one kind ask for many different things, so
// that only those about the same have answers that could be taken for each
// other's.
func (a askedFor) isVague() bool {
	return slices.Contains([]askedFor{askedWhat, askedDo, askedBe, askedHow, askedWhy, askedYesNo}, a)
}
