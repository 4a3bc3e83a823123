package crosssource_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
)

var (
	cited   = regexp.MustCompile(`(Fig|Table)\. [0-9a-f]{8}`)
	endings = regexp.MustCompile(`\b[Tt]he ([a-z]+(?: [a-z]+)?) of ([A-Z][A-Za-z -]+?)(?:\?$| has an? )`)
)

// TestContradictionsAreFound says one more thing in a chat, or names another picture: the
// replay then gives no answer where it gave one.
func TestContradictionsAreFound(t *testing.T) {
	found := map[string]int{}
	for seed := range kept {
		contradict(t, family(t, seed), found)
	}
	if found["handle"] < 15 || found["change"] < 4 {
		t.Errorf("tried %v", found)
	}
}

// contradict tries all questions of a family, and counts what it tried.
func contradict(t *testing.T, b built, found map[string]int) {
	t.Helper()
	for _, q := range b.questions {
		sessions := b.of(q.TaskID, "")
		if !cited.MatchString(q.Question) {
			continue
		}
		other := cited.ReplaceAllString(q.Question, "$1. 00000000")
		if _, err := b.read(t, sessions).Answer(other, q.Tools); err == nil {
			t.Errorf("%s: %q has an answer", q.QuestionID, other)
		}
		found["handle"]++
		m := endings.FindStringSubmatch(q.Question)
		if m == nil || q.Labels["task"] != schemas.TaskMultiHop {
			continue
		}
		said := "Change of plan: the " + m[1] + " of " + m[2] + " is Rinnow Holdings now."
		at := slices.IndexFunc(sessions, func(s schemas.Session) bool { return s.Kind == schemas.KindGroupChat })
		sessions = slices.Clone(sessions)
		sessions[at].Turns = append(slices.Clone(sessions[at].Turns), last(sessions[at], said))
		if _, err := b.read(t, sessions).Answer(q.Question, q.Tools); err == nil {
			t.Errorf("%s: %q has an answer after %q", q.QuestionID, q.Question, said)
		}
		found["change"]++
	}
}

// last is a turn at the end of a chat.
func last(s schemas.Session, text string) schemas.Turn {
	out := s.Turns[len(s.Turns)-1]
	out.TurnID, out.Text, out.Attachments = out.TurnID+"x", text, nil
	out.Order++
	return out
}
