package author

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// tables hold words that can stand for each other: a text in which one is
// exchanged stays a sentence and becomes another claim. No two of a table mean
// nearly the same.
var tables = [][]string{
	{"black", "white", "grey", "red", "orange", "yellow", "green", "blue", "purple", "brown", "pink"},
	{"top left", "top right", "bottom left", "bottom right"},
	{"one", "two", "three", "four", "five", "six"},
}

// unused are the words of the tables that the descriptions of neither video have.
func unused(in Input) map[string]bool {
	out := map[string]bool{}
	for _, table := range tables {
		for _, w := range table {
			out[w] = !in.Target.tells(w) && !in.Other.tells(w)
		}
	}
	return out
}

// altered are texts of which one word was exchanged for another of its table
// that the descriptions of neither video have, so that what they claim is true
// of no part.
func (c chooser) altered() []excerpt {
	var out []excerpt
	for _, e := range slices.Concat(c.all(OfTarget), c.all(OfOther)) {
		for _, table := range tables {
			for _, old := range table {
				if holds(e.text, old) {
					out = append(out, c.exchanged(e, old, table)...)
				}
			}
		}
	}
	c.rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// exchanged puts each unused word of a table in the place of old.
func (c chooser) exchanged(e excerpt, old string, table []string) []excerpt {
	var out []excerpt
	for _, word := range table {
		if !c.unused[word] {
			continue
		}
		if t, ok := exchange(e.text, old, word); ok {
			out = append(out, excerpt{t, e.from})
		}
	}
	return out
}

// exchange replaces the one place where a word stands; false when it stands in
// several, or as part of another word.
func exchange(text, old, word string) (string, bool) {
	var at []int
	for from := 0; ; {
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
	return i >= 0 && i < len(s) && (s[i] == '-' || len(words(s[i:i+1])) > 0 || s[i] >= 0x80)
}

// content asks for a detail of the target; the other options differ from it in
// one word.
func (c chooser) content() []Draft {
	var out []Draft
	for _, e := range c.all(OfTarget) {
		for _, table := range tables {
			for _, old := range table {
				if !holds(e.text, old) {
					continue
				}
				made := c.exchanged(e, old, table)
				if len(made) < 3 {
					continue
				}
				c.rnd.Shuffle(len(made), func(i, j int) { made[i], made[j] = made[j], made[i] })
				d := c.draft(c.which(), e)
				for _, m := range made[:3] {
					d.Options = append(d.Options, Option{m.text, schemas.RoleDistractor})
				}
				d.Explanation = "Each wrong option is the right one with one detail altered: " + old + "."
				out = append(out, d)
			}
		}
	}
	return out
}

// memory asks in which video a part is described by one of the texts.
func (c chooser) memory(from []excerpt, why string) []Draft {
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
