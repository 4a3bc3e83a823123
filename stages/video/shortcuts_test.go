package video

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// A shortcut scores the options of a question without any video; it guesses
// among those of the highest score.
type shortcut struct {
	name  string
	score func(corpus *corpus, q schemas.Question, i int) float64
}

// corpus is what somebody knows who has all questions and no answers but those
// about other pairs.
type corpus struct {
	texts   map[string]int
	words   map[string]int
	read    map[string]features
	answers map[string]map[string][2]int // by text and pair: right, shown
}

// features of a text.
type features struct {
	words    []string
	bag      map[string]bool
	trigrams map[string]bool
}

// of reads a text once.
func (c *corpus) of(text string) features {
	f, known := c.read[text]
	if !known {
		words := wordPattern.FindAllString(strings.ToLower(text), -1)
		f = features{words, set(words), trigrams(text)}
		c.read[text] = f
	}
	return f
}

func corpusOf(qs []schemas.Question) *corpus {
	c := &corpus{map[string]int{}, map[string]int{}, map[string]features{}, map[string]map[string][2]int{}}
	for _, q := range qs {
		for _, o := range q.Options {
			c.texts[o.Text]++
			for _, w := range c.of(o.Text).words {
				c.words[w]++
			}
			if c.answers[o.Text] == nil {
				c.answers[o.Text] = map[string][2]int{}
			}
			n := c.answers[o.Text][q.TaskID]
			n[1]++
			if o.Key == q.AnswerKey {
				n[0]++
			}
			c.answers[o.Text][q.TaskID] = n
		}
	}
	return c
}

// elsewhere is how often a text is right in the half of the tasks that q is not
// in, with four guesses added. All other tasks would not do: of nine colours that
// happen to be right equally often, leaving out a task makes those that are right
// in it look rare.
func (c *corpus) elsewhere(q schemas.Question, text string) float64 {
	half := func(task string) bool { return task[len(task)-1]%2 == 0 }
	right, shown := 1, 4
	for task, n := range c.answers[text] {
		if half(task) != half(q.TaskID) {
			right, shown = right+n[0], shown+n[1]
		}
	}
	return float64(right) / float64(shown)
}

var wordPattern = regexp.MustCompile(`[\pL\pN]+`)

func trigrams(s string) map[string]bool {
	out := map[string]bool{}
	r := []rune(strings.ToLower(s))
	for i := range len(r) - 2 {
		out[string(r[i:i+3])] = true
	}
	return out
}

func overlap(a, b map[string]bool) (n float64) {
	for k := range a {
		if b[k] {
			n++
		}
	}
	return n
}

func set(words []string) map[string]bool {
	out := map[string]bool{}
	for _, w := range words {
		out[w] = true
	}
	return out
}

// toOthers sums a likeness of option i to the other options.
func toOthers(c *corpus, q schemas.Question, i int, of func(features) map[string]bool) (sum float64) {
	for j, o := range q.Options {
		if j != i {
			sum += overlap(of(c.of(q.Options[i].Text)), of(c.of(o.Text)))
		}
	}
	return sum
}

// shortcuts are tried both ways: the highest and the lowest score.
func shortcuts() []shortcut {
	out := []shortcut{
		{"length", func(_ *corpus, q schemas.Question, i int) float64 {
			return float64(utf8.RuneCountInString(q.Options[i].Text))
		}},
		{"words", func(c *corpus, q schemas.Question, i int) float64 { return float64(len(c.of(q.Options[i].Text).words)) }},
		{"overlap with question", func(c *corpus, q schemas.Question, i int) float64 {
			return overlap(c.of(q.Options[i].Text).bag, c.of(q.Question).bag)
		}},
		{"letters of question", func(c *corpus, q schemas.Question, i int) float64 {
			t := c.of(q.Options[i].Text).trigrams
			return overlap(t, c.of(q.Question).trigrams) / float64(max(1, len(t)))
		}},
		{"words of other options", func(c *corpus, q schemas.Question, i int) float64 {
			return toOthers(c, q, i, func(f features) map[string]bool { return f.bag })
		}},
		{"letters of other options", func(c *corpus, q schemas.Question, i int) float64 {
			return toOthers(c, q, i, func(f features) map[string]bool { return f.trigrams })
		}},
		{"alphabet", func(_ *corpus, q schemas.Question, i int) (n float64) {
			for _, o := range q.Options {
				if o.Text < q.Options[i].Text {
					n++
				}
			}
			return n
		}},
		{"frequency of text", func(c *corpus, q schemas.Question, i int) float64 { return float64(c.texts[q.Options[i].Text]) }},
		{"frequency of words", func(c *corpus, q schemas.Question, i int) (n float64) {
			words := c.of(q.Options[i].Text).words
			for _, w := range words {
				n += math.Log(float64(c.words[w]))
			}
			return n / float64(len(words))
		}},
		{"right elsewhere", func(c *corpus, q schemas.Question, i int) float64 { return c.elsewhere(q, q.Options[i].Text) }},
	}
	for n := range 4 {
		out = append(out, shortcut{"position " + string(rune('A'+n)), func(_ *corpus, _ schemas.Question, i int) float64 {
			return map[bool]float64{true: 1}[i == n]
		}})
	}
	return out
}

