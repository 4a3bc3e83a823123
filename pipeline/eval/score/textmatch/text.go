// Package textmatch compares an answer in words with the gold: exact match, contained,
// F1 of stemmed words, and BLEU. What is compared first goes through a normaliser;
// benchmarks differ in theirs, and a figure means little without its name.
package textmatch

import (
	"math"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
)

// Normaliser brings a text into the form in which it is compared.
type Normaliser func(string) string

// punctuation is ASCII's; normalisers keep any other.
const punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

// wordOrGap matches a word, or what stands between two.
var wordOrGap = regexp.MustCompile(`[\pL\pN_]+|[^\pL\pN_]+`)

// MemEye lowers, drops each article that only white space parts from a word behind it,
// and puts a space in the place of ASCII punctuation. Underscores, and points between
// digits, stay.
func MemEye(s string) string {
	parts := wordOrGap.FindAllString(lower(s), -1)
	var kept strings.Builder
	for i, part := range parts {
		isArticle := part == "a" || part == "an" || part == "the"
		if !isArticle || i+2 >= len(parts) || strings.TrimFunc(parts[i+1], IsSpace) != "" {
			kept.WriteString(part)
		}
	}
	return spaceSigns(kept.String())
}

// lower lowers a text as Python does, which keeps the dot of a Turkish capital I.
func lower(s string) string {
	if isASCII(s) {
		return strings.ToLower(s)
	}
	return cases.Lower(language.Und).String(s)
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// spaceSigns puts a space for ASCII punctuation, except underscores and points between
// digits, and one for all white space in a row.
func spaceSigns(s string) string {
	r := []rune(s)
	for i, c := range r {
		isDecimal := c == '.' && i > 0 && i+1 < len(r) && unicode.IsDigit(r[i-1]) && unicode.IsDigit(r[i+1])
		if c != '_' && !isDecimal && strings.ContainsRune(punctuation, c) {
			r[i] = ' '
		}
	}
	return strings.Join(strings.FieldsFunc(string(r), IsSpace), " ")
}

// WorldMemArena lowers, drops articles and every "and", and puts a space for ASCII
// punctuation, as MemEye does (WorldMemArena B.3).
func WorldMemArena(s string) string {
	words := strings.Fields(spaceSigns(lower(s)))
	kept := words[:0]
	for _, w := range words {
		if w = dropArticles(w); w != "" {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}

// dropArticles drops a word that is an article or "and". Where signs that are no ASCII stand
// beside words, it puts a space for it.
func dropArticles(word string) string {
	isArticle := func(w string) bool { return w == "a" || w == "an" || w == "the" || w == "and" }
	if isArticle(word) {
		return ""
	}
	if isASCII(word) {
		return word
	}
	parts := wordOrGap.FindAllString(word, -1)
	for i, p := range parts {
		if isArticle(p) {
			parts[i] = " "
		}
	}
	return strings.Join(strings.Fields(strings.Join(parts, "")), " ")
}

// Words returns the words of a text, lowered: its runs of letters, digits and underscores.
func Words(s string) []string {
	return strings.FieldsFunc(lower(s), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

// IsSpace reports white space as Python's str.split parts words by it.
func IsSpace(r rune) bool { return unicode.IsSpace(r) || r >= 0x1c && r <= 0x1f }

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
