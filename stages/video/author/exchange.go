package author

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/schemas"
)

// exchangeable is one that can stand for the others of its table: a text in which it is
// exchanged stays a sentence and becomes another claim. near are those that the
// same thing might as well be called.
type exchangeable struct {
	name   string
	others []string
}

// tables of colours and of corners.
var tables = [][]exchangeable{
	{
		{"black", []string{"grey"}}, {"white", []string{"grey"}}, {"grey", []string{"black", "white"}},
		{"red", []string{"orange", "pink", "brown"}}, {"orange", []string{"red", "yellow", "brown"}}, {"yellow", []string{"orange", "green"}},
		{"green", []string{"yellow", "cyan"}}, {"blue", []string{"cyan", "purple"}}, {"purple", []string{"blue", "pink"}},
		{"pink", []string{"red", "purple"}}, {"brown", []string{"red", "orange"}},
	},
	{{"top left", nil}, {"top right", nil}, {"bottom left", nil}, {"bottom right", nil}},
}

// absentWords are, by table, the words that are far from every one that the
// descriptions of either video hold.
func absentWords(in Input) [][]string {
	told := func(w string) bool { return in.Target.hasText(w) || in.Other.hasText(w) }
	out := make([][]string, len(tables))
	for i, table := range tables {
		for _, w := range table {
			if !told(w.name) && !slices.ContainsFunc(w.others, told) {
				out[i] = append(out[i], w.name)
			}
		}
	}
	return out
}

// alteredExcerpts are texts in which a word was exchanged for a strange one, so that
// what they claim is true of no part.
func (c chooser) alteredExcerpts() []excerpt {
	var out []excerpt
	for _, e := range slices.Concat(c.excerpts(RoleTarget), c.excerpts(RoleOther)) {
		for i := range tables {
			out = append(out, c.exchangeWords(e, i)...)
		}
	}
	c.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// exchangeWords puts each strange word of a table in the place of the first one of
// the text, which of several is the most telling.
func (c chooser) exchangeWords(e excerpt, table int) []excerpt {
	old := firstWord(e.text, tables[table])
	var out []excerpt
	for _, w := range c.absent[table] {
		if t, ok := exchangeWord(e.text, old, w); ok {
			out = append(out, excerpt{t, e.from})
		}
	}
	return out
}

// firstWord is the word of a table that a text holds first, or nothing.
func firstWord(text string, table []exchangeable) string {
	name, at := "", len(text)
	for _, w := range table {
		if i := strings.Index(strings.ToLower(text), w.name); answercues.ContainsWords(text, w.name) && i < at {
			name, at = w.name, i
		}
	}
	return name
}

// exchangeWord replaces the one place where a word stands; false when it stands in
// several, or as part of another word.
func exchangeWord(text, old, word string) (string, bool) {
	var at []int
	for from := 0; old != ""; {
		i := strings.Index(strings.ToLower(text[from:]), old)
		if i < 0 {
			break
		}
		at = append(at, from+i)
		from += i + len(old)
	}
	if len(at) != 1 || len(strings.ToLower(text)) != len(text) {
		return "", false
	}
	before, after := text[:at[0]], text[at[0]+len(old):]
	if letterAt(before, len(before)-1) || letterAt(after, 0) {
		return "", false
	}
	return before + word + after, true
}

func letterAt(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] == '-' || len(answercues.Words(s[i:i+1])) > 0 || s[i] >= 0x80)
}

// contentDrafts asks for a detail of the target; the other options have another
// colour or corner in its place.
func (c chooser) contentDrafts() []Draft {
	var out []Draft
	for _, e := range c.excerpts(RoleTarget) {
		for i := range tables {
			made := c.exchangeWords(e, i)
			if len(made) < 3 {
				continue
			}
			c.rnd.Shuffle(len(made), func(i, j int) { made[i], made[j] = made[j], made[i] })
			d := c.newDraft(c.questionHead(), e)
			for _, m := range made[:3] {
				d.Options = append(d.Options, Option{m.text, schemas.RoleDistractor})
			}
			d.Explanation = "Each wrong option is the right one with something else in place of " + firstWord(e.text, tables[i]) + "."
			out = append(out, d)
		}
	}
	return out
}

// memoryDrafts asks in which video a part is described by one of the texts.
func (c chooser) memoryDrafts(from []excerpt, why string) []Draft {
	var out []Draft
	for _, e := range from {
		d := Draft{
			Question:    "In which of the two videos is there a part of which this description of " + about[c.key] + ` is true: "` + e.text + `"?`,
			Explanation: why,
		}
		d.cite(e)
		out = append(out, d)
	}
	return out
}
