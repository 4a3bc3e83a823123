package shortcuts

import (
	"fmt"
	"maps"
	"math"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// rareWordsIn are the words of a text that few clusters have.
func (c *clusterTexts) rareWordsIn(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words.Words(text) {
		if c.isRare(w) {
			out[w] = true
		}
	}
	return out
}

// sharesName reports whether the question of a fact has one of the names.
func (c *clusterTexts) sharesName(fact int, names map[string]bool) bool {
	for w := range names {
		if c.names[fact][w] {
			return true
		}
	}
	return false
}

// factsNaming are the other facts that name an option.
func (c *clusterTexts) factsNaming(ob observation, i int) []int {
	return c.otherFacts(c.naming[words.Folded(ob.q.Options[i].Text)], ob)
}

// factsAbout are the other facts that name what a question names: of what lies within
// something else, the whole.
func (c *clusterTexts) factsAbout(ob observation) []int {
	all, end := factSet{}, 0
	for _, t := range c.mentionsIn(ob.q.Question) {
		if t.to > end {
			maps.Copy(all, c.naming[t.text])
			end = t.to
		}
	}
	return c.otherFacts(all, ob)
}

// countNaming is how many other facts name each option.
func (c *clusterTexts) countNaming(ob observation) []float64 {
	return rateOptions(ob.q, func(i int) float64 { return float64(len(c.factsNaming(ob, i))) })
}

// countNamingAlike is how many of these have a name in common with the question.
func (c *clusterTexts) countNamingAlike(ob observation) []float64 {
	names := c.rareWordsIn(ob.q.Question)
	return rateOptions(ob.q, func(i int) (n float64) {
		for _, f := range c.factsNaming(ob, i) {
			if c.sharesName(f, names) {
				n++
			}
		}
		return n
	})
}

// countAboutAlike is how many other facts about what the question names have a name in
// common with each option.
func (c *clusterTexts) countAboutAlike(ob observation) []float64 {
	about := c.factsAbout(ob)
	return rateOptions(ob.q, func(i int) (n float64) {
		names := c.rareWordsIn(ob.q.Options[i].Text)
		for _, f := range about {
			if c.sharesName(f, names) {
				n++
			}
		}
		return n
	})
}

// distances is how far each value is from the others.
func distances(values []float64) []float64 {
	sum, out := 0.0, make([]float64, len(values))
	for _, v := range values {
		sum += v
	}
	for i, v := range values {
		out[i] = math.Abs(float64(len(values))*v - sum)
	}
	return out
}

// neighbourRule is one way in which the other questions of a cluster rate the options.
type neighbourRule struct {
	name string
	rate func(*clusterTexts, observation) []float64
}

// neighbourRules are the simple ways to guess from them, in both directions and by what
// stands out.
func neighbourRules() []neighbourRule {
	var out []neighbourRule
	for _, way := range []neighbourRule{
		{"named", (*clusterTexts).countNaming},
		{"named along with its names", (*clusterTexts).countNamingAlike},
	} {
		out = append(out,
			neighbourRule{"most often " + way.name, way.rate},
			neighbourRule{"least often " + way.name, func(c *clusterTexts, ob observation) []float64 { return scale(-1, way.rate(c, ob)) }},
			neighbourRule{"odd one out in how often " + way.name, func(c *clusterTexts, ob observation) []float64 { return distances(way.rate(c, ob)) }})
	}
	return append(out,
		neighbourRule{"its names most often about the same thing", (*clusterTexts).countAboutAlike},
		neighbourRule{"its names least often about the same thing", func(c *clusterTexts, ob observation) []float64 { return scale(-1, c.countAboutAlike(ob)) }})
}

// neighbourItems turns observations into items that show of each option how it stands
// among the other questions of its cluster.
func (c *neighbourIndex) neighbourItems(obs []observation) []item {
	out := make([]item, len(obs))
	for n, ob := range obs {
		at := c.clusters[ob.q.QuestionID]
		it := item{cluster: ob.cluster, weight: ob.weight, gold: ob.gold, options: make([][]feature, len(ob.q.Options))}
		for i := range ob.q.Options {
			it.options[i] = at.neighbourFeatures(ob, i)
		}
		for w, way := range neighbourRules() {
			if best := bestOptions(way.rate(at, ob), 1); len(best) == 1 {
				it.options[best[0]] = append(it.options[best[0]], feature{firstNeighbourRule + w, 1})
			}
		}
		out[n] = it
	}
	return out
}

// neighbourFeatures are what kinds of questions name an option, those with a name in common
// with this one apart, and what kinds are about the same thing as this one, those
// with a name in common with the option apart.
func (c *clusterTexts) neighbourFeatures(ob observation, i int) []feature {
	var grams []string
	asked, offered := c.rareWordsIn(ob.q.Question), c.rareWordsIn(ob.q.Options[i].Text)
	for _, f := range c.factsNaming(ob, i) {
		grams = append(grams, fmt.Sprint("named\x00", c.forms[f], c.sharesName(f, asked)))
	}
	about := map[string]int{}
	for _, f := range c.factsAbout(ob) {
		grams = append(grams, fmt.Sprint("about\x00", c.forms[f], c.sharesName(f, offered)))
		about[c.forms[f]]++
	}
	fs := hashFeatures(grams)
	grams = nil
	for _, w := range words.Words(ob.q.Options[i].Text) {
		if len(about) == 0 {
			grams = append(grams, "nowhere\x00"+w)
		}
		for form, n := range about {
			grams = append(grams, fmt.Sprint(form, min(n, 3), "\x00", w))
		}
	}
	return append(fs, hashFeatures(grams)...)
}
