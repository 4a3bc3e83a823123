package shortcuts

import (
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// company is what the questions of a collection say beside each other: all forms
// together, in the words that a solver reads, without evidence and answers.
type company struct {
	circles map[string]*circle // by question id
}

// circle is what the facts of one cluster say.
type circle struct {
	facts map[string]int
	// forms and names are by fact: what it is asked as, and the words of its
	// questions that few clusters have, such as those of a title.
	forms []string
	names []map[string]bool
	// few tells such words.
	few func(word string) bool
	// offering are the facts that have something as an option, naming those that
	// have such a thing among the words of an option or a question.
	offering, naming map[string]facts
	// longest is how many words the longest option has.
	longest int
}

type facts map[int]bool

const (
	// longestNamed bounds the words of an option that is looked for elsewhere.
	longestNamed = 12
	// mostNaming bounds how many facts are known to name a thing: one that more of
	// them name, such as Yes, tells nothing apart.
	mostNaming = 256
)

// companyOf collects by cluster what the questions say.
func companyOf(qs []schemas.Question, forms Forms) *company {
	clusters := agreement.Clusters(qs)
	c := &company{map[string]*circle{}}
	members := map[string][]schemas.Question{}
	for _, q := range qs {
		name := clusters[q.QuestionID]
		members[name] = append(members[name], q)
	}
	few := rare(members)
	for _, of := range members {
		at := circleOf(of, few, forms)
		for _, q := range of {
			c.circles[q.QuestionID] = at
		}
	}
	return c
}

// rare tells the words that the questions of at most half of the clusters have.
func rare(clusters map[string][]schemas.Question) func(string) bool {
	in := map[string]int{}
	for _, of := range clusters {
		seen := map[string]bool{}
		for _, q := range of {
			for _, w := range words.Of(q.Question) {
				seen[w] = true
			}
		}
		for w := range seen {
			in[w]++
		}
	}
	return func(w string) bool { return in[w] > 0 && 2*in[w] <= len(clusters) }
}

// circleOf reads the options of a cluster first: they are what is then looked for.
func circleOf(qs []schemas.Question, few func(string) bool, forms Forms) *circle {
	c := &circle{few: few, facts: map[string]int{}, offering: map[string]facts{}, naming: map[string]facts{}}
	slices.SortFunc(qs, func(a, b schemas.Question) int { return strings.Compare(a.QuestionID, b.QuestionID) })
	for _, q := range qs {
		n, known := c.facts[q.Fact()]
		if !known {
			n = len(c.forms)
			c.facts[q.Fact()] = n
			c.forms, c.names = append(c.forms, forms.Of(q)), append(c.names, map[string]bool{})
		}
		maps.Copy(c.names[n], c.namesIn(q.Question))
		for _, o := range q.Options {
			list := words.Of(o.Text)
			c.longest = max(c.longest, min(longestNamed, len(list)))
			note(c.offering, strings.Join(list, " "), n)
		}
	}
	for _, q := range qs {
		n := c.facts[q.Fact()]
		for _, t := range c.things(q.Question) {
			note(c.naming, t.text, n)
		}
		for _, o := range q.Options {
			note(c.naming, words.Folded(o.Text), n)
			for _, t := range c.things(o.Text) {
				note(c.naming, t.text, n)
			}
		}
	}
	return c
}

func note(by map[string]facts, text string, fact int) {
	if by[text] == nil {
		by[text] = facts{}
	}
	if len(by[text]) < mostNaming {
		by[text][fact] = true
	}
}

// thing is what the cluster has as an option, and where in a text it is named.
type thing struct {
	text     string
	from, to int
}

// things are those that a text names, in order, the longest first of those that
// begin at one word.
func (c *circle) things(text string) []thing {
	list := words.Of(text)
	var out []thing
	for from := range list {
		for to := min(len(list), from+c.longest); to > from; to-- {
			if text := strings.Join(list[from:to], " "); c.offering[text] != nil {
				out = append(out, thing{text, from, to})
			}
		}
	}
	return out
}

// others are the facts of a set but that of the observation, ascending.
func (c *circle) others(of facts, ob observation) []int {
	own := c.facts[ob.fact]
	return slices.DeleteFunc(slices.Sorted(maps.Keys(of)), func(n int) bool { return n == own })
}
