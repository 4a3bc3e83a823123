package format

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// statementEnd ends a sentence: a point stands between digits too.
var statementEnd = regexp.MustCompile(`([.!?])\s+|\n+`)

// statement is a sentence as words, and as terms.
type statement struct {
	words string
	terms []term
}

// term is a word or a number of a sentence: "12.5", "blue-green".
type term struct {
	text  string   // in lower case, a number in one form: "1,200.0" is 1200
	words []string // as normalise parts it
	gap   string   // the signs before it
	// isName says that it begins with a capital behind the first word, or has a digit.
	isName bool
}

var (
	termForm  = regexp.MustCompile(`\p{N}[\p{L}\p{N}]*(?:[.,:/-]\p{N}[\p{L}\p{N}]*)*|[\p{L}_][\p{L}\p{N}_]*(?:[-'’][\p{L}\p{N}_]+)*`)
	thousands = regexp.MustCompile(`^\d{1,3}(,\d{3})+(\.\d+)?$`)
	noughts   = regexp.MustCompile(`^(\d+)\.0+$|^(\d+\.\d*[1-9])0+$`)
	owner     = regexp.MustCompile(`['’]s$`)
)

// termsOf returns the terms of a sentence without articles.
func termsOf(sentence string) (out []term) {
	end := 0
	for _, at := range termForm.FindAllStringIndex(sentence, -1) {
		raw := sentence[at[0]:at[1]]
		t := term{text: strings.ToLower(owner.ReplaceAllString(raw, "")), gap: strings.Join(strings.Fields(sentence[end:at[0]]), "")}
		t.isName = end > 0 && unicode.IsUpper([]rune(raw)[0]) || strings.ContainsAny(raw, "0123456789")
		if thousands.MatchString(t.text) {
			t.text = strings.ReplaceAll(t.text, ",", "")
		}
		t.text = noughts.ReplaceAllString(t.text, "$1$2")
		end = at[1]
		if t.words = strings.Fields(normalise(t.text)); t.text == "and" || len(t.words) > 0 {
			out = append(out, t)
		}
	}
	return out
}

func (t term) isNumber() bool { return t.text[0] >= '0' && t.text[0] <= '9' }

func newStatement(sentence string) statement {
	return statement{normalise(sentence), termsOf(sentence)}
}

// statementsOf returns the sentences of a text. A question states nothing.
func statementsOf(text string) (out []statement) {
	for {
		sentence, rest := text, ""
		if at := statementEnd.FindStringIndex(text); at != nil {
			sentence, rest = text[:at[1]], text[at[1]:]
		}
		if said := newStatement(sentence); said.words != "" && !strings.HasSuffix(strings.TrimSpace(sentence), "?") {
			out = append(out, said)
		}
		if rest == "" {
			return out
		}
		text = rest
	}
}

// statements keeps the sentences of texts, which stay in memories over many sessions.
type statements map[string][]statement

func (s statements) of(text string) []statement {
	if _, known := s[text]; !known {
		s[text] = statementsOf(text)
	}
	return s[text]
}

// find returns where whole terms say words, as ranges of terms.
func (s statement) find(words []string) (out [][2]int) {
	for from := range s.terms {
		rest := words
		for to := from; len(rest) > 0 && to < len(s.terms); to++ {
			said := s.terms[to].words
			if len(said) == 0 && to == from || len(said) > len(rest) || !slices.Equal(said, rest[:len(said)]) {
				break
			}
			if rest = rest[len(said):]; len(rest) == 0 {
				out = append(out, [2]int{from, to + 1})
			}
		}
	}
	return out
}

// all reports whether each of some terms is one of these words, with no sign before them that
// ends a clause.
func all(terms []term, of string) bool {
	return !slices.ContainsFunc(terms, func(t term) bool {
		return !containsWords(of, t.text) || strings.ContainsAny(t.gap, ";:()")
	})
}

// Words around values.
const (
	joining  = "and or to nor perhaps maybe possibly then plus"
	denying  = "not no never nor neither without instead rather isn't wasn't aren't weren't isn’t wasn’t aren’t weren’t"
	between  = "longer be of than been"
	equating = "is was are were became equals"
	silent   = "not no unknown unclear undecided open missing none nothing what this that it here there i he she they we you who which"
)

// joins reports whether the terms from a place on continue those that end before another: "12
// or" before "13", "Ada" before "Quill".
func (s statement) joins(end, from int) bool {
	if end < 1 || end > from || from >= len(s.terms) {
		return false
	}
	gap, numbers := s.terms[from].gap, s.terms[from].isNumber()
	if end == from {
		return s.terms[end-1].isNumber() == numbers && (gap == "" || gap == "/" || gap == "," && numbers)
	}
	return all(s.terms[end:from], joining) && !strings.ContainsAny(gap, ";:()=")
}

// addsTo reports whether one of two places that are joined adds a number to a number, or any
// new word by "or".
func (s statement) addsTo(end, from int, added term) bool {
	if !s.joins(end, from) {
		return false
	}
	if added.isNumber() {
		return s.terms[end-1].isNumber() && s.terms[from].isNumber()
	}
	return slices.ContainsFunc(s.terms[end:from], func(t term) bool { return t.text == "or" || t.text == "nor" })
}

// nameAt returns a term with the parts of names beside it.
func (s statement) nameAt(at int) [2]int {
	isPart := func(i int) bool { return s.terms[i].isName && !s.terms[i].isNumber() }
	from, to := at, at+1
	for from > 0 && isPart(at) && isPart(from-1) && s.terms[from].gap == "" {
		from--
	}
	for to < len(s.terms) && isPart(at) && isPart(to) && s.terms[to].gap == "" {
		to++
	}
	return [2]int{from, to}
}

// denies reports whether a statement says that some of its terms are not so: "not X", "no
// longer X", "instead of X", "X is not".
func (s statement) denies(from, to int) bool {
	before := from - 1
	for before >= 0 && s.terms[before+1].gap == "" && containsWords(between, s.terms[before].text) {
		before--
	}
	if before >= 0 && s.terms[before+1].gap == "" && containsWords(denying, s.terms[before].text) {
		return true
	}
	after := s.terms[to:]
	if len(after) > 1 && containsWords(equating, after[0].text) {
		return containsWords("not no", after[1].text)
	}
	return len(after) > 0 && strings.HasSuffix(strings.ReplaceAll(after[0].text, "’", "'"), "n't")
}

// slot returns the words, four at most, that a statement gives as the value of its subject,
// whose own terms these are: SUBJECT is WORDS, SUBJECT: WORDS, or WORDS is SUBJECT.
func (s statement) slot(own []bool) []term {
	first, last := slices.Index(own, true), len(own)
	for last > 0 && !own[last-1] {
		last--
	}
	if first < 0 {
		return nil
	}
	var out []term
	switch {
	case last < len(own) && containsWords(equating, s.terms[last].text):
		out = s.terms[last+1:]
	case last < len(own) && strings.ContainsAny(s.terms[last].gap, ":="):
		out = slices.Clone(s.terms[last:])
		out[0].gap = ""
	case first > 1 && containsWords(equating, s.terms[first-1].text):
		out = s.terms[:first-1]
	}
	if end := slices.IndexFunc(out, func(t term) bool { return t.gap != "" && !strings.ContainsAny(t.gap, `"'(*_`) }); end >= 0 {
		out = out[:end]
	}
	if len(out) > 4 || len(out) > 0 && slices.ContainsFunc(out, func(t term) bool { return containsWords(silent, t.text) }) {
		return nil
	}
	return out
}
