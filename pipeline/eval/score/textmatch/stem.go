package textmatch

import (
	"strings"
	"unicode/utf8"
)

// irregular holds the words that no rule stems, with their stems.
var irregular = map[string]string{
	"skies": "sky", "sky": "sky", "dying": "die", "lying": "lie", "tying": "tie", "news": "news", "innings": "inning", "inning": "inning",
	"outings": "outing", "outing": "outing", "cannings": "canning", "canning": "canning", "howe": "howe", "proceed": "proceed", "exceed": "exceed", "succeed": "succeed",
}

// The suffixes of steps 1a, 2, 3 and 4, each with what stands for it. The first that a
// word has decides.
var (
	plurals  = strings.Fields("sses=ss ies=i ss=ss s")
	endings2 = strings.Fields("ational=ate tional=tion enci=ence anci=ance izer=ize bli=ble entli=ent eli=e ousli=ous ization=ize ation=ate ator=ate " +
		"alism=al iveness=ive fulness=ful ousness=ous aliti=al iviti=ive biliti=ble fulli=ful")
	endings3 = strings.Fields("icate=ic ative alize=al iciti=ic ical=ic ful ness")
	endings4 = strings.Fields("al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize")
)

// stem returns the stem of a lower-case word by Porter's algorithm (1980) with the
// changes that NLTK makes by default. The benchmarks count words with it: Porter's own
// gives other stems for "dying", "skies", "tied", "say" and "flatly", say.
func stem(word string) string {
	if s, known := irregular[word]; known {
		return s
	}
	if utf8.RuneCountInString(word) <= 2 {
		return word
	}
	if utf8.RuneCountInString(word) == 4 && strings.HasSuffix(word, "ies") {
		word = strings.TrimSuffix(word, "s")
	} else {
		word = replaceSuffix(word, plurals, -1)
	}
	word = stemParticiple(word)
	if before, ok := strings.CutSuffix(word, "y"); ok && utf8.RuneCountInString(before) > 1 && strings.HasSuffix(shape(before), "c") {
		word = before + "i"
	}
	if before, ok := strings.CutSuffix(word, "alli"); ok && measure(before) > 0 {
		word = before + "al"
	}
	if before, ok := strings.CutSuffix(word, "logi"); ok {
		if measure(before+"l") > 0 {
			word = before + "log"
		}
	} else {
		word = replaceSuffix(word, endings2, 0)
	}
	word = replaceSuffix(replaceSuffix(word, endings3, 0), endings4, 1)
	if before, ok := strings.CutSuffix(word, "e"); ok && (measure(before) > 1 || measure(before) == 1 && !endsShort(before)) {
		word = before
	}
	if before, ok := strings.CutSuffix(word, "l"); ok && strings.HasSuffix(before, "l") && measure(before) > 1 {
		word = before
	}
	return word
}

// stemParticiple removes -ed and -ing (step 1b) and mends what is left.
func stemParticiple(word string) string {
	if before, ok := strings.CutSuffix(word, "ied"); ok {
		if utf8.RuneCountInString(word) == 4 {
			return before + "ie"
		}
		return before + "i"
	}
	if before, ok := strings.CutSuffix(word, "eed"); ok {
		if measure(before) > 0 {
			return before + "ee"
		}
		return word
	}
	before, ok := strings.CutSuffix(word, "ed")
	if !ok {
		before, ok = strings.CutSuffix(word, "ing")
	}
	if !ok || !strings.Contains(shape(before), "v") {
		return word
	}
	last, size := utf8.DecodeLastRuneInString(before)
	switch {
	case strings.HasSuffix(before, "at"), strings.HasSuffix(before, "bl"), strings.HasSuffix(before, "iz"):
		return before + "e"
	case strings.HasSuffix(before, string(last)+string(last)) && strings.HasSuffix(shape(before), "c"):
		if !strings.ContainsRune("lsz", last) {
			return before[:len(before)-size]
		}
	case measure(before) == 1 && endsShort(before):
		return before + "e"
	}
	return before
}

// replaceSuffix replaces a suffix if the measure of what stands before it is above a bound.
func replaceSuffix(word string, suffixes []string, above int) string {
	for _, s := range suffixes {
		suffix, replacement, _ := strings.Cut(s, "=")
		before, ok := strings.CutSuffix(word, suffix)
		if !ok {
			continue
		}
		if measure(before) > above && (suffix != "ion" || strings.HasSuffix(before, "s") || strings.HasSuffix(before, "t")) {
			return before + replacement
		}
		return word
	}
	return word
}

// shape has a c for each consonant and a v for each vowel. A y behind a consonant is a
// vowel.
func shape(word string) string {
	var b strings.Builder
	vowel := true
	for _, r := range word {
		if vowel = strings.ContainsRune("aeiou", r) || r == 'y' && !vowel; vowel {
			b.WriteByte('v')
		} else {
			b.WriteByte('c')
		}
	}
	return b.String()
}

// measure counts the pairs of a vowel and a consonant behind it.
func measure(word string) int { return strings.Count(shape(word), "vc") }

// endsShort reports a consonant, a vowel and a consonant other than w, x or y at the
// end, or a word of a vowel and a consonant.
func endsShort(word string) bool {
	s := shape(word)
	return s == "vc" || strings.HasSuffix(s, "cvc") && !strings.ContainsAny(word[len(word)-1:], "wxy")
}
