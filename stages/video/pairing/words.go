package pairing

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Words yields the words of a text: NFKC, lower case, split at whatever is no
// letter, number or mark. Scripts that are written without spaces (Han, Kana,
// Thai, Lao, Khmer, Myanmar) give the overlapping pairs of their characters
// instead, and a character that stands alone itself.
func Words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		s := norm.NFKC.String(strings.ToLower(norm.NFKC.String(text)))
		for len(s) > 0 {
			kind, size := kindOf(s)
			n := size
			for n < len(s) {
				next, size := kindOf(s[n:])
				if next != kind {
					break
				}
				n += size
			}
			if !spell(s[:n], kind, yield) {
				return
			}
			s = s[n:]
		}
	}
}

// kind of a character.
type kind int

const (
	gap kind = iota
	spaced
	unspaced
)

// kindOf classifies the first character of s with the marks that belong to it.
func kindOf(s string) (kind, int) {
	r, size := utf8.DecodeRuneInString(s)
	k := gap
	switch {
	case r == utf8.RuneError:
		return gap, size
	case r < utf8.RuneSelf:
		if 'a' <= r && r <= 'z' || '0' <= r && r <= '9' {
			return spaced, size
		}
		return gap, size
	case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
		k = spaced
		if r >= firstUnspaced && (unicode.In(r, scripts[:]...) || r == prolonged) {
			k = unspaced
		}
	}
	return k, size
}

const (
	firstUnspaced = 0x0e00 // the first character of Thai
	prolonged     = 'ー'    // belongs to two scripts, so to none
)

// scripts are those written without spaces.
var scripts = [...]*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// spell yields the words of a run of one kind.
func spell(run string, k kind, yield func(string) bool) bool {
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

// hashOf is the 64-bit FNV-1a hash of a word: the words of a collection are
// told apart by it, so that no text is kept.
func hashOf(word string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(word) {
		h = (h ^ uint64(word[i])) * 1099511628211
	}
	return h
}
