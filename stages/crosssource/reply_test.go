package crosssource_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
)

// TestPiecesAreFramedInManyWays: over all chats of some families no four words that are not
// a piece's own stand in more than one turn of a hundred.
func TestPiecesAreFramedInManyWays(t *testing.T) {
	t.Parallel()
	runs, turns, around := map[string]int{}, 0, 0
	for seed := range kept {
		b := family(t, seed)
		pieces := map[string]bool{}
		for _, p := range b.placements {
			for _, u := range p.Pieces {
				around += len(u.Around)
				for _, x := range u.Turns {
					pieces[x.TurnID] = true
				}
			}
			for _, u := range p.Misleading {
				for _, x := range u.Turns {
					pieces[x.TurnID] = true
				}
			}
		}
		for _, s := range b.sessions {
			if s.Kind != schemas.KindGroupChat && s.Kind != schemas.KindPrivateChat {
				continue
			}
			for _, x := range s.Turns {
				turns++
				if !pieces[x.TurnID] && !strings.Contains(x.Text, " | ") {
					countRuns(runs, x.Text)
				}
			}
		}
	}
	for r, n := range runs {
		if n*100 > turns {
			t.Errorf("%q stands in %d of %d turns", r, n, turns)
		}
	}
	if around < 500 {
		t.Errorf("%d turns around pieces", around)
	}
}

// countRuns counts each run of four words of a turn once.
func countRuns(runs map[string]int, text string) {
	w, seen := words.Words(text), map[string]bool{}
	for n := 3; n < len(w); n++ {
		if r := strings.Join(w[n-3:n+1], " "); !seen[r] {
			seen[r] = true
			runs[r]++
		}
	}
}

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

// TestWhoIsAskedAnswers: in chats, whoever is asked something by name has the next word,
// but where who asks is about to share something. Nobody says of themselves, by name and
// without saying that it is a quotation, what they share.
func TestWhoIsAskedAnswers(t *testing.T) {
	t.Parallel()
	f, err := basetalk.Framed()
	if err != nil {
		t.Fatal(err)
	}
	asked, own, taken := 0, 0, 0
	for seed := range kept {
		for _, s := range family(t, seed).sessions {
			for n := 1; n < len(s.Turns); n++ {
				before, x := s.Turns[n-1], s.Turns[n]
				if strings.Contains(x.Text, x.Speaker) && x.Speaker != "" {
					own++
					if !f.Announces(before.Text) || before.Speaker != x.Speaker {
						t.Errorf("%s says %q", x.Speaker, x.Text)
					}
				}
				if f.Leads(before.Text) && f.Leads(x.Text) && x.Speaker != before.Speaker { // the word was given to who has something
					asker, _, _ := strings.Cut(before.Speaker, " ")
					if taken++; !strings.Contains(x.Text, asker) {
						t.Errorf("%s gives the word by %q, and %s says %q", before.Speaker, before.Text, x.Speaker, x.Text)
					}
				}
				to := addressee(before, s.Participants)
				if to == "" || before.Speaker == x.Speaker && f.Leads(before.Text) {
					continue
				}
				if asked++; to != x.Speaker {
					t.Errorf("%s asks %q, and %s says %q", before.Speaker, before.Text, x.Speaker, x.Text)
				}
			}
		}
	}
	if asked < 200 || own == 0 || taken < 30 {
		t.Errorf("%d questions by name, %d quotations, the word given %d times", asked, own, taken)
	}
}

// addressee is who of a chat a turn asks by name in its last sentence.
func addressee(x schemas.Turn, participants []string) string {
	if !strings.HasSuffix(x.Text, "?") || x.Speaker == "" {
		return ""
	}
	last := x.Text[strings.LastIndexAny(x.Text[:len(x.Text)-1], ".!?")+1:]
	for _, name := range participants {
		first, _, _ := strings.Cut(name, " ")
		if name != x.Speaker && slices.Contains(words.Words(last), strings.ToLower(first)) {
			return name
		}
	}
	return ""
}
