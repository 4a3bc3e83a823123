package structural

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/words"
	"github.com/memforge/memforge/schemas"
)

// LeakConfig configures the gate text-leak.
type LeakConfig struct {
	Types       []string   `json:"types" doc:"question types to judge; empty means all"`
	Paraphrases [][]string `json:"paraphrases" doc:"words that mean the same: one of a line in a text tells what another of it in an option says"`
	Common      []string   `json:"common" doc:"words that tell nothing, wherever they stand"`
}

// SetDefaults knows numbers and colours by their other names.
func (c *LeakConfig) SetDefaults() {
	c.Paraphrases = [][]string{
		{"0", "zero", "none", "no"}, {"1", "one", "single"}, {"2", "two", "both", "pair", "twice"}, {"3", "three"}, {"4", "four"}, {"5", "five"}, {"6", "six"},
		{"7", "seven"}, {"8", "eight"}, {"9", "nine"}, {"10", "ten"}, {"11", "eleven"}, {"12", "twelve", "dozen"},
		{"red", "scarlet", "crimson"}, {"turquoise", "teal", "cyan"}, {"purple", "violet"}, {"grey", "gray", "silver"}, {"brown", "wooden"}, {"pink", "rose"}, {"yellow", "golden"},
		{"left", "leftmost"}, {"right", "rightmost"}, {"upper", "top"}, {"lower", "bottom"},
	}
	c.Common = []string{"a", "an", "and", "at", "by", "for", "from", "in", "is", "it", "of", "on", "one", "or", "that", "the", "this", "to", "was", "with"}
}

// NewLeak is a gate that reads what the texts of the evidence say, pictures aside. A
// question whose answer they tell, or whose options they tell apart, asks for no
// picture. It costs nothing, so it runs before whatever asks models (MemEye A.4 asks
// a panel the same).
func NewLeak(c LeakConfig) (pipeline.Gate, error) {
	skip := others(c.Types)
	if len(c.Types) == 0 {
		skip = func(schemas.Question) (none pipeline.Judgement) { return none }
	}
	return &gate[schemas.Question]{pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Types: c.Types}, skip, "", Each(c.judge)}, nil
}

// dated is the date that evidence of a session begins with. It is no part of what
// somebody said.
var dated = regexp.MustCompile(`^\[[^\]\n]*\]\n?`)

func (c LeakConfig) judge(q schemas.Question) pipeline.Judgement {
	var said []string
	for _, e := range q.Evidence {
		if text := dated.ReplaceAllString(e.Text, ""); text != "" {
			said = append(said, words.Of(text)...)
		}
	}
	switch {
	case len(said) == 0:
		return pipeline.Insufficient.Because("no-text", "no piece of its evidence has a text, so there is none that could tell")
	case len(q.Options) < 2:
		return pipeline.Insufficient.Because("no-options", "without options no word is known to tell the answer from others")
	}
	told := map[string]string{}
	for _, o := range q.Options {
		for _, w := range c.telling(o, q) {
			if found, ok := c.among(w, said); ok {
				told[o.Key] = found
			}
		}
	}
	if w, ok := told[q.AnswerKey]; ok {
		return pipeline.Fail.Because("gold-in-text", "%q stands in the text of its evidence, and of the options only the right one says that", w)
	}
	if len(told) > 0 {
		return pipeline.Fail.Because("options-in-text", "the text of its evidence tells options apart: it has %s", quoted(told))
	}
	return Pass()
}

// telling are the words of an option that neither the question nor any other option
// has.
func (c LeakConfig) telling(o schemas.Option, q schemas.Question) []string {
	taken := words.Of(q.Question)
	for _, other := range q.Options {
		if other.Key != o.Key {
			taken = append(taken, words.Of(other.Text)...)
		}
	}
	return slices.DeleteFunc(words.Of(o.Text), func(w string) bool { return slices.Contains(taken, w) || slices.Contains(c.Common, w) })
}

// among finds a word, or one that means the same, in a text.
func (c LeakConfig) among(w string, said []string) (string, bool) {
	same := []string{w}
	for _, line := range c.Paraphrases {
		if slices.Contains(line, w) {
			same = append(same, line...)
		}
	}
	for _, s := range same {
		if slices.Contains(said, s) {
			return s, true
		}
	}
	return "", false
}

func quoted(told map[string]string) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(told)) {
		out = append(out, key+": "+told[key])
	}
	return strings.Join(out, ", ")
}
