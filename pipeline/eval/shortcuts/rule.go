package shortcuts

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// Sight is what a rule reads besides the question and its options.
type Sight string

// The sights. Rules of the first three must be at chance. Company is what questions of one
// cluster tell of each other: it says that each must be put by itself. The others read what
// the question is about: they are baselines.
const (
	Alone    Sight = "question and options"
	Answered Sight = "answers of other clusters, letters before"
	Siblings Sight = "forms of the other options of the task"
	Company  Sight = "other questions of the cluster"
	History  Sight = "history"
	Captions Sight = "captions"
	Exhibits Sight = "exhibits"
	Events   Sight = "events"
)

// IsBaseline reports a sight of what the question is about.
func (s Sight) IsBaseline() bool { return !s.IsJudged() && s != Company }

// IsJudged reports a sight of rules that must be at chance.
func (s Sight) IsJudged() bool { return s == Alone || s == Answered || s == Siblings }

// Rule is a way to guess: among the options that it rates highest. It says nothing of a
// question whose options it rates alike. A rule that is right too seldom is a leak too.
type Rule struct {
	Name string
	Sees Sight
	// Rate gives a rating of each option, or nil where the rule says nothing. It is pure.
	Rate func(*Case) []float64
	// Upward says that to be right too seldom tells nothing, as where answers are dealt out
	// evenly and the rule counts all others.
	Upward bool
}

// Case is a question as rules see it: without its answer, labels and evidence.
type Case struct {
	// Question stands before the options. Open is the wording without options, where it is
	// another one.
	Question, Open, Type string
	Options              []string
	// Lines are what was said and shown before the question, in order. Happenings name what
	// happens in the video that the question names.
	Lines      []Line
	Happenings []string

	ob      observation
	form    *corpus
	cluster *clusterTexts
	found   findings
}

// findings in the lines of a case, which several rules use.
type findings struct {
	mentions map[Sight][][]int
	about    []bool
	like     []float64
}

func newCase(ob observation, form *corpus, cluster *clusterTexts) *Case {
	c := &Case{Question: ob.q.ChoiceStem(), Type: ob.q.Type, ob: ob, form: form, cluster: cluster}
	if ob.q.Question != c.Question {
		c.Open = ob.q.Question
	}
	for _, o := range ob.q.Options {
		c.Options = append(c.Options, o.Text)
	}
	return c
}

const extension = "shortcut rule"

// AddRule registers a rule of a domain. All studies try it.
func AddRule(r *pipeline.Registry, rule Rule) { r.Extend(extension, rule.Name, rule) }

// AddedRules returns the rules of domains, by name.
func AddedRules(r *pipeline.Registry) []Rule { return pipeline.Extensions[Rule](r, extension) }

// BuiltInRules returns the rules that are tried on every question.
func BuiltInRules() []Rule {
	return slices.Concat(optionRules(), valueRules(), partRules(), answeredRules(), siblingRules(), historyRules(), exhibitRules())
}

// guess is a set of options, as bits; 0 says nothing.
type guess uint32

func (r Rule) guess(c *Case) guess {
	ratings := r.Rate(c)
	best := bestOptions(ratings)
	if len(best) == len(c.Options) || len(ratings) != len(c.Options) {
		return 0
	}
	return guessOf(best)
}

func guessOf(options []int) (g guess) {
	for _, i := range options {
		g |= 1 << i
	}
	return g
}

// right is the chance that a guess at random among its options is right.
func (g guess) right(gold int) float64 {
	if g>>gold&1 == 0 {
		return 0
	}
	return 1 / float64(bits.OnesCount32(uint32(g)))
}

// bestOptions returns those of the highest rating.
func bestOptions(ratings []float64) (best []int) {
	for i, v := range ratings {
		switch {
		case len(best) == 0 || v > ratings[best[0]]+1e-9:
			best = []int{i}
		case v == ratings[best[0]] || v > ratings[best[0]]-1e-9:
			best = append(best, i)
		}
	}
	return best
}

func (c *Case) rate(of func(i int) float64) []float64 {
	out := make([]float64, len(c.Options))
	for i := range out {
		out[i] = of(i)
	}
	return out
}

func negate(values []float64) []float64 {
	for i := range values {
		values[i] = -values[i]
	}
	return values
}

// both are the rules that take the options of the highest and of the lowest rating.
func both(sees Sight, highest, lowest string, rate func(*Case) []float64) []Rule {
	return []Rule{{Name: highest, Sees: sees, Rate: rate}, {Name: lowest, Sees: sees, Rate: func(c *Case) []float64 { return negate(rate(c)) }}}
}

// bare is a text as it is looked for: its words without an article before them.
func bare(text string) string {
	list := words.Words(text)
	if len(list) > 1 && slices.Contains([]string{"the", "a", "an"}, list[0]) {
		list = list[1:]
	}
	return strings.Join(list, " ")
}

// names reports whether folded text between blanks has the words of part in their order.
func names(text, part string) bool { return part != "" && strings.Contains(text, " "+part+" ") }

func padded(text string) string { return " " + words.Folded(text) + " " }

// Forms are, by question type, the form that it shares with types of its wording.
// A type that is not among them is a form of its own.
type Forms map[string]string

// FormOf is what a solver could tell a question by. Controls, whose condition gives the answer
// away, are a form of their own, as score and card have them.
func (f Forms) FormOf(q schemas.Question) string {
	q.Type = cmp.Or(f[q.Type], q.Type)
	return q.ReportedType()
}

// Group groups questions by their form. The indices of a form are in input order.
func (f Forms) Group(qs []schemas.Question) map[string][]int {
	out := map[string][]int{}
	for i, q := range qs {
		out[f.FormOf(q)] = append(out[f.FormOf(q)], i)
	}
	return out
}
