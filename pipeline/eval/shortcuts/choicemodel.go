package shortcuts

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// View is what a choice model sees.
type View string

// The views. Attack is all that must tell nothing: a model of it is fitted on half of the facts
// and scored once on the others.
const (
	OptionsOnly         View = "options"
	QuestionWithOptions View = "question+options"
	WithOthers          View = "what they name"
	Attack              View = "half of the facts"
)

// buckets is how many features the words of an option are hashed into. Behind them are those
// of places and those of rules.
const (
	buckets    = 1 << 12
	firstPlace = buckets
	firstRule  = firstPlace + MostOptions
)

type item struct {
	cluster string
	weight  float64
	options [][]feature
	gold    int
}

type feature struct {
	at    int
	value float64
}

// newItems describes observations as a view shows them. guesses are, by rule, those of each.
func newItems(cases []*Case, v View, rules []Rule, guesses [][]guess) []item {
	out := make([]item, len(cases))
	for n, c := range cases {
		it := item{cluster: c.ob.cluster, weight: c.ob.weight, gold: c.ob.gold, options: make([][]feature, len(c.Options))}
		asked := words.Words(c.Question)
		for i, text := range c.Options {
			if v != WithOthers {
				it.options[i] = append(hashFeatures(grams(text)), feature{firstPlace + i, 1})
			}
			if v == QuestionWithOptions || v == Attack {
				it.options[i] = append(it.options[i], crossFeatures(asked, text)...)
			}
			if v == WithOthers {
				it.options[i] = append(it.options[i], c.cluster.neighbourFeatures(c.ob, i)...)
			}
			for r, rule := range rules {
				if v.shows(rule.Sees) {
					if p := guesses[r][n].right(i); p > 0 {
						it.options[i] = append(it.options[i], feature{firstRule + r, p})
					}
				}
			}
		}
		out[n] = it
	}
	return out
}

func (v View) shows(s Sight) bool {
	return s == Alone && (v == QuestionWithOptions || v == Attack) || s == Siblings && v == Attack || s == Company && v == WithOthers
}

// grams are the words and pairs of words of an option.
func grams(text string) (out []string) {
	list := words.Words(text)
	for i, w := range list {
		out = append(out, w)
		if i > 0 {
			out = append(out, list[i-1]+" "+w)
		}
	}
	return out
}

// crossFeatures hashes pairs of a question word and an option word.
func crossFeatures(asked []string, option string) []feature {
	var grams []string
	for _, q := range asked {
		for _, w := range words.Words(option) {
			grams = append(grams, q+"\x00"+w)
		}
	}
	return hashFeatures(grams)
}

func hashFeatures(grams []string) []feature {
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

// The training of a choice model: enough for data of thousands of questions,
// and fixed, so that equal data give equal weights.
const (
	epochs = 12
	rate   = 0.5
	decay  = 1e-4
)

// choiceModel is a conditional logit: the softmax of a score over the options of a question.
type choiceModel struct{ weights []float64 }

func train(items []item, rnd *rand.Rand) *choiceModel {
	size := 0
	for _, it := range items {
		for _, fs := range it.options {
			for _, f := range fs {
				size = max(size, f.at+1)
			}
		}
	}
	c := &choiceModel{weights: make([]float64, size)}
	order := rnd.Perm(len(items))
	for epoch := range epochs {
		step := rate / float64(1+epoch)
		for _, i := range order {
			c.learn(items[i], step)
		}
	}
	return c
}

func (c *choiceModel) learn(it item, step float64) {
	p := c.probabilities(it)
	for o, fs := range it.options {
		g := p[o]
		if o == it.gold {
			g--
		}
		for _, f := range fs {
			w := &c.weights[f.at]
			*w -= step * it.weight * (g*f.value + decay*(*w))
		}
	}
}

func (c *choiceModel) probabilities(it item) []float64 {
	p := make([]float64, len(it.options))
	for o, fs := range it.options {
		for _, f := range fs {
			if f.at < len(c.weights) { // else nothing was learnt of it
				p[o] += c.weights[f.at] * f.value
			}
		}
	}
	top, sum := slices.Max(p), 0.0
	for o := range p {
		p[o] = math.Exp(p[o] - top)
		sum += p[o]
	}
	for o := range p {
		p[o] /= sum
	}
	return p
}

// crossValidate returns, of each item, the probability that models trained on other clusters
// gave its gold option, and the options that they prefer.
func crossValidate(items []item, rnd *rand.Rand) (gold []float64, best [][]int) {
	fold := dealFolds(items, folds, rnd)
	gold, best = make([]float64, len(items)), make([][]int, len(items))
	for k := range folds {
		var known []item
		for i, it := range items {
			if fold[i] != k {
				known = append(known, it)
			}
		}
		m := train(known, rnd)
		for i, it := range items {
			if fold[i] == k {
				p := m.probabilities(it)
				gold[i], best[i] = p[it.gold], bestOptions(p)
			}
		}
	}
	return gold, best
}

// attack fits a model on half of the clusters and returns the options that it prefers in the
// others: none of those that it was fitted on.
func attack(items []item, rnd *rand.Rand) []guess {
	half, out := dealFolds(items, 2, rnd), make([]guess, len(items))
	var known []item
	for i, it := range items {
		if half[i] == 0 {
			known = append(known, it)
		}
	}
	m := train(known, rnd)
	for i, it := range items {
		if half[i] == 1 {
			out[i] = guessOf(bestOptions(m.probabilities(it)))
		}
	}
	return out
}

func dealFolds(items []item, folds int, rnd *rand.Rand) []int {
	var clusters []string
	for _, it := range items {
		clusters = append(clusters, it.cluster)
	}
	slices.Sort(clusters)
	clusters = slices.Compact(clusters)
	of := map[string]int{}
	for n, i := range rnd.Perm(len(clusters)) {
		of[clusters[i]] = n % folds
	}
	out := make([]int, len(items))
	for i, it := range items {
		out[i] = of[it.cluster]
	}
	return out
}