// hit is the chance that guessing among the best options is right.
func hit(c *corpus, s shortcut, sign float64, q schemas.Question) float64 {
	best, right := math.Inf(-1), 0.0
	n := 0
	for i, o := range q.Options {
		switch score := sign * s.score(c, q, i); {
		case score > best:
			best, n, right = score, 1, map[bool]float64{true: 1}[o.Key == q.AnswerKey]
		case score == best:
			n++
			right += map[bool]float64{true: 1}[o.Key == q.AnswerKey]
		}
	}
	return right / float64(n)
}

// oneOfEach composes a pair in each layout, both variants of the split screen
// included: they differ in what is right about the sides.
func oneOfEach(p schemas.Pair) []schemas.Composition {
	all := everyLayout(p)
	return append(all[:1:1], all[len(all)-3:]...)
}

// different drops questions that repeat another one's options in another layout.
func different(s scripted, seen map[string]bool) []schemas.Question {
	var out []schemas.Question
	for _, q := range s.questions {
		pair := pairID(s.pairs[q.Media[0]].Pair)
		key := fmt.Sprint(q.Type, q.Labels[schemas.LabelTarget], pair, q.Options, strings.Join(strings.SplitAfter(q.Question, ". ")[1:], ""))
		if !seen[key] {
			seen[key] = true
			q.TaskID = pair
			out = append(out, q)
		}
	}
	return out
}

// TestNoShortcutBeatsChance asks over 1,000 different questions of each form and
// tries to answer them without the videos, per form and over all. A form is a
// type; the two types that ask in which video something happens are one form,
// and only together are they balanced.
func TestNoShortcutBeatsChance(t *testing.T) {
	if testing.Short() {
		t.Skip("asks ten thousand questions; run without -short")
	}
	var all []schemas.Question
	seen := map[string]bool{}
	for seed := uint64(21); seed < testsize.Choose[uint64](24, 27); seed++ {
		all = append(all, different(askScriptedWith(t, `{"questions_per_target": 4}`, seed, 32, oneOfEach), seen)...)
	}
	c := corpusOf(all)
	forms := map[string][]schemas.Question{"all": all}
	for _, q := range all {
		form := q.Type
		if form == schemas.TypeFalseMemory {
			form = schemas.TypeSourceMemory
		}
		forms[form] = append(forms[form], q)
	}
	enough := testsize.Choose(280, 500)
	names := make([]string, 0, len(forms))
	for name := range forms {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if len(forms[name]) < enough {
			t.Errorf("%d questions of the form %s, want %d", len(forms[name]), name, enough)
		}
		for _, s := range shortcuts() {
			for _, sign := range []float64{1, -1} {
				share, margin := measure(c, forms[name], s, sign)
				line := fmt.Sprintf("%-22s n=%5d  %+g %-26s %.1f %%, chance 25 +- %.1f", name, len(forms[name]), sign, s.name, 100*share, 100*margin)
				t.Log(line)
				if math.Abs(share-0.25) > margin {
					t.Error(line)
				}
			}
		}
	}
}

// deviations from chance that are suspicious, in standard errors: with some two
// hundred shortcuts tried, one in fifty sets of questions goes beyond it.
const deviations = 3.9

// measure is the share of right guesses by a shortcut, and how far from chance
// it may be. The standard error is the binomial one, or that between pairs where
// it is larger: questions about one pair share titles and sides.
func measure(c *corpus, qs []schemas.Question, s shortcut, sign float64) (share, margin float64) {
	sum := 0.0
	byPair := map[string]float64{}
	for _, q := range qs {
		h := hit(c, s, sign, q)
		sum += h
		byPair[q.TaskID] += h - 0.25
	}
	n, between := float64(len(qs)), 0.0
	for _, d := range byPair {
		between += d * d
	}
	return sum / n, deviations * max(math.Sqrt(0.25*0.75/n), math.Sqrt(between)/n)
}

// TestShortcutsAreNoticed plants each kind of hint in one question of five.
func TestShortcutsAreNoticed(t *testing.T) {
	plant := map[string]func(q *schemas.Question, right int){
		"position A":             func(q *schemas.Question, right int) { q.AnswerKey = "A" },
		"length":                 func(q *schemas.Question, right int) { q.Options[right].Text += " and a long tail" },
		"overlap with question":  func(q *schemas.Question, right int) { q.Question += " " + q.Options[right].Text },
		"words of other options": func(q *schemas.Question, right int) { q.Options[(right+1)%4].Text += " " + q.Options[right].Text },
		"frequency of text":      func(q *schemas.Question, right int) { q.Options[right].Text = "usual" },
		"right elsewhere":        func(q *schemas.Question, right int) { q.Options[right].Text = "usual" },
	}
	for name, edit := range plant {
		var qs []schemas.Question
		for i := range 1200 {
			q := schemas.Question{Question: "Which?", TaskID: fmt.Sprint(i), AnswerKey: string(rune('A' + i*7%4))}
			for k := range 4 {
				q.Options = append(q.Options, schemas.Option{Key: string(rune('A' + k)), Text: fmt.Sprintf("%03d%03d", i*31%997, k*k*i%991)})
			}
			if i%5 == 0 {
				edit(&q, int(q.AnswerKey[0]-'A'))
			}
			qs = append(qs, q)
		}
		for _, s := range shortcuts() {
			if s.name != name {
				continue
			}
			if share, margin := measure(corpusOf(qs), qs, s, 1); share < 0.25+margin {
				t.Errorf("%s: %.3f right passes for chance +- %.3f", name, share, margin)
			}
		}
	}
}
