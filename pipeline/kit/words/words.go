// Package words takes texts apart: into words, into shingles, and by them into
// pairs that say nearly the same. It compares wording and knows no meaning.
package words

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Rule says what a word is: a run of letters, numbers and marks, in lower case.
// What its fields ask for is part of the results of the callers that set them.
type Rule struct {
	// NoMarks ends words at combining marks.
	NoMarks bool
	// Digits takes of all numbers the decimal digits only.
	Digits bool
	// Signs are further characters of words.
	Signs string
	// Compatible brings the text to NFKC before, so that spellings of one
	// character are equal.
	Compatible bool
	// Pairs gives the overlapping pairs of characters in scripts that are written
	// without spaces (Han, Kana, Thai, Lao, Khmer, Myanmar), and a character that
	// stands alone itself.
	Pairs bool
}

// Words are the words of a text by the zero Rule.
func Words(text string) []string { return Rule{}.Words(text) }

// WordSet are the distinct words of a text, ascending.
func WordSet(text string) []string {
	list := Words(text)
	slices.Sort(list)
	return slices.Compact(list)
}

// Folded is a text as far as its words tell it from others: they, with a blank
// between two.
func Folded(text string) string { return strings.Join(Words(text), " ") }

// SameWords reports whether two texts have the same words in the same order.
func SameWords(a, b string) bool { return slices.Equal(Words(a), Words(b)) }

// Within reports whether all words of part are among those of all.
func Within(part, all []string) bool {
	return !slices.ContainsFunc(part, func(w string) bool { return !slices.Contains(all, w) })
}

// Words are the words of a text in their order.
func (r Rule) Words(text string) []string { return slices.Collect(r.Each(text)) }

// Each yields the words of a text in their order.
func (r Rule) Each(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		s := r.lower(text)
		for len(s) > 0 {
			kind, n := r.kindOf(s)
			for n < len(s) {
				next, size := r.kindOf(s[n:])
				if next != kind {
					break
				}
				n += size
			}
			if !yieldWords(s[:n], kind, yield) {
				return
			}
			s = s[n:]
		}
	}
}

func (r Rule) lower(text string) string {
	if !r.Compatible {
		return strings.ToLower(text)
	}
	return norm.NFKC.String(strings.ToLower(norm.NFKC.String(text)))
}

// kind of a character.
type kind int

const (
	gap kind = iota
	spaced
	unspaced
)

// kindOf classifies the first character of s.
func (r Rule) kindOf(s string) (kind, int) {
	c, size := rune(s[0]), 1
	if c >= utf8.RuneSelf {
		c, size = utf8.DecodeRuneInString(s)
	}
	switch {
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		return spaced, size
	case c == utf8.RuneError || !r.belongs(c):
		return gap, size
	case r.Pairs && c >= firstUnspaced && (unicode.In(c, scripts[:]...) || c == prolonged):
		return unspaced, size
	}
	return spaced, size
}

func (r Rule) belongs(c rune) bool {
	return c >= utf8.RuneSelf && (unicode.IsLetter(c) || !r.NoMarks && unicode.IsMark(c) || unicode.IsDigit(c) || !r.Digits && unicode.IsNumber(c)) ||
		r.Signs != "" && strings.ContainsRune(r.Signs, c)
}

const (
	firstUnspaced = 0x0e00 // the first character of Thai
	prolonged     = 'ー'    // belongs to two scripts, so to none
)

// scripts are those written without spaces.
var scripts = [...]*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// yieldWords yields the words of a run of one kind.
func yieldWords(run string, k kind, yield func(string) bool) bool {
	switch k {
	case gap:
		return true
	case spaced:
		return yield(run)
	}
	_, first := utf8.DecodeRuneInString(run)
	if first == len(run) {
		return yield(run)
	}
	for {
		_, second := utf8.DecodeRuneInString(run[first:])
		if second == 0 {
			return true
		}
		if !yield(run[:first+second]) {
			return false
		}
		run, first = run[first:], second
	}
}

// Shorten is a text of at most so many characters, or as many of it and "...".
func Shorten(text string, most int) string {
	n := 0
	for at := range text {
		if n++; n > most {
			return text[:at] + "..."
		}
	}
	return text
}

// ShortenBytes is Short with a bound in bytes, which keeps no part of a character.
func ShortenBytes(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
