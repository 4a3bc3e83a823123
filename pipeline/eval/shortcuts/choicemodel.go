package shortcuts

import (
	"math"
	"math/rand/v2"
	"slices"
)

// The training of a choice model: enough for data of thousands of questions,
// and fixed, so that equal data give equal weights.
const (
	epochs = 12
	rate   = 0.5
	decay  = 1e-4
)

// choiceModel is a conditional logit: the softmax of a score over the options of a question.
type choiceModel struct{ weights [features]float64 }

func train(items []item, rnd *rand.Rand) *choiceModel {
	c := &choiceModel{}
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
			p[o] += c.weights[f.at] * f.value
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
				gold[i], best[i] = p[it.gold], bestOptions(p, 1)
			}
		}
	}
	return gold, best
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
