package question

import (
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"github.com/memforge/memforge/stages/video/groundtruth"
)

// choices are drafts of one question with different wrong options; any of them may be
// asked.
type choices []draft

// sideFacts is what can be asked about one video, in the order in which it
// should be.
type sideFacts []choices

// maxFacts returns how many facts of a side are considered when limit of them
// are asked.
func maxFacts(limit int) int { return 2*limit + 4 }

// maxWeighed bounds how many sets of questions are compared for one scene.
const maxWeighed = 4000

// chooseBalanced chooses up to limit questions of each side, and the wrong options of
// each, so that the set gives as little away as it can: the right option is the
// longest and the shortest, the commonest and the rarest of its four one time in
// four, and a text is right as often as a fourth of the times that it is shown.
// It begins with the first ones and takes any single exchange that is better
// until there is none. Whether a question may be exchanged for one about another
// kind of event is said by anyKind: where options come from other pairs it may
// not, for then those of this pair would be shown less often than they are.
func chooseBalanced(sides []sideFacts, limit int, anyKind bool) []draft {
	c := newChoiceSet(sides, limit)
	c.anyKind = anyKind
	best := c.bias()
	for left, better := maxWeighed, true; better && left > 0; {
		better = false
		for i := range c.choices {
			was := c.choices[i]
			for _, p := range c.alternatives(i) {
				c.choices[i] = p
				left--
				if b := c.bias(); b < best-1e-9 && left > 0 {
					best, was, better = b, p, true
				}
			}
			c.choices[i] = was
		}
	}
	return c.drafts()
}

// choice is one wording of one fact of a side.
type choice struct{ side, fact, wording int }

// choiceSet is a set of choices, all of different facts.
type choiceSet struct {
	sides   []sideFacts
	choices []choice
	anyKind bool
	// ids of the texts of each wording, the answer first, and their lengths.
	texts  map[choice][]int
	length []int
}

func newChoiceSet(sides []sideFacts, limit int) *choiceSet {
	c := &choiceSet{sides: sides, texts: map[choice][]int{}}
	ids := map[string]int{}
	id := func(text string) int {
		n, known := ids[text]
		if !known {
			n = len(ids)
			ids[text] = n
			c.length = append(c.length, charCount(text))
		}
		return n
	}
	for s, facts := range sides {
		for f, ws := range facts {
			if f < limit {
				c.choices = append(c.choices, choice{s, f, 0})
			}
			for w, d := range ws {
				texts := []int{id(d.Answer)}
				for _, o := range d.wrong {
					texts = append(texts, id(o.Text))
				}
				c.texts[choice{s, f, w}] = texts
			}
		}
	}
	return c
}

// alternatives lists what could replace a choice: its other wordings, and those
// of the facts of its side that are not chosen.
func (c *choiceSet) alternatives(i int) []choice {
	own := c.choices[i]
	taken := map[int]bool{}
	for _, p := range c.choices {
		taken[p.fact] = taken[p.fact] || p.side == own.side
	}
	kind := c.sides[own.side][own.fact][0].Kind
	var out []choice
	for f, ws := range c.sides[own.side] {
		if f != own.fact && (taken[f] || !c.anyKind && ws[0].Kind != kind) {
			continue
		}
		for w := range ws {
			if p := (choice{own.side, f, w}); p != own {
				out = append(out, p)
			}
		}
	}
	return out
}

// oneKind is how much worse it is to ask about two events of one kind of a side
// than of two kinds.
const oneKind = 0.05

func (c *choiceSet) countSameKind() (n int) {
	type asked struct {
		side int
		kind string
	}
	seen := map[asked]bool{}
	for _, p := range c.choices {
		of := asked{p.side, c.sides[p.side][p.fact][0].Kind}
		if seen[of] {
			n++
		}
		seen[of] = true
	}
	return n
}

// bias returns how far simple ways to guess are from chance over the set, and
// how little the kinds of events vary.
func (c *choiceSet) bias() float64 {
	shown, right := make([]int, len(c.length)), make([]int, len(c.length))
	for _, p := range c.choices {
		right[c.texts[p][0]]++
		for _, t := range c.texts[p] {
			shown[t]++
		}
	}
	var longest, shortest, commonest, rarest float64
	for _, p := range c.choices {
		texts := c.texts[p]
		longest += guessAdvantage(texts, c.length, 1)
		shortest += guessAdvantage(texts, c.length, -1)
		commonest += guessAdvantage(texts, shown, 1)
		rarest += guessAdvantage(texts, shown, -1)
	}
	sum := longest*longest + shortest*shortest + (commonest*commonest+rarest*rarest)/2
	for t := range shown {
		d := float64(right[t]) - float64(shown[t])/optionCount
		sum += d * d / 8
	}
	return sum + oneKind*float64(c.countSameKind())
}

// guessAdvantage returns how much more often than by chance the first of some
// texts is found by always taking the one with the greatest value (times sign).
func guessAdvantage(texts, value []int, sign int) float64 {
	ties := 0
	for _, t := range texts {
		switch d := sign * (value[t] - value[texts[0]]); {
		case d > 0:
			return -1.0 / optionCount
		case d == 0:
			ties++
		}
	}
	return 1/float64(ties) - 1.0/optionCount
}

func (c *choiceSet) drafts() []draft {
	var out []draft
	for _, p := range c.choices {
		out = append(out, c.sides[p.side][p.fact][p.wording])
	}
	return out
}

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

// findOptionSets lists, in random order, sets of options to stand beside an
// answer, in the order of the requests, so that none could be held right for
// another and no option stands out by the words it shares with the others. They
// differ in where the answer stands by length, as far as the values allow.
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

// optionSearch is the search of findOptionSets: texts are the answer and then
// the values of all requests, referred to by index.
type optionSearch struct {
	texts  []string
	clash  [][]bool
	common [][]int
	found  [][]string
}

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

// completeSet completes a set by requests, whose values begin at an index.
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

func charCount(s string) int { return utf8.RuneCountInString(s) }

func countCommonWords(a, b []string) (n int) {
	for i, w := range a {
		if slices.Contains(b, w) && !slices.Contains(a[:i], w) {
			n++
		}
	}
	return n
}
