package dialogs

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// fewWords is the most that a turn has which says nothing without what it answers:
// "Yes, I did" is no evidence of what was done.
const fewWords = 25

// lastTurn is the turn before the one at hand.
type lastTurn struct {
	session, ref, speaker string
	asks                  bool
}

// noteAnswer notes what a turn answers. A round has its question in itself.
func (t *emittedConversation) noteAnswer(s schemas.Session, turn schemas.Turn, said turn) {
	before := t.last
	t.last = lastTurn{s.SessionID, said.ref, turn.Speaker, strings.HasSuffix(strings.TrimSpace(turn.Text), "?")}
	switch {
	case before.ref == said.ref:
		delete(t.answers, said.ref)
	case before.session == s.SessionID && before.asks && before.speaker != turn.Speaker && len(words.Words(turn.Text)) <= fewWords:
		t.answers[said.ref] = before.ref
	}
}

// evidenceOf is what the answer to a question rests on, in the order of time, whatever the
// file's: of two that differ the later one holds. What a turn answers that says little
// stands before it as context.
func (t *emittedConversation) evidenceOf(q question) (out []schemas.Evidence) {
	add := func(ref, role string) {
		for _, e := range t.pieces[ref] {
			e.Role, e.Order = cmp.Or(role, e.Role), int32(len(out)+1)
			out = append(out, e)
		}
	}
	for _, ref := range slices.SortedStableFunc(slices.Values(q.refs), func(a, b string) int { return cmp.Compare(t.order[a], t.order[b]) }) {
		if q.kind == kindAdversarial {
			add(ref, schemas.RoleDistractor)
			continue
		}
		if asked := t.answers[ref]; !slices.Contains(q.refs, asked) {
			add(asked, schemas.RoleContext)
		}
		add(ref, "")
	}
	return out
}
