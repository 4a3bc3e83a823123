// Package textmatch compares an answer in words with the gold: exact match, contained,
// F1 of stemmed words, and BLEU. What is compared first goes through a normaliser;
// benchmarks differ in theirs, and a figure means little without its name.
package textmatch

import (
	"math"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Normaliser brings a text into the form in which it is compared.
type Normaliser func(string) string

var space = regexp.MustCompile(`\s+`)

// anyArticle matches what WorldMemArena removes, wherever it stands.
var anyArticle = regexp.MustCompile(`\b(a|an|the|and)\b`)

// punctuation is ASCII's; both normalisers keep any other.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

func lowerLetters(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && strings.ContainsRune(punctuation, r) {
			return -1
		}
		return r
	}, strings.ToLower(s))
}

// wordOrGap matches a word, or what stands between two.
var wordOrGap = regexp.MustCompile(`[\pL\pN_]+|[^\pL\pN_]+`)

// MemEye lowers, drops each article that only white space parts from a word behind it,
// and puts a space in the place of ASCII punctuation. Underscores, and points between
// digits, stay.
func MemEye(s string) string {
	parts := wordOrGap.FindAllString(cases.Lower(language.Und).String(s), -1)
	var kept strings.Builder
	for i, part := range parts {
		isArticle := part == "a" || part == "an" || part == "the"
		if !isArticle || i+2 >= len(parts) || strings.TrimFunc(parts[i+1], IsSpace) != "" {
			kept.WriteString(part)
		}
	}
	r := []rune(kept.String())
	for i, c := range r {
		isDecimal := c == '.' && i > 0 && i+1 < len(r) && unicode.IsDigit(r[i-1]) && unicode.IsDigit(r[i+1])
		if c != '_' && !isDecimal && strings.ContainsRune(punctuation, c) {
			r[i] = ' '
		}
	}
	return strings.Join(strings.FieldsFunc(string(r), IsSpace), " ")
}

// IsSpace reports white space as Python's str.split parts words by it.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

// WorldMemArena lowers, drops ASCII punctuation except the points of decimals, every
// article and every "and" (WorldMemArena B.3).
func WorldMemArena(s string) string {
	s = strings.ReplaceAll(lowerLetters(decimals(s)), keptPoint, ".")
	return strings.TrimSpace(space.ReplaceAllString(anyArticle.ReplaceAllString(s, " "), " "))
}

// keptPoint stands for a point that stays.
const keptPoint = "\x00"

// decimals replaces each point between two digits by keptPoint.
func decimals(s string) string {
	digit := func(b byte) bool { return '0' <= b && b <= '9' }
	b := []byte(s)
	for i := 1; i+1 < len(b); i++ {
		if b[i] == '.' && digit(b[i-1]) && digit(b[i+1]) {
			b[i] = keptPoint[0]
		}
	}
	return string(b)
}

// Exact is 1 where both are the same, and not empty.
func (n Normaliser) Exact(answer, gold string) float64 {
	a := n(answer)
	return boolScore(a != "" && a == n(gold))
}

// Contains is 1 where the gold, which must not be empty, stands in the answer.
func (n Normaliser) Contains(answer, gold string) float64 {
	g := n(gold)
	return boolScore(g != "" && strings.Contains(n(answer), g))
}

func boolScore(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// F1 is the harmonic mean of precision and recall over stemmed words (Porter), each
// counted as often as it stands there.
func (n Normaliser) F1(answer, gold string) float64 {
	a, g := stems(n(answer)), stems(n(gold))
	common := overlap(grams(a, 1), grams(g, 1))
	if common == 0 {
		return 0
	}
	precision, recall := float64(common)/float64(len(a)), float64(common)/float64(len(g))
	return 2 * precision * recall / (precision + recall)
}

func stems(s string) []string {
	words := strings.Fields(s)
	for i, w := range words {
		words[i] = stem(w)
	}
	return words
}

// smoothedCount stands for no common n-gram, so that one missing order does not make a
// sentence's BLEU 0 (smoothing method 1 of Chen and Cherry 2014).
const smoothedCount = 0.1

// BLEU is the geometric mean of the precisions of 1 to order words in a row, times
// the penalty for answers that are shorter than the gold (Papineni 2002). An order that
// the answer is too short for counts like one without a common n-gram, as in NLTK's
// sentence_bleu: a gold of fewer words than order does not get 1.
func (n Normaliser) BLEU(answer, gold string, order int) float64 {
	a, g := strings.Fields(n(answer)), strings.Fields(n(gold))
	if overlap(grams(a, 1), grams(g, 1)) == 0 {
		return 0
	}
	sum := 0.0
	for k := 1; k <= order; k++ {
		common := float64(overlap(grams(a, k), grams(g, k)))
		if common == 0 {
			common = smoothedCount
		}
		sum += math.Log(common / float64(max(1, len(a)-k+1)))
	}
	penalty := 1.0
	if len(a) < len(g) {
		penalty = math.Exp(1 - float64(len(g))/float64(len(a)))
	}
	return penalty * math.Exp(sum/float64(order))
}

// grams counts the runs of k words.
func grams(words []string, k int) map[string]int {
	out := map[string]int{}
	for i := 0; i+k <= len(words); i++ {
		out[strings.Join(words[i:i+k], " ")]++
	}
	return out
}

func overlap(a, b map[string]int) (n int) {
	for gram, times := range a {
		n += min(times, b[gram])
	}
	return n
}
