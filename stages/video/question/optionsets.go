package question

import (
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"github.com/memforge/memforge/stages/video/groundtruth"
)

// optionRequest asks for n of some values, the first ones if possible.
type optionRequest struct {
	values []string
	n      int
}

// maxTried bounds how many of the values of a take are tried, maxSets how many
// choices are kept in which the answer has one and the same rank by length.
const (
	maxTried = 10
	maxSets  = 4
)

// findOptionSets lists, in random order, choices of options to stand beside an answer, in
// the order of the takes, so that none could be held right for another and no
// option stands out by the words it shares with the others. They differ in where
// the answer stands by length, as far as the values allow.
func findOptionSets(rnd *rand.Rand, answer string, takes ...optionRequest) [][]string {
	b := optionSearch{texts: []string{answer}}
	for i, t := range takes {
		takes[i].values = t.values[:min(len(t.values), maxTried)]
		b.texts = append(b.texts, takes[i].values...)
	}
	b.compareTexts()
	b.completeSet([]int{0}, 1, takes)
	kept := map[[2]int]int{}
	return slices.DeleteFunc(shuffled(b.found, rnd), func(choice []string) bool {
		rank := rankOf(answer, choice)
		kept[rank]++
		return kept[rank] > maxSets
	})
}

// rankOf counts the options that are longer than the answer, and as long.
func rankOf(answer string, wrong []string) (rank [2]int) {
	for _, w := range wrong {
		switch d := charCount(w) - charCount(answer); {
		case d > 0:
			rank[0]++
		case d == 0:
			rank[1]++
		}
	}
	return rank
}

// optionSearch is the search of beside: texts are the answer and then the values of
// all takes, told by their index.
type optionSearch struct {
	texts  []string
	clash  [][]bool
	common [][]int
	found  [][]string
}

// compareTexts compares all texts with each other.
func (b *optionSearch) compareTexts() {
	words := make([][]string, len(b.texts))
	for i, t := range b.texts {
		words[i] = groundtruth.Words(t)
	}
	for i := range b.texts {
		b.clash, b.common = append(b.clash, nil), append(b.common, nil)
		for j := range b.texts {
			b.clash[i] = append(b.clash[i], groundtruth.WordsClash(words[i], words[j]))
			b.common[i] = append(b.common[i], countCommonWords(words[i], words[j]))
		}
	}
}

// completeSet completes a choice with takes, whose values begin at an index.
func (b *optionSearch) completeSet(chosen []int, at int, takes []optionRequest) {
	if len(takes) == 0 {
		b.addSet(chosen)
		return
	}
	t := takes[0]
	if t.n == 0 {
		b.completeSet(chosen, at+len(t.values), takes[1:])
		return
	}
	for i := range t.values {
		if slices.ContainsFunc(chosen, func(c int) bool { return b.clash[c][at+i] }) {
			continue
		}
		rest := append([]optionRequest{{t.values[i+1:], t.n - 1}}, takes[1:]...)
		b.completeSet(append(slices.Clone(chosen), at+i), at+i+1, rest)
	}
}

// addSet adds a choice, unless it gives itself away.
func (b *optionSearch) addSet(chosen []int) {
	var out []string
	first := 0
	for n, i := range chosen {
		shared := 0
		for _, j := range chosen {
			if i != j {
				shared += b.common[i][j]
			}
		}
		if n == 0 {
			first = shared
		}
		if shared != first {
			return
		}
		out = append(out, b.texts[i])
	}
	b.found = append(b.found, out[1:])
}

// charCount of a text in characters.
func charCount(s string) int { return utf8.RuneCountInString(s) }

// countCommonWords counts the distinct words of a that are in b.
func countCommonWords(a, b []string) (n int) {
	for i, w := range a {
		if slices.Contains(b, w) && !slices.Contains(a[:i], w) {
			n++
		}
	}
	return n
}
