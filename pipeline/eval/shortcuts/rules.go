package shortcuts

import (
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// rule guesses by one property: among the options that it rates highest.
type rule struct {
	name string
	rate func(c *corpus, ob observation) []float64
}

// rules guess in both directions where both make sense. What is least often right elsewhere is
// no rule: where answers are dealt out evenly, counting all others tells what is left.
func rules() []rule {
	by := func(name string, sign float64, rate func(schemas.Question) []float64) rule {
		return rule{name, func(_ *corpus, ob observation) []float64 { return scale(sign, rate(ob.q)) }}
	}
	seen := func(sign float64) func(*corpus, observation) []float64 {
		return func(c *corpus, ob observation) []float64 { return scale(sign, c.seen.ofOptions(ob.q)) }
	}
	return []rule{
		by("longest option", 1, lengths), by("shortest option", -1, lengths),
		by("odd one out", -1, likenesses), by("most like the others", 1, likenesses),
		{"commonest option", seen(1)}, {"rarest option", seen(-1)},
		by("most words of the question", 1, overlaps), by("fewest words of the question", -1, overlaps),
		by("latest mentioned in the question", 1, mentions),
		{"option most often right elsewhere", (*corpus).rightText}, {"position most often right elsewhere", (*corpus).rightPlace},
	}
}

func scale(sign float64, values []float64) []float64 {
	for i := range values {
		values[i] *= sign
	}
	return values
}

// mentions says where in the question each option stands last, -1 for nowhere.
func mentions(q schemas.Question) []float64 {
	text := " " + words.Folded(q.Question) + " "
	return rateOptions(q, func(i int) float64 {
		option := words.Folded(q.Options[i].Text)
		if option == "" {
			return -1
		}
		return float64(strings.LastIndex(text, " "+option+" "))
	})
}

// corpus is what all questions of a form tell, without the answers of the cluster asked about.
type corpus struct {
	seen          prevalence
	texts, places tally
}

// tally counts how often something was right of how often it could be, by cluster and over
// all.
type tally struct {
	all map[string][2]float64
	by  map[[2]string][2]float64 // by cluster and thing
}

func newTally() tally {
	return tally{map[string][2]float64{}, map[[2]string][2]float64{}}
}

func newCorpus(obs []observation) *corpus {
	c := &corpus{prevalenceOf(obs), newTally(), newTally()}
	for _, ob := range obs {
		for i, o := range ob.q.Options {
			c.texts.add(ob, words.Folded(o.Text), i == ob.gold)
			c.places.add(ob, schemas.Letter(i), i == ob.gold)
		}
	}
	return c
}

func (t tally) add(ob observation, thing string, right bool) {
	n := [2]float64{0, ob.weight}
	if right {
		n[0] = ob.weight
	}
	for j := range n {
		n[j] += t.all[thing][j]
	}
	t.all[thing] = n
	key := [2]string{ob.cluster, thing}
	own := t.by[key]
	if right {
		own[0] += ob.weight
	}
	own[1] += ob.weight
	t.by[key] = own
}

// shareElsewhere is the share of right ones in other clusters, smoothed by one guess.
func (t tally) shareElsewhere(ob observation, thing string) float64 {
	all, own := t.all[thing], t.by[[2]string{ob.cluster, thing}]
	return (all[0] - own[0] + 1) / (all[1] - own[1] + float64(len(ob.q.Options)))
}

func (c *corpus) rightText(ob observation) []float64 {
	return rateOptions(ob.q, func(i int) float64 { return c.texts.shareElsewhere(ob, words.Folded(ob.q.Options[i].Text)) })
}

func (c *corpus) rightPlace(ob observation) []float64 {
	return rateOptions(ob.q, func(i int) float64 { return c.places.shareElsewhere(ob, schemas.Letter(i)) })
}
