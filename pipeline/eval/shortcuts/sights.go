package shortcuts

import (
	"fmt"
	"maps"
	"math"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// namesIn are the words of a text that few clusters have.
func (c *circle) namesIn(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words.Of(text) {
		if c.few(w) {
			out[w] = true
		}
	}
	return out
}

// close reports whether the question of a fact has one of the names.
func (c *circle) close(fact int, names map[string]bool) bool {
	for w := range names {
		if c.names[fact][w] {
			return true
		}
	}
	return false
}

// namingOption are the other facts that name an option.
func (c *circle) namingOption(ob observation, i int) []int {
	return c.others(c.naming[words.Folded(ob.q.Options[i].Text)], ob)
}

// about are the other facts that name what a question names: of what lies within
// something else, the whole.
func (c *circle) about(ob observation) []int {
	all, end := facts{}, 0
	for _, t := range c.things(ob.q.Question) {
		if t.to > end {
			maps.Copy(all, c.naming[t.text])
			end = t.to
		}
	}
	return c.others(all, ob)
}

// named is how many other facts name each option.
func (c *circle) named(ob observation) []float64 {
	return each(ob.q, func(i int) float64 { return float64(len(c.namingOption(ob, i))) })
}

// near is how many of these have a name in common with the question.
func (c *circle) near(ob observation) []float64 {
	names := c.namesIn(ob.q.Question)
	return each(ob.q, func(i int) (n float64) {
		for _, f := range c.namingOption(ob, i) {
			if c.close(f, names) {
				n++
			}
		}
		return n
	})
}

// told is how many other facts about what the question names have a name in
// common with each option.
func (c *circle) told(ob observation) []float64 {
	about := c.about(ob)
	return each(ob.q, func(i int) (n float64) {
		names := c.namesIn(ob.q.Options[i].Text)
		for _, f := range about {
			if c.close(f, names) {
				n++
			}
		}
		return n
	})
}

// apart is how far each value is from the others.
func apart(values []float64) []float64 {
	sum, out := 0.0, make([]float64, len(values))
	for _, v := range values {
		sum += v
	}
	for i, v := range values {
		out[i] = math.Abs(float64(len(values))*v - sum)
	}
	return out
}

// sight is one way in which the other questions of a cluster rate the options.
type sight struct {
	name string
	rate func(*circle, observation) []float64
}

// sights are the simple ways to guess from them, in both directions and by what
// stands out.
func sights() []sight {
	var out []sight
	for _, way := range []sight{
		{"named", (*circle).named},
		{"named along with its names", (*circle).near},
	} {
		out = append(out,
			sight{"most often " + way.name, way.rate},
			sight{"least often " + way.name, func(c *circle, ob observation) []float64 { return times(-1, way.rate(c, ob)) }},
			sight{"odd one out in how often " + way.name, func(c *circle, ob observation) []float64 { return apart(way.rate(c, ob)) }})
	}
	return append(out,
		sight{"its names most often about the same thing", (*circle).told},
		sight{"its names least often about the same thing", func(c *circle, ob observation) []float64 { return times(-1, c.told(ob)) }})
}

// companions turns observations into items that show of each option how it stands
// among the other questions of its cluster.
func (c *company) companions(obs []observation) []item {
	out := make([]item, len(obs))
	for n, ob := range obs {
		at := c.circles[ob.q.QuestionID]
		it := item{cluster: ob.cluster, weight: ob.weight, gold: ob.gold, options: make([][]feature, len(ob.q.Options))}
		for i := range ob.q.Options {
			it.options[i] = at.seen(ob, i)
		}
		for w, way := range sights() {
			if best := greatest(way.rate(at, ob), 1); len(best) == 1 {
				it.options[best[0]] = append(it.options[best[0]], feature{firstSight + w, 1})
			}
		}
		out[n] = it
	}
	return out
}

// seen are what kinds of questions name an option, those with a name in common
// with this one apart, and what kinds are about the same thing as this one, those
// with a name in common with the option apart.
func (c *circle) seen(ob observation, i int) []feature {
	var grams []string
	asked, offered := c.namesIn(ob.q.Question), c.namesIn(ob.q.Options[i].Text)
	for _, f := range c.namingOption(ob, i) {
		grams = append(grams, fmt.Sprint("named\x00", c.forms[f], c.close(f, asked)))
	}
	about := map[string]int{}
	for _, f := range c.about(ob) {
		grams = append(grams, fmt.Sprint("about\x00", c.forms[f], c.close(f, offered)))
		about[c.forms[f]]++
	}
	fs := hashed(grams)
	grams = nil
	for _, w := range words.Of(ob.q.Options[i].Text) {
		if len(about) == 0 {
			grams = append(grams, "nowhere\x00"+w)
		}
		for form, n := range about {
			grams = append(grams, fmt.Sprint(form, min(n, 3), "\x00", w))
		}
	}
	return append(fs, hashed(grams)...)
}
