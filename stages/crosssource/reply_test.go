package crosssource_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestWhoSharesIsAnswered: right after a piece in a chat somebody else speaks, and to
// nobody but who shared it.
func TestWhoSharesIsAnswered(t *testing.T) {
	t.Parallel()
	b, answered := family(t, 0), 0
	at := map[string]schemas.Session{}
	for _, s := range b.sessions {
		at[s.SessionID] = s
	}
	for _, p := range b.placements {
		for _, u := range p.Pieces {
			s := at[u.SessionID]
			next := slices.IndexFunc(s.Turns, func(x schemas.Turn) bool { return x.TurnID == u.Turns[len(u.Turns)-1].TurnID }) + 1
			if !chats(u) || next >= len(s.Turns) {
				continue
			}
			reply := s.Turns[next]
			if reply.Speaker == u.Speaker {
				t.Errorf("%s answers what they shared themselves: %q", u.Speaker, reply.Text)
			}
			for _, name := range s.Participants {
				first, _, _ := strings.Cut(name, " ")
				if strings.Contains(reply.Text, first) && name != u.Speaker {
					t.Errorf("%s shares %q, and %s is told: %q", u.Speaker, u.Turns[0].Text, name, reply.Text)
				}
			}
			answered++
		}
	}
	if answered < 40 {
		t.Errorf("%d pieces in chats were looked at", answered)
	}
}
