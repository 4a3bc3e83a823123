package replay

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/schemas"
)

// telling are the forms of values that nobody writes by chance: people, rooms,
// organisations, amounts, codes and towns.
var telling = sync.OnceValue(func() *regexp.Regexp {
	var all []string
	for _, f := range forms {
		expr := strings.TrimSuffix(strings.TrimPrefix(f.value.String(), "^(?:"), ")$")
		if len(f.of) == 0 && expr != aNumber {
			all = append(all, expr)
		}
	}
	return regexp.MustCompile(`\b(?:` + strings.Join(all, "|") + `)\b`)
})

// aNumber is the form of numbers, which stand in many sentences.
const aNumber = `[1-9]\d{0,2}`

// Strange finds a sentence in none of the ways in which something is told that has a value
// in it which nobody tells in its round: who reads "That went to Graz in the end" takes it
// for true, and no answer goes by it.
func (t *Task) Strange() error {
	for n, s := range t.sessions[min(1, len(t.sessions)):] {
		for i, turn := range s.Turns {
			for _, text := range []string{turn.Text, turn.Observation, turn.Reasoning, turn.Feedback} {
				if v := t.strange(text, n+1, i); v != "" {
					return fmt.Errorf("turn %s says %q, where nothing is told, and nobody tells that in its round", turn.TurnID, v)
				}
			}
		}
	}
	return nil
}

// strange is a value in a text of a turn that its round does not tell; empty for none.
func (t *Task) strange(text string, session, turn int) string {
	first := turn
	if t.sessions[session].Turns[turn].Role == schemas.TurnAssistant {
		first = max(turn-1, 0)
	}
	round := t.filter(func(o statement) bool { return o.session == session && first <= o.turn && o.turn <= turn })
	for _, sentence := range ends.Split(text, -1) {
		if len(listen(sentence, heard))+len(listen(sentence, shown)) > 0 {
			continue
		}
		for _, v := range telling().FindAllString(sentence, -1) {
			known := slices.ContainsFunc(round, func(o statement) bool { return slices.Contains([]string{o.value, o.also, o.old, o.who}, v) })
			if !known && !slices.Contains(t.sessions[0].Participants, v) {
				return v
			}
		}
	}
	return ""
}
