package structural

import (
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// LeakConfig configures the gate text-leak.
type LeakConfig struct {
	Types       []string   `json:"types" doc:"question types to judge; empty means all"`
	Paraphrases [][]string `json:"paraphrases" doc:"words that mean the same: one of a line in a text tells what another of it in an option says"`
	Common      []string   `json:"common" doc:"words that tell nothing, wherever they stand"`
	Loose       []string   `json:"loose" doc:"words with a second sense, which tell something beside a word of the question or the option, or after only, exactly, the or very"`
	Numbers     []string   `json:"numbers" doc:"numbers as words, which tell nothing before the name of other things (between two calls), nor as a time of day where things are counted"`
	Idioms      []string   `json:"idioms" doc:"phrases that tell nothing, wherever they stand"`
}

// SetDefaults knows numbers and colours by their other names, and which words people
// say without meaning what an option means by them.
func (c *LeakConfig) SetDefaults() {
	c.Paraphrases = [][]string{
		{"0", "zero", "none", "no"}, {"1", "one", "single"}, {"2", "two", "both", "pair", "twice"}, {"3", "three"}, {"4", "four"}, {"5", "five"}, {"6", "six"},
		{"7", "seven"}, {"8", "eight"}, {"9", "nine"}, {"10", "ten"}, {"11", "eleven"}, {"12", "twelve", "dozen", "noon"},
		{"red", "scarlet", "crimson"}, {"turquoise", "teal", "cyan"}, {"purple", "violet"}, {"grey", "gray", "silver"}, {"brown", "wooden"}, {"pink", "rose"}, {"yellow", "golden", "lemon"},
		{"blue", "navy"}, {"green", "jade"}, {"left", "leftmost"}, {"right", "rightmost"}, {"upper", "top", "uppermost"}, {"lower", "bottom"}, {"below", "beneath"},
	}
	c.Common = []string{
		"a", "an", "and", "at", "by", "for", "from", "in", "is", "it", "of", "on", "one", "or", "that", "the", "this", "to", "was", "with",
		"i", "me", "my", "you", "your", "he", "his", "she", "her", "we", "us", "our", "they", "them", "their", "own", "am", "are", "be", "been", "were",
	}
	c.Loose = []string{"one", "no", "can", "may", "over", "round", "right", "back", "first", "second", "last", "end", "point", "square", "cross", "spot", "light", "like", "kind", "home", "top"}
	c.Numbers = []string{"two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	c.Idioms = []string{"all right", "right away", "at once", "at home", "for work", "by phone", "red light", "green light", "orange juice", "half past", "fine by me"}
}

// Proposal is an option that a sentence may tell, and the word by which a rule came to think so.
type Proposal struct{ Option, Word, Sentence string }

// Precheck judges a question that has no text, or nothing to tell apart.
func (c LeakConfig) Precheck(q schemas.Question) (none pipeline.Judgement) {
	switch {
	case !hasWords(q):
		return pipeline.Insufficient.Because("no-text", "no piece of its evidence has a text, so there is none that could tell")
	case len(q.Options) < 2:
		return pipeline.Insufficient.Because("no-options", "without options no word is known to tell the answer from others")
	}
	return none
}

// Judge reads what the texts of the evidence say, pictures aside, by rule. A question whose
// answer they tell, or whose options they tell apart, asks for no picture (MemEye A.4 asks a
// panel the same).
func (c LeakConfig) Judge(q schemas.Question) pipeline.Judgement {
	if j := c.Precheck(q); j.Outcome != "" {
		return j
	}
	told := map[string]string{}
	for _, p := range c.find(q, readClauses(q), c.means) {
		told[p.Option] = p.Word
	}
	return JudgeTold(q, told)
}

// JudgeTold judges a question by the options that its texts tell, each with the words that do.
func JudgeTold(q schemas.Question, told map[string]string) pipeline.Judgement {
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

// Propose lists what the texts may tell, for a judge: whatever shares a word, a kind or a way to
// say a date, time or number with an option. All that Judge finds is among it.
func (c LeakConfig) Propose(q schemas.Question) []Proposal {
	clauses := readClauses(q)
	out := append(c.find(q, clauses, c.means), c.find(q, clauses, c.suggests)...)
	for _, o := range q.Options {
		hint := hintsAt(o.Text)
		for _, clause := range clauses {
			if hint == nil {
				break
			}
			if w := hint.FindString(clause.text); w != "" {
				out = append(out, Proposal{o.Key, w, clause.text})
			}
		}
	}
	seen, perOption := map[Proposal]bool{}, map[string]int{}
	out = slices.DeleteFunc(out, func(p Proposal) bool {
		p.Word = ""
		again := seen[p] || perOption[p.Option] == mostProposals
		if seen[p] = true; !again {
			perOption[p.Option]++
		}
		return again
	})
	slices.SortStableFunc(out, func(a, b Proposal) int { return strings.Compare(a.Option, b.Option) })
	return out
}

// mostProposals of an option are put to a judge, those that Judge finds before others.
const mostProposals = 6

// sense reports whether the word of a clause at a place may say what a word of an option says.
type sense func(clause clause, at int, word token, about []string) bool

// find lists the options of which a clause has a distinctive word in a sense, the first for each.
func (c LeakConfig) find(q schemas.Question, clauses []clause, says sense) (out []Proposal) {
	for _, o := range q.Options {
		about := c.topicWords(o, q)
		for _, w := range c.distinctiveWords(o, q) {
			own := token{word: w, stems: stemsOf(w)}
			for _, clause := range clauses {
				if i := slices.IndexFunc(clause.tokens, func(t token) bool { return says(clause, t.at, own, about) }); i >= 0 {
					out = append(out, Proposal{o.Key, clause.tokens[i].word, clause.text})
				} else if compoundNumber.MatchString(w) && slices.Contains(strings.Fields(words.Value(clause.text)), w) {
					out = append(out, Proposal{o.Key, w, clause.text})
				}
			}
		}
	}
	return out
}

// datePrefix is the date that evidence of a session begins with. It is no part of what
// is said.
var datePrefix = regexp.MustCompile(`^\[[^\]\n]*\]\n?`)

// clause is what stands between two stops, as words.
type clause struct {
	text   string
	tokens []token
}

type token struct {
	word  string
	stems []string
	at    int
	// name says that it is written like a name, or does something where a name would.
	name bool
}

var (
	letters    = regexp.MustCompile(`[\pL\pM\pN]+`)
	pastVerb   = regexp.MustCompile(`^(?:[a-z]{2,}ed|sent|took|made|gave|said|told|came|went|wrote|brought|bought|drew|got|had|has)$`)
	halfDozen  = regexp.MustCompile(`(?i)\bhalf a dozen\b`)
	twoOf      = regexp.MustCompile(`(?i)\ba (?:couple|pair)\b`)
	wordNumber = regexp.MustCompile(`(?i)\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|\d+|half|quarter|dozen|couple|pair|noon|midnight|more|fewer|less|empty|nobody|only|all)\b`)
	wordDate   = regexp.MustCompile(`(?i)\b(?:yesterday|today|tomorrow|tonight|last|next|ago|before|after|week|weekend|month|(?:mon|tues|wednes|thurs|fri|satur|sun)day|` + months + `)\b`)
	// compoundNumber is one that is written as two words, or as one that says nothing else.
	compoundNumber = regexp.MustCompile(`^(?:1[3-9]|[2-9][0-9]|[0-9]{3,})$`)

	relative   = regexp.MustCompile(`\b(?:yesterday|today|tomorrow|last|next|ago|before|after|week|weekend)\b`)
	optionDate = regexp.MustCompile(`(?i)\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|before|after|` + months + `)\b|\d{4}`)
)

const months = `january|february|march|april|may|june|july|august|september|october|november|december`

// hasWords reports whether the evidence has a text.
func hasWords(q schemas.Question) bool {
	return slices.ContainsFunc(q.Evidence, func(e schemas.Evidence) bool { return letters.MatchString(datePrefix.ReplaceAllString(e.Text, "")) })
}

// readClauses reads the texts of the evidence.
func readClauses(q schemas.Question) (out []clause) {
	for _, e := range q.Evidence {
		for _, sentence := range strings.FieldsFunc(datePrefix.ReplaceAllString(e.Text, ""), func(r rune) bool { return strings.ContainsRune(".:!?\n", r) }) {
			first := true
			for _, part := range strings.FieldsFunc(sentence, func(r rune) bool { return r == ',' || r == ';' }) {
				c := clause{text: strings.TrimSpace(part)}
				for _, w := range letters.FindAllString(twoOf.ReplaceAllString(halfDozen.ReplaceAllString(part, "six"), "two"), -1) {
					r, _ := utf8.DecodeRuneInString(w)
					c.tokens = append(c.tokens, token{strings.ToLower(w), stemsOf(strings.ToLower(w)), len(c.tokens), unicode.IsUpper(r) && !first && w != "I"})
					first = false
				}
				if len(c.tokens) > 1 && pastVerb.MatchString(c.tokens[1].word) && strings.ToUpper(c.text[:1]) == c.text[:1] {
					c.tokens[0].name = true
				}
				if len(c.tokens) > 0 {
					out = append(out, c)
				}
			}
		}
	}
	return out
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
	return slices.DeleteFunc(words.Words(o.Text), func(w string) bool { return containsNoun(taken, w) || slices.Contains(c.Common, w) })
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

// suggests is the sense of whatever shares a form, a part or a kind with a word.
func (c LeakConfig) suggests(clause clause, at int, word token, _ []string) bool {
	said := clause.tokens[at]
	part := func(a, b string) bool { return len(b) > 3 && strings.Contains(a, b) }
	return sameStem(said, word) || part(said.word, word.word) || part(word.word, said.word) || ofOneKind(said.word, word.word) || c.paraphrases(said.word, word.word)
}

// means is the sense of a word, or a paraphrase, where it can mean what the option means: "this
// one is here" is no count, "between two calls" none of jars, "I left early" no side, "Mr Brown"
// no colour; "one jar" and "only one" may be.
func (c LeakConfig) means(clause clause, at int, word token, about []string) bool {
	said := clause.tokens[at]
	if !sameStem(said, word) && !c.paraphrases(said.word, word.word) || c.inIdiom(clause, at) {
		return false
	}
	near := func(i int) bool {
		return i >= 0 && i < len(clause.tokens) && slices.ContainsFunc(about, func(w string) bool { return sameNoun(w, clause.tokens[i].word) })
	}
	before, after := clause.word(at-1), clause.word(at+1)
	switch {
	case said.name && (!calendar[said.word] || pastVerb.MatchString(after)):
		return false
	case said.word == "left" && slices.Contains(subjects, before):
		return false
	case slices.ContainsFunc(said.stems, func(s string) bool { return slices.Contains(c.Loose, s) }):
		return near(at-1) || near(at+1) || before == "only" || before == "exactly" || before == "very" || before == "the" && (after == "" || after == "side" || after == "of" && slices.Contains(sides, said.word))
	case slices.Contains(c.Numbers, said.word):
		ofUs := after == "of" && slices.Contains([]string{"us", "you"}, clause.word(at+2))
		return near(at+1) || !ofUs && !slices.Contains(timeWords, before) && !plural(after)
	}
	return true
}

var (
	subjects  = []string{"i", "we", "he", "she", "they", "you", "who", "it", "that", "just", "have", "has", "had"}
	sides     = []string{"right", "top", "back", "end"}
	timeWords = []string{"at", "before", "after", "until", "till", "past", "since"}
	calendar  = map[string]bool{"monday": true, "tuesday": true, "wednesday": true, "thursday": true, "friday": true, "saturday": true, "sunday": true}
)

func (c clause) word(at int) string {
	if at < 0 || at >= len(c.tokens) {
		return ""
	}
	return c.tokens[at].word
}

// hintsAt finds words by which a clause may say a number, a time or a date that an option is; nil
// where it is none.
func hintsAt(option string) *regexp.Regexp {
	if optionDate.MatchString(option) {
		return wordDate
	}
	if strings.ContainsAny(option, "0123456789") {
		return wordNumber
	}
	return nil
}

// inIdiom reports whether a word stands in a phrase that tells nothing.
func (c LeakConfig) inIdiom(in clause, at int) bool {
	return slices.ContainsFunc(c.Idioms, func(idiom string) bool {
		list := strings.Fields(idiom)
		for from := max(0, at-len(list)+1); from <= at; from++ {
			if in.hasAt(from, list) {
				return true
			}
		}
		return false
	})
}

func (c clause) hasAt(from int, list []string) bool {
	for i, w := range list {
		if c.word(from+i) != w {
			return false
		}
	}
	return true
}

// paraphrases reports whether two words are one, or of one line of paraphrases.
func (c LeakConfig) paraphrases(a, b string) bool {
	return a == b || slices.ContainsFunc(c.Paraphrases, func(line []string) bool { return slices.Contains(line, a) && slices.Contains(line, b) })
}

// stemsOf returns what a word may be a regular form of, the word among it.
func stemsOf(w string) []string {
	out := []string{w}
	if plural(w) {
		out = append(out, w[:len(w)-1])
	}
	for _, ending := range []string{"ing", "ed"} {
		if base, cut := strings.CutSuffix(w, ending); cut && len(base) > 2 {
			if out = append(out, base+"e"); !doubles.MatchString(base) {
				out = append(out, base)
			}
		}
	}
	return out
}

// doubles finds words whose last letter would stand twice before -ing and -ed: strip, stripped.
var doubles = regexp.MustCompile(`[^aeiou][aeiou][^aeiouwxy]$`)

// sameStem knows regular forms of words of four letters and more.
func sameStem(a, b token) bool {
	return a.word == b.word || slices.ContainsFunc(a.stems, func(s string) bool { return len(s) > 3 && slices.Contains(b.stems, s) })
}

//go:embed kinds.txt
var kindsText string

// kindsOf reads kinds.txt: the words of a line by the one that it begins with, plurals as one.
var kindsOf = sync.OnceValue(func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for line := range strings.Lines(kindsText) {
		if head, rest, found := strings.Cut(strings.TrimSpace(line), ": "); found {
			out[withoutS(head)] = map[string]bool{}
			for _, w := range strings.Fields(rest) {
				out[withoutS(head)][withoutS(w)] = true
			}
		}
	}
	return out
})

func withoutS(w string) string { return strings.TrimSuffix(w, "s") }

// ofOneKind reports whether a line of kinds.txt has both words and begins with one of them.
func ofOneKind(a, b string) bool {
	x, y := withoutS(a), withoutS(b)
	return kindsOf()[x][y] || kindsOf()[y][x]
}

// Resemble reports whether two texts may say the same in other words: what one has and the other
// has not is related to something that only the other has, word by word, or both tell a day and one
// of them by another day.
func Resemble(a, b string) bool {
	x, y := onlyIn(a, b), onlyIn(b, a)
	one, other := strings.Join(x, " "), strings.Join(y, " ")
	if len(x) > 0 && len(y) > 0 && wordDate.MatchString(one) && wordDate.MatchString(other) && (relative.MatchString(one) || relative.MatchString(other)) {
		return true
	}
	related := func(v, w string) bool {
		part := func(a, b string) bool { return len(b) > 3 && strings.Contains(a, b) }
		return sameStem(token{word: v, stems: stemsOf(v)}, token{word: w, stems: stemsOf(w)}) || ofOneKind(v, w) || part(v, w) || part(w, v)
	}
	for _, list := range [][2][]string{{x, y}, {y, x}} {
		for _, v := range list[0] {
			if !slices.ContainsFunc(list[1], func(w string) bool { return related(v, w) }) && len(list[1]) > 0 {
				return false
			}
		}
	}
	return true
}

// onlyIn returns the words of a text that another has not, but for words that say little.
func onlyIn(text, other string) []string {
	taken := words.Words(other)
	return slices.DeleteFunc(words.Words(text), func(w string) bool {
		return slices.Contains(taken, w) || len(w) < 3 && (w[0] < '0' || w[0] > '9') || slices.Contains([]string{"the", "and", "now", "has", "have", "was", "are", "with"}, w)
	})
}

func containsNoun(list []string, w string) bool {
	return slices.ContainsFunc(list, func(k string) bool { return sameNoun(k, w) })
}

// sameNoun knows regular plurals alone.
func sameNoun(a, b string) bool {
	return a == b || a == b+"s" || a+"s" == b || a == b+"es" || a+"es" == b
}

// plural guesses by its end that a word names several things.
func plural(w string) bool {
	return w == "people" || w == "men" || w == "women" || w == "children" || len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss")
}

func quoteTold(told map[string]string) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(told)) {
		out = append(out, key+": "+told[key])
	}
	return strings.Join(out, ", ")
}
