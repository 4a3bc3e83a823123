// Package textmatch compares an answer in words with the gold: exact match, contained,
// F1 of stemmed words, and BLEU. What is compared first goes through a normaliser;
// benchmarks differ in theirs, and a figure means little without its name.
package textmatch

import (
	"math"
	"regexp"
	"strings"

	"github.com/blevesearch/go-porterstemmer"
)

// Normaliser brings a text into the form in which it is compared.
type Normaliser func(string) string

var space = regexp.MustCompile(`\s+`)

// article matches an article that MemEye removes: before white space and the beginning
// of a word.
var article = regexp.MustCompile(`\b(a|an|the)\s+(\w)`)

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

// MemEye lowers, drops ASCII punctuation and articles before a word, and keeps "and".
func MemEye(s string) string {
	s = lowerLetters(s)
	for article.MatchString(s) { // one article may follow another
		s = article.ReplaceAllString(s, "$2")
	}
	return strings.TrimSpace(space.ReplaceAllString(s, " "))
}

// WorldMemArena is MemEye's with every article and every "and" dropped, and the points
// of decimals kept (WorldMemArena B.3).
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

// Exact is 1 where both are the same.
func (n Normaliser) Exact(answer, gold string) float64 { return boolScore(n(answer) == n(gold)) }

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
// counted as often as it stands there. Two empty texts agree.
func (n Normaliser) F1(answer, gold string) float64 {
	a, g := stems(n(answer)), stems(n(gold))
	if len(a) == 0 || len(g) == 0 {
		return boolScore(len(a) == len(g))
	}
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
		words[i] = porterstemmer.StemString(w)
	}
	return words
}

// smoothedCount stands for no common n-gram, so that one missing order does not make a
// sentence's BLEU 0 (smoothing method 1 of Chen and Cherry 2014).
const smoothedCount = 0.1

// BLEU is the geometric mean of the precisions of 1 to order words in a row, times
// the penalty for answers that are shorter than the gold (Papineni 2002). Orders that
// the answer is too short for do not count.
func (n Normaliser) BLEU(answer, gold string, order int) float64 {
	a, g := strings.Fields(n(answer)), strings.Fields(n(gold))
	if len(a) == 0 || len(g) == 0 {
		return boolScore(len(a) == len(g))
	}
	sum, orders := 0.0, 0
	for k := 1; k <= min(order, len(a)); k++ {
		common := float64(overlap(grams(a, k), grams(g, k)))
		if common == 0 {
			if k == 1 {
				return 0
			}
			common = smoothedCount
		}
		sum += math.Log(common / float64(len(a)-k+1))
		orders++
	}
	penalty := 1.0
	if len(a) < len(g) {
		penalty = math.Exp(1 - float64(len(g))/float64(len(a)))
	}
	return penalty * math.Exp(sum/float64(orders))
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
