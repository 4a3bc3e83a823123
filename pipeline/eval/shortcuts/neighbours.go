package shortcuts

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

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
	// shapes are the facts by form and a shape of their options, answers what was an option.
	shapes  map[string]factSet
	answers map[string][]answer
	// longest is how many words the longest option has.
	longest int
}

type factSet map[int]bool

// answer is that a question about a fact had a text as an option, right or wrong.
type answer struct {
	id    string
	fact  int
	right bool
}

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
	c := &clusterTexts{isRare: few, facts: map[string]int{}, offering: map[string]factSet{}, naming: map[string]factSet{}, shapes: map[string]factSet{}, answers: map[string][]answer{}}
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
			text := strings.Join(list, " ")
			addFact(c.offering, text, n)
			c.answers[text] = append(c.answers[text], answer{q.QuestionID, n, o.Key == q.AnswerKey})
			for _, s := range shapesOf(o.Text) {
				addFact(c.shapes, c.forms[n]+"\x00"+s, n)
			}
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

// rateOptions rounds, so that ratings are equal that only the order of a sum sets apart.
func rateOptions(q schemas.Question, rate func(i int) float64) []float64 {
	out := make([]float64, len(q.Options))
	for i := range out {
		out[i] = math.Round(1e9*rate(i)) / 1e9
	}
	return out
}

func (c *clusterTexts) countNaming(ob observation) []float64 {
	own := c.facts[ob.fact]
	return rateOptions(ob.q, func(i int) float64 {
		of := c.naming[words.Folded(ob.q.Options[i].Text)]
		return float64(len(of)) - indicator(of[own])
	})
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

// siblingRules go by the other questions of a cluster, their answers unseen.
func siblingRules() []Rule {
	rated := func(of func(*clusterTexts, observation) []float64) func(*Case) []float64 {
		return func(c *Case) []float64 { return of(c.cluster, c.ob) }
	}
	out := slices.Concat(
		both(Company, "most often named", "least often named", rated((*clusterTexts).countNaming)),
		both(Company, "most often named along with its names", "least often named along with its names", rated((*clusterTexts).countNamingAlike)),
		both(Company, "its names most often about the same thing", "its names least often about the same thing", rated((*clusterTexts).countAboutAlike)),
		both(Siblings, "most like options of other questions", "least like options of other questions", rated((*clusterTexts).countShapes)))
	return append(out, Rule{Name: "odd one out in how often named", Sees: Company, Rate: func(c *Case) []float64 { return distances(c.cluster.countNaming(c.ob)) }})
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

// shapesOf are what options made by one rule have in common: what joins their parts, of which
// kind and length these are, and which stand where.
func shapesOf(text string) (out []string) {
	parts := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(parts) < 2 {
		return nil
	}
	kinds := ""
	for i, p := range parts {
		kind := fmt.Sprint("letters", len(p))
		if strings.ContainsAny(p, "0123456789") {
			kind = "number"
		}
		kinds += " " + kind
		out = append(out, fmt.Sprint(i, p), fmt.Sprint(i, kind))
	}
	if at := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }); at >= 0 {
		out = append(out, "joined by "+text[at:at+1])
	}
	return append(out, kinds)
}

// countShapes counts the other questions of the form that have each shape of an option.
func (c *clusterTexts) countShapes(ob observation) []float64 {
	own := c.facts[ob.fact]
	return rateOptions(ob.q, func(i int) (n float64) {
		for _, s := range shapesOf(ob.q.Options[i].Text) {
			of := c.shapes[c.forms[own]+"\x00"+s]
			n += float64(len(of)) - indicator(of[own])
		}
		return n
	})
}

// answered counts the earlier questions about other facts of which an option was right, or wrong.
func (c *clusterTexts) answered(ob observation, text string, right bool) (n float64) {
	for _, a := range c.answers[words.Folded(text)] {
		if a.id < ob.q.QuestionID && a.fact != c.facts[ob.fact] && a.right == right {
			n++
		}
	}
	return n
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
