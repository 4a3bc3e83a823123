// Package shortcut looks for ways to answer multiple-choice questions without
// what they ask about: it trains a choice model on words, lengths, positions
// and the like, and measures how far beyond chance it and simpler baselines
// get. No language model is asked.
package shortcut

import (
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/memforge/memforge/schemas"
)

// View is what the choice model may see.
type View string

// The two views.
const (
	OptionsOnly         View = "options"
	QuestionWithOptions View = "question+options"
)

// buckets is how many features the words of an option are hashed into.
const buckets = 1 << 12

// The features besides words, at the end of the vector.
const (
	longest = buckets + iota
	shortest
	oddOneOut
	commonest
	rarest
	overlapMost
	firstPosition // and one more for each position
	features      = firstPosition + 26
)

// item is a question as the model sees it: sparse features per option.
type item struct {
	id, cluster string
	options     [][]feature
	gold        int
}

type feature struct {
	at    int
	value float64
}

// itemsOf turns questions with at least two options and a known gold into
// items, in order.
func itemsOf(qs []schemas.Question, v View) []item {
	prevalence := map[string]int{}
	for _, q := range qs {
		for _, o := range q.Options {
			prevalence[folded(o.Text)]++
		}
	}
	var out []item
	for _, q := range qs {
		gold := goldOf(q)
		if gold < 0 || len(q.Options) < 2 || len(q.Options) > 26 {
			continue
		}
		it := item{id: q.QuestionID, cluster: Cluster(q), gold: gold}
		marks := compare(q, prevalence)
		asked := wordsOf(q.Question)
		for i, o := range q.Options {
			fs := append(wordFeatures(o.Text), feature{firstPosition + i, 1})
			for _, m := range marks {
				if m.option == i && (v == QuestionWithOptions || m.at != overlapMost) {
					fs = append(fs, feature{m.at, 1})
				}
			}
			if v == QuestionWithOptions {
				fs = append(fs, crossed(asked, o.Text)...)
			}
			it.options = append(it.options, fs)
		}
		out = append(out, it)
	}
	return out
}

func goldOf(q schemas.Question) int {
	return slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == q.AnswerKey })
}

// Cluster keeps questions together that must not stand on both sides of a
// fold: those about one pair of videos, over one sequence of clips, mirrored
// ones, else those of one task.
func Cluster(q schemas.Question) string {
	for _, label := range []string{schemas.LabelPair, "sequence", schemas.LabelMirror} {
		if g := q.Labels[label]; g != "" {
			return g
		}
	}
	return q.TaskID
}

// mark is a property that one option of a question stands out by.
type mark struct{ at, option int }

func compare(q schemas.Question, prevalence map[string]int) []mark {
	n := len(q.Options)
	length, odd, common, overlap := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	asked := wordsOf(q.Question)
	for i, o := range q.Options {
		words := wordsOf(o.Text)
		length[i] = float64(len([]rune(o.Text)))
		common[i] = float64(prevalence[folded(o.Text)])
		overlap[i] = shared(words, asked)
		for j, other := range q.Options {
			if j != i {
				odd[i] -= shared(words, wordsOf(other.Text))
			}
		}
	}
	var out []mark
	for _, p := range []struct {
		at     int
		values []float64
		sign   float64
	}{{longest, length, 1}, {shortest, length, -1}, {oddOneOut, odd, 1}, {commonest, common, 1}, {rarest, common, -1}, {overlapMost, overlap, 1}} {
		if i := standsOut(p.values, p.sign); i >= 0 {
			out = append(out, mark{p.at, i})
		}
	}
	return out
}

// standsOut is the only option with the greatest value (times sign), or -1.
func standsOut(values []float64, sign float64) int {
	best, ties := 0, 0
	for i, v := range values {
		switch d := sign * (v - values[best]); {
		case d > 0:
			best, ties = i, 0
		case d == 0 && i != best:
			ties++
		}
	}
	if ties > 0 {
		return -1
	}
	return best
}

func folded(s string) string { return strings.Join(wordsOf(s), " ") }

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
}

// shared is the Jaccard similarity of two bags of words as sets.
func shared(a, b []string) float64 {
	in := map[string]int{}
	for _, w := range a {
		in[w] |= 1
	}
	for _, w := range b {
		in[w] |= 2
	}
	both := 0
	for _, m := range in {
		if m == 3 {
			both++
		}
	}
	return float64(both) / math.Max(1, float64(len(in)))
}

// wordFeatures are the words and pairs of words of an option, hashed, of unit
// length together.
func wordFeatures(text string) []feature {
	words := wordsOf(text)
	var grams []string
	for i, w := range words {
		grams = append(grams, w)
		if i > 0 {
			grams = append(grams, words[i-1]+" "+w)
		}
	}
	return hashed(grams)
}

// crossed are pairs of a question word and an option word: what a question
// lets expect of its answer.
func crossed(asked []string, option string) []feature {
	var grams []string
	for _, q := range asked {
		for _, w := range wordsOf(option) {
			grams = append(grams, q+"\x00"+w)
		}
	}
	return hashed(grams)
}

func hashed(grams []string) []feature {
	counts := map[int]float64{}
	for _, g := range grams {
		h := fnv.New32a()
		h.Write([]byte(g))
		counts[int(h.Sum32()%buckets)]++
	}
	var out []feature
	norm := 0.0
	for at, c := range counts {
		out = append(out, feature{at, c})
		norm += c * c
	}
	slices.SortFunc(out, func(a, b feature) int { return a.at - b.at })
	for i := range out {
		out[i].value /= math.Sqrt(norm)
	}
	return out
}
