package shortcuts

import (
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// neighbourIndex is what the questions of a collection say beside each other: all forms
// together, in the words that a solver reads, without evidence and answers.
type neighbourIndex struct {
	clusters map[string]*clusterTexts // by question id
}

// clusterTexts is what the facts of one cluster say.
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

// indexNeighbours collects by cluster what the questions say.
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

// mentionsIn are those that a text names, in order, the longest first of those that
// begin at one word.
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

// otherFacts are the facts of a set but that of the observation, ascending.
func (c *clusterTexts) otherFacts(of factSet, ob observation) []int {
	own := c.facts[ob.fact]
	return slices.DeleteFunc(slices.Sorted(maps.Keys(of)), func(n int) bool { return n == own })
}
