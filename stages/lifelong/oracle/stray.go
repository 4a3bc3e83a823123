package oracle

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/schemas"
)

// valueFinder finds the values in a text that nobody writes by chance: people, rooms,
// organisations, amounts, codes and towns.
type valueFinder struct {
	// value is one of them at the beginning of a text, and openings are how these begin.
	value    *regexp.Regexp
	openings map[string]bool
}

// valueWords reads the forms, once.
var valueWords = sync.OnceValue(func() valueFinder {
	var all []string
	for _, f := range valueForms {
		expr := strings.TrimSuffix(strings.TrimPrefix(f.value.String(), "^(?:"), ")$")
		if len(f.aspects) == 0 && expr != aNumber {
			all = append(all, expr)
		}
	}
	expr := `(?:` + strings.Join(all, "|") + `)\b`
	return valueFinder{value: regexp.MustCompile("^" + expr), openings: openingsOf(expr)}
})

// opening is how many letters of a word are looked at before the forms are.
const opening = 3

// openingsOf are the first letters of all that an expression matches.
func openingsOf(expr string) map[string]bool {
	out := map[string]bool{}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return out
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return out
	}
	var walk func(at uint32, begun string)
	walk = func(at uint32, begun string) {
		i := &prog.Inst[at]
		switch {
		case len(begun) >= opening || i.Op == syntax.InstMatch:
			out[begun[:min(opening, len(begun))]] = true
		case i.Op == syntax.InstAlt || i.Op == syntax.InstAltMatch:
			walk(i.Out, begun)
			walk(i.Arg, begun)
		case i.Op == syntax.InstRune1:
			walk(i.Out, begun+string(i.Rune[0]))
		case i.Op == syntax.InstRune && len(i.Rune) > 1:
			for n := 0; n+1 < len(i.Rune); n += 2 {
				for r := i.Rune[n]; r <= i.Rune[n+1]; r++ {
					walk(i.Out, begun+string(r))
				}
			}
		case i.Op == syntax.InstCapture || i.Op == syntax.InstEmptyWidth || i.Op == syntax.InstNop:
			walk(i.Out, begun)
		default: // more letters than are worth a list
			out[begun] = true
		}
	}
	walk(uint32(prog.Start), "")
	return out
}

// in are the values in a text, from the left, none within another.
func (v valueFinder) in(text string) (out []string) {
	for i := 0; i < len(text); i++ {
		if !letter(text[i]) || i > 0 && letter(text[i-1]) || !v.opens(text[i:]) {
			continue
		}
		if found := v.value.FindString(text[i:]); found != "" {
			out, i = append(out, found), i+len(found)-1
		}
	}
	return out
}

// opens reports whether a text begins as a value may.
func (v valueFinder) opens(text string) bool {
	for n := range min(opening, len(text)) + 1 {
		if v.openings[text[:n]] {
			return true
		}
	}
	return false
}

// letter reports whether a byte is one of a word, as expressions have it.
func letter(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'A' <= b && b <= 'Z' || 'a' <= b && b <= 'z'
}

// aNumber is the form of numbers, which stand in many sentences.
const aNumber = `[1-9]\d{0,2}`

// CheckStrayValues finds a sentence in none of the ways in which something is told that has a value
// in it which nobody tells in its round: who reads "That went to Graz in the end" takes it
// for true, and no answer goes by it.
func (t *Task) CheckStrayValues() error {
	for n, s := range t.sessions[min(1, len(t.sessions)):] {
		for i, turn := range s.Turns {
			for _, text := range []string{turn.Text, turn.Observation, turn.Reasoning, turn.Feedback} {
				if v := t.strayValue(text, n+1, i); v != "" {
					return fmt.Errorf("turn %s says %q, where nothing is told, and nobody tells that in its round", turn.TurnID, v)
				}
			}
		}
	}
	return nil
}

// strayValue is a value in a text of a turn that its round does not tell; empty for none.
func (t *Task) strayValue(text string, session, turn int) string {
	first := turn
	if t.sessions[session].Turns[turn].Role == schemas.TurnAssistant {
		first = max(turn-1, 0)
	}
	round := t.filter(func(o statement) bool { return o.session == session && first <= o.turn && o.turn <= turn })
	for _, sentence := range sentences(text) {
		if len(readSentences(sentence, turnPatterns()))+len(readSentences(sentence, shownForm())) > 0 {
			continue
		}
		for _, v := range valueWords().in(sentence) {
			known := slices.ContainsFunc(round, func(o statement) bool { return slices.Contains([]string{o.value, o.also, o.old, o.who}, v) })
			if !known && !slices.Contains(t.sessions[0].Participants, v) {
				return v
			}
		}
	}
	return ""
}
