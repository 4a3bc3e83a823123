package shortcuts

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// neighbourIndex holds what the questions of all forms say beside each other, without evidence
// and answers.
type neighbourIndex struct {
	clusters map[string]*clusterTexts // by question id
}

type clusterTexts struct {
	facts map[string]int
	// forms and names are by fact: what it is asked as, and the words of its
	// questions that few clusters have, such as those of a title.
	forms []string
	names []map[string]bool
	// isRare tells such words.
	isRare func(word string) bool
	// offering are the facts that have something as an option, naming those that
	// have such a thing among the words of an option or a question.
	offering, naming map[string]factSet
	// longest is how many words the longest option has.
	longest int
}

type factSet map[int]bool

const (
	// maxNamedWords bounds the words of an option that is looked for elsewhere.
	maxNamedWords = 12
	// maxNaming bounds how many facts are known to name a thing: one that more of
	// them name, such as Yes, tells nothing apart.
	maxNaming = 256
)

func indexNeighbours(qs []schemas.Question, forms Forms) *neighbourIndex {
	clusters := agreement.Clusters(qs)
	c := &neighbourIndex{map[string]*clusterTexts{}}
	members := map[string][]schemas.Question{}
	for _, q := range qs {
		name := clusters[q.QuestionID]
		members[name] = append(members[name], q)
	}
	few := rareWords(members)
	for _, of := range members {
		at := readCluster(of, few, forms)
		for _, q := range of {
			c.clusters[q.QuestionID] = at
		}
	}
	return c
}

// rareWords tells the words that the questions of at most half of the clusters have.
func rareWords(clusters map[string][]schemas.Question) func(string) bool {
	in := map[string]int{}
	for _, of := range clusters {
		seen := map[string]bool{}
		for _, q := range of {
			for _, w := range words.Words(q.Question) {
				seen[w] = true
			}
		}
		for w := range seen {
			in[w]++
		}
	}
	return func(w string) bool { return in[w] > 0 && 2*in[w] <= len(clusters) }
}

// readCluster reads the options of a cluster first: they are what is then looked for.
func readCluster(qs []schemas.Question, few func(string) bool, forms Forms) *clusterTexts {
	c := &clusterTexts{isRare: few, facts: map[string]int{}, offering: map[string]factSet{}, naming: map[string]factSet{}}
	slices.SortFunc(qs, func(a, b schemas.Question) int { return strings.Compare(a.QuestionID, b.QuestionID) })
	for _, q := range qs {
		n, known := c.facts[q.Fact()]
		if !known {
			n = len(c.forms)
			c.facts[q.Fact()] = n
			c.forms, c.names = append(c.forms, forms.FormOf(q)), append(c.names, map[string]bool{})
		}
		maps.Copy(c.names[n], c.rareWordsIn(q.Question))
		for _, o := range q.Options {
			list := words.Words(o.Text)
			c.longest = max(c.longest, min(maxNamedWords, len(list)))
			addFact(c.offering, strings.Join(list, " "), n)
		}
	}
	for _, q := range qs {
		n := c.facts[q.Fact()]
		for _, t := range c.mentionsIn(q.Question) {
			addFact(c.naming, t.text, n)
		}
		for _, o := range q.Options {
			addFact(c.naming, words.Folded(o.Text), n)
			for _, t := range c.mentionsIn(o.Text) {
				addFact(c.naming, t.text, n)
			}
		}
	}
	return c
}

func addFact(by map[string]factSet, text string, fact int) {
	if by[text] == nil {
		by[text] = factSet{}
	}
	if len(by[text]) < maxNaming {
		by[text][fact] = true
	}
}

// mention is what the cluster has as an option, and where in a text it is named.
type mention struct {
	text     string
	from, to int
}

// mentionsIn returns the mentions in a text, in order, the longest first at each word.
func (c *clusterTexts) mentionsIn(text string) []mention {
	list := words.Words(text)
	var out []mention
	for from := range list {
		for to := min(len(list), from+c.longest); to > from; to-- {
			if text := strings.Join(list[from:to], " "); c.offering[text] != nil {
				out = append(out, mention{text, from, to})
			}
		}
	}
	return out
}

func (c *clusterTexts) otherFacts(of factSet, ob observation) []int {
	own := c.facts[ob.fact]
	return slices.DeleteFunc(slices.Sorted(maps.Keys(of)), func(n int) bool { return n == own })
}

func (c *clusterTexts) rareWordsIn(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words.Words(text) {
		if c.isRare(w) {
			out[w] = true
		}
	}
	return out
}

func (c *clusterTexts) sharesName(fact int, names map[string]bool) bool {
	for w := range names {
		if c.names[fact][w] {
			return true
		}
	}
	return false
}

func (c *clusterTexts) factsNaming(ob observation, i int) []int {
	return c.otherFacts(c.naming[words.Folded(ob.q.Options[i].Text)], ob)
}

// factsAbout returns the other facts that name what a question names, the longest names only.
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

// countAboutAlike counts the facts about the same thing that share a name with each option.
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

// neighbourRules guess from these counts, in both directions and by what stands out.
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

// neighbourItems describes how each option stands among the other questions of its cluster.
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

// neighbourFeatures hashes the forms of questions that name an option, and of those about the
// same thing, each with whether they share a name.
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
