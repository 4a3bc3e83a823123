package format

import (
	"strings"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/score/textmatch"
	"github.com/memforge/memforge/schemas"
)

// nearly is the share of the words of a gold text that another one must have to say the
// same (B.4). A text that differs from the gold in one word of four passes: updates
// should differ from what they replace in more than one.
const nearly = 0.75

// textSays reports whether a text says what the gold says, as far as words tell: it holds
// the gold, or nearly all of its words.
func textSays(said, gold string) bool {
	said, gold = normalise(said), normalise(gold)
	return gold != "" && (strings.Contains(said, gold) || wordShare(gold, said) >= nearly)
}

// pointSymbols are what a text must name to say a point: its value, and the parts of its
// subject. Points without both have none.
func pointSymbols(p schemas.MemoryPoint) []string {
	value := p.Attributes["value"]
	if value == "" || p.Subject == "" {
		return nil
	}
	return append(strings.Split(p.Subject, "/"), value)
}

// textStates reports whether a text says a point: by its symbols or, where it has none, by
// the words of its content.
func textStates(said string, p schemas.MemoryPoint) bool {
	named := pointSymbols(p)
	if named == nil {
		return textSays(said, p.Content)
	}
	said = normalise(said)
	for _, symbol := range named {
		if words := normalise(symbol); words != "" && !containsWords(said, words) {
			return false
		}
	}
	return true
}

// wordShare is how many of a text's words another one has, each as often as it stands there.
func wordShare(of, in string) float64 {
	words := strings.Fields(of)
	if len(words) == 0 {
		return 0
	}
	has := map[string]int{}
	for _, w := range strings.Fields(in) {
		has[w]++
	}
	found := 0
	for _, w := range words {
		if has[w] > 0 {
			has[w]--
			found++
		}
	}
	return float64(found) / float64(len(words))
}

// matches is the soft match of B.4: the id of the evidence is among those of what was
// retrieved, both are of one session, or the texts say the same. Letters of ids count
// alike in both cases.
func matches(r score.Retrieved, g goldPiece) bool {
	if g.id != "" {
		for _, id := range append([]string{r.ID}, r.TurnIDs...) {
			if strings.Contains(strings.ToLower(id), strings.ToLower(g.id)) {
				return true
			}
		}
	}
	return g.session != "" && r.SessionID == g.session || textSays(r.Text, g.content)
}

func normalise(s string) string { return textmatch.WorldMemArena(s) }

// sessionText are the words of a session: of its turns, steps and captions.
func sessionText(s schemas.Session) string {
	var b strings.Builder
	for _, t := range s.Turns {
		for _, part := range []string{t.Speaker, t.Text, t.Observation, t.Reasoning, t.Action, t.Feedback} {
			b.WriteString(part + " ")
		}
		for _, a := range t.Attachments {
			b.WriteString(a.Caption + " ")
		}
	}
	return normalise(b.String())
}
