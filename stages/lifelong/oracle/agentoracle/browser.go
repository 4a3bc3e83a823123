package agentoracle

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// BrowserAction is what a step of a run in a browser did: a verb and the words it is about.
type BrowserAction struct {
	Fact
	Step int
}

// BrowserActions are what the steps of a run in a browser did, in order. Sessions come in order.
func BrowserActions(sessions []schemas.Session) (out []BrowserAction) {
	step := 0
	for n, s := range sessions {
		for _, t := range s.Turns {
			if t.Role != schemas.TurnAgent {
				continue
			}
			step++
			verb, rest, _ := strings.Cut(t.Action, " ")
			a := BrowserAction{Fact{Session: n, Turn: t.TurnID, Thing: "run"}, step}
			switch mark, said, parted := strings.Cut(rest, ";"); {
			case verb == "Type" && parted && digits(mark):
				a.Aspect, a.Value = "typed", strings.TrimSpace(said)
			case verb == "ANSWER;":
				a.Aspect, a.Value = "answered", strings.TrimSpace(rest)
			case verb == "Click":
				mark, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(mark), "["), "]")
				a.Aspect, a.Value = "chose", labelOf(t.Observation, mark)
			}
			if a.Value != "" && !strings.Contains(a.Value, "\n") {
				out = append(out, a)
			}
		}
	}
	return out
}

func digits(mark string) bool {
	_, err := strconv.Atoi(strings.Trim(strings.TrimSpace(mark), "[]"))
	return err == nil
}

// labelOf is the first quoted name in the entry of a mark; names have 2 to 80 letters.
func labelOf(screen, mark string) string {
	_, entry, found := strings.Cut(screen, "["+mark+"]: ")
	if !found || mark == "" {
		return ""
	}
	if tag, rest, tagged := strings.Cut(entry, "> "); tagged && strings.HasPrefix(tag, "<") {
		entry = rest
	}
	name, quoted := strings.CutPrefix(entry, `"`)
	name, _, ends := strings.Cut(name, `"`)
	if !quoted || !ends || len([]rune(name)) < 2 || len([]rune(name)) > 80 {
		return ""
	}
	return name
}

// AnswerBrowser answers a question about a run in a browser: what it comes to, and the acts that
// it rests on, of which the last holds.
func AnswerBrowser(question string, sessions []schemas.Session) (string, []BrowserAction, error) {
	acts := BrowserActions(sessions)
	var rests []BrowserAction
	if question == "Which text did the agent type last?" {
		for _, a := range acts {
			if a.Aspect == "typed" {
				rests = append(rests, a)
			}
		}
		if len(rests) == 0 {
			return "", nil, fmt.Errorf("%q: nothing was typed", question)
		}
		return rests[len(rests)-1].Value, rests, nil
	}
	for _, a := range acts {
		verb := map[string]string{"typed": "type", "chose": "choose"}[a.Aspect]
		if verb != "" && question == "At which step did the agent "+verb+" "+strconv.Quote(a.Value)+"?" {
			rests = append(rests, a)
		}
	}
	if len(rests) != 1 {
		return "", nil, fmt.Errorf("%q: %d steps did it", question, len(rests))
	}
	return "step " + strconv.Itoa(rests[0].Step), rests, nil
}
