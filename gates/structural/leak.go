package structural

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// LeakConfig configures the gate text-leak.
type LeakConfig struct {
	Types       []string   `json:"types" doc:"question types to judge; empty means all"`
	Paraphrases [][]string `json:"paraphrases" doc:"words that mean the same: one of a line in a text tells what another of it in an option says"`
	Common      []string   `json:"common" doc:"words that tell nothing, wherever they stand"`
	Loose       []string   `json:"loose" doc:"words with a second sense, which tell something beside a word of the question or the option, or after only and exactly"`
	Numbers     []string   `json:"numbers" doc:"numbers as words, which tell nothing before the name of other things (between two calls)"`
}

// SetDefaults knows numbers and colours by their other names, and which words people
// say without meaning what an option means by them.
func (c *LeakConfig) SetDefaults() {
	c.Paraphrases = [][]string{
		{"0", "zero", "none", "no"}, {"1", "one", "single"}, {"2", "two", "both", "pair", "twice"}, {"3", "three"}, {"4", "four"}, {"5", "five"}, {"6", "six"},
		{"7", "seven"}, {"8", "eight"}, {"9", "nine"}, {"10", "ten"}, {"11", "eleven"}, {"12", "twelve", "dozen"},
		{"red", "scarlet", "crimson"}, {"turquoise", "teal", "cyan"}, {"purple", "violet"}, {"grey", "gray", "silver"}, {"brown", "wooden"}, {"pink", "rose"}, {"yellow", "golden"},
		{"left", "leftmost"}, {"right", "rightmost"}, {"upper", "top"}, {"lower", "bottom"},
	}
	c.Common = []string{
		"a", "an", "and", "at", "by", "for", "from", "in", "is", "it", "of", "on", "one", "or", "that", "the", "this", "to", "was", "with",
		"i", "me", "my", "you", "your", "he", "his", "she", "her", "we", "us", "our", "they", "them", "their", "own", "am", "are", "be", "been", "were",
	}
	c.Loose = []string{"one", "no", "can", "may"}
	c.Numbers = []string{"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
}

// NewLeak is a gate that reads what the texts of the evidence say, pictures aside. A
// question whose answer they tell, or whose options they tell apart, asks for no
// picture. It costs nothing, so it runs before whatever asks models (MemEye A.4 asks
// a panel the same).
func NewLeak(c LeakConfig) (pipeline.Gate, error) {
	skip := skipOtherTypes(c.Types)
	if len(c.Types) == 0 {
		skip = func(schemas.Question) (none pipeline.Judgement) { return none }
	}
	return &gate[schemas.Question]{pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Types: c.Types}, skip, "", Each(c.judge)}, nil
}

// datePrefix is the date that evidence of a session begins with. It is no part of what
// is said.
var datePrefix = regexp.MustCompile(`^\[[^\]\n]*\]\n?`)

func (c LeakConfig) judge(q schemas.Question) pipeline.Judgement {
	said := sentencesOf(q)
	switch {
	case len(said) == 0:
		return pipeline.Insufficient.Because("no-text", "no piece of its evidence has a text, so there is none that could tell")
	case len(q.Options) < 2:
		return pipeline.Insufficient.Because("no-options", "without options no word is known to tell the answer from others")
	}
	told := map[string]string{}
	for _, o := range q.Options {
		about := c.topicWords(o, q)
		for _, w := range c.distinctiveWords(o, q) {
			if found, ok := c.findSynonym(w, said, about); ok {
				told[o.Key] = found
			}
		}
	}
	if len(told) == len(q.Options) {
		return Pass() // of each option the texts say as much, as where all name a picture by its occasion
	}
	if w, ok := told[q.AnswerKey]; ok {
		return pipeline.Fail.Because("gold-in-text", "%q stands in the text of its evidence, and of the options only the right one says that", w)
	}
	if len(told) > 0 {
		return pipeline.Fail.Because("options-in-text", "the text of its evidence tells options apart: it has %s", quoteTold(told))
	}
	return Pass()
}

// sentencesOf returns the words of each sentence of the evidence.
func sentencesOf(q schemas.Question) (said [][]string) {
	for _, e := range q.Evidence {
		for _, s := range strings.FieldsFunc(datePrefix.ReplaceAllString(e.Text, ""), func(r rune) bool { return strings.ContainsRune(".,;:!?\n", r) }) {
			if list := words.Words(s); len(list) > 0 {
				said = append(said, list)
			}
		}
	}
	return said
}

// distinctiveWords returns the words of an option that neither both forms of the question nor
// another option have.
func (c LeakConfig) distinctiveWords(o schemas.Option, q schemas.Question) []string {
	taken := words.Words(q.Question)
	if stem, ok := q.Stem(); ok {
		also := words.Words(stem)
		taken = slices.DeleteFunc(taken, func(w string) bool { return !slices.Contains(also, w) })
	}
	for _, other := range q.Options {
		if other.Key != o.Key {
			taken = append(taken, words.Words(other.Text)...)
		}
	}
	return slices.DeleteFunc(words.Words(o.Text), func(w string) bool { return slices.Contains(taken, w) || slices.Contains(c.Common, w) })
}

// topicWords returns the words of question and option, without the kind of picture (a photo),
// which is said around every picture.
func (c LeakConfig) topicWords(o schemas.Option, q schemas.Question) []string {
	kinds := []string{}
	for _, e := range q.Evidence {
		kinds = append(kinds, words.Words(e.MinimalCaption)...)
	}
	return slices.DeleteFunc(append(words.Words(q.Question), words.Words(o.Text)...), func(w string) bool {
		return slices.Contains(c.Common, w) || slices.Contains(c.Loose, w) || slices.Contains(kinds, w)
	})
}

// findSynonym finds a word or a paraphrase in sentences where it can mean what the option
// means.
func (c LeakConfig) findSynonym(w string, said [][]string, about []string) (string, bool) {
	same := []string{w}
	for _, line := range c.Paraphrases {
		if slices.Contains(line, w) {
			same = append(same, line...)
		}
	}
	for _, s := range same {
		for _, sentence := range said {
			for i, found := range sentence {
				if found == s && c.canMean(sentence, i, about) {
					return s, true
				}
			}
		}
	}
	return "", false
}

// canMean reports whether a word of a sentence may mean what options mean by it: "this one is
// here" is no count, and "between two calls" none of jars; "one jar" and "only one" may be.
func (c LeakConfig) canMean(sentence []string, at int, about []string) bool {
	near := func(i int) bool {
		return i >= 0 && i < len(sentence) && slices.ContainsFunc(about, func(w string) bool { return sameNoun(w, sentence[i]) })
	}
	switch {
	case slices.Contains(c.Loose, sentence[at]):
		return near(at-1) || near(at+1) || at > 0 && (sentence[at-1] == "only" || sentence[at-1] == "exactly")
	case slices.Contains(c.Numbers, sentence[at]):
		return at+1 == len(sentence) || near(at+1) || !plural(sentence[at+1])
	}
	return true
}

// sameNoun knows regular plurals alone.
func sameNoun(a, b string) bool {
	return a == b || a == b+"s" || a+"s" == b || a == b+"es" || a+"es" == b
}

// plural guesses by its end that a word names several things.
func plural(w string) bool {
	return len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss")
}

func quoteTold(told map[string]string) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(told)) {
		out = append(out, key+": "+told[key])
	}
	return strings.Join(out, ", ")
}
