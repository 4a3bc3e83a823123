// Package shortcuts looks for ways to answer multiple-choice questions without
// what they ask about: it trains a choice model on words, lengths, positions
// and the like, and measures how far beyond chance it and simpler baselines
// get. No language model is asked.
package shortcuts

import (
	"hash/fnv"
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// View is what the choice model may see.
type View string

// The views. In the last one the model sees how the options stand among the texts
// of the other questions of the cluster, be they of another form.
const (
	OptionsOnly         View = "options"
	QuestionWithOptions View = "question+options"
	WithOthers          View = "what they name"
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
	firstPosition                                    // and one more for each position
	firstNeighbourRule = firstPosition + MostOptions // and one more for each of sights
	features           = firstNeighbourRule + 8
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

func newItems(obs []observation, v View) []item {
	common := prevalenceOf(obs)
	out := make([]item, len(obs))
	for n, ob := range obs {
		it := item{cluster: ob.cluster, weight: ob.weight, gold: ob.gold}
		marks := findMarks(ob.q, common)
		asked := words.Words(ob.q.Question)
		for i, o := range ob.q.Options {
			fs := append(wordFeatures(o.Text), feature{firstPosition + i, 1})
			for _, m := range marks {
				if m.option == i && (v == QuestionWithOptions || m.at != overlapMost) {
					fs = append(fs, feature{m.at, 1})
				}
			}
			if v == QuestionWithOptions {
				fs = append(fs, crossFeatures(asked, o.Text)...)
			}
			it.options = append(it.options, fs)
		}
		out[n] = it
	}
	return out
}

// prevalence counts, by the words of an option, the facts that it stands beside.
type prevalence map[string]int

func prevalenceOf(obs []observation) prevalence {
	seen, out := map[[2]string]bool{}, prevalence{}
	for _, ob := range obs {
		for _, o := range ob.q.Options {
			if key := [2]string{ob.fact, words.Folded(o.Text)}; !seen[key] {
				seen[key] = true
				out[words.Folded(o.Text)]++
			}
		}
	}
	return out
}

// mark is a property that one option of a question stands out by.
type mark struct{ at, option int }

func findMarks(q schemas.Question, common prevalence) []mark {
	length, odd, seen, overlap := lengths(q), likenesses(q), common.ofOptions(q), overlaps(q)
	var out []mark
	for _, p := range []struct {
		at     int
		values []float64
		sign   float64
	}{{longest, length, 1}, {shortest, length, -1}, {oddOneOut, odd, -1}, {commonest, seen, 1}, {rarest, seen, -1}, {overlapMost, overlap, 1}} {
		if best := bestOptions(p.values, p.sign); len(best) == 1 {
			out = append(out, mark{p.at, best[0]})
		}
	}
	return out
}

func lengths(q schemas.Question) []float64 {
	return rateOptions(q, func(i int) float64 { return float64(len([]rune(q.Options[i].Text))) })
}

// likenesses of each option to the others, by the words that they share.
func likenesses(q schemas.Question) []float64 {
	return rateOptions(q, func(i int) (sum float64) {
		for j, other := range q.Options {
			if j != i {
				sum += words.Overlap(words.WordSet(q.Options[i].Text), words.WordSet(other.Text))
			}
		}
		return sum
	})
}

func overlaps(q schemas.Question) []float64 {
	asked := words.WordSet(q.Question)
	return rateOptions(q, func(i int) float64 { return words.Overlap(words.WordSet(q.Options[i].Text), asked) })
}

func (p prevalence) ofOptions(q schemas.Question) []float64 {
	return rateOptions(q, func(i int) float64 { return float64(p[words.Folded(q.Options[i].Text)]) })
}

// rateOptions rounds, so that ratings are equal that only the order of a sum sets apart.
func rateOptions(q schemas.Question, rate func(i int) float64) []float64 {
	out := make([]float64, len(q.Options))
	for i := range out {
		out[i] = math.Round(1e9*rate(i)) / 1e9
	}
	return out
}

func bestOptions(values []float64, sign float64) []int {
	var best []int
	for i, v := range values {
		switch {
		case len(best) == 0 || sign*(v-values[best[0]]) > 0:
			best = []int{i}
		case v == values[best[0]]:
			best = append(best, i)
		}
	}
	return best
}

// wordFeatures hashes the words and pairs of words of an option.
func wordFeatures(text string) []feature {
	list := words.Words(text)
	var grams []string
	for i, w := range list {
		grams = append(grams, w)
		if i > 0 {
			grams = append(grams, list[i-1]+" "+w)
		}
	}
	return hashFeatures(grams)
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
