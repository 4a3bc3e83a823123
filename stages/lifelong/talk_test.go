package lifelong_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// answering are the kinds of what a user asks or complains of, and what an answer of that
// kind speaks of.
var answering = []struct{ asked, answered *regexp.Regexp }{
	{regexp.MustCompile(`stiff neck\?$`), regexp.MustCompile(`shoulder|neck`)},
	{regexp.MustCompile(`noisy neighbour at the next desk\?$`), regexp.MustCompile(`headphones|desk by the wall`)},
	{regexp.MustCompile(`unread mails\?$`), regexp.MustCompile(`mails`)},
	{regexp.MustCompile(`afternoon slump\?$`), regexp.MustCompile(`walk|air|nap`)},
	{regexp.MustCompile(`start a long list\?$`), regexp.MustCompile(`item`)},
	{regexp.MustCompile(`stay calm( when everything comes at once)?\?$`), regexp.MustCompile(`breaths|walk|door`)},
	{regexp.MustCompile(`quick lunch\?$`), regexp.MustCompile(`soup|omelette|sandwich`)},
	{regexp.MustCompile(`decline a meeting politely\?$`), regexp.MustCompile(`invitation|can't make it`)},
	{regexp.MustCompile(`begin a mail to somebody new\?$`), regexp.MustCompile(`who you are|gave you the address`)},
	{regexp.MustCompile(`keep minutes short\?$`), regexp.MustCompile(`decisions|one line for each point`)},
}

// talks calls back for every turn of a user in a conversation, with the next one.
func talks(t *testing.T, each func(s schemas.Session, at int, said, answered schemas.Turn)) {
	t.Helper()
	n, tasks := 0, slices.Collect(maps.Values(made(t).sessions))
	for _, k := range manyTasks(t) {
		if simulate.Regime(k.life.World.Domain) == "" {
			tasks = append(tasks, k.all)
		}
	}
	for _, all := range tasks {
		for _, s := range all[1:] {
			for i := 0; i+1 < len(s.Turns); i += 2 {
				if s.Turns[i].Role != schemas.TurnUser || s.Turns[i+1].Role != schemas.TurnAssistant {
					t.Fatalf("%s: after turn %d of %s comes one of %s", s.SessionID, i+1, s.Turns[i].Role, s.Turns[i+1].Role)
				}
				n++
				each(s, i, s.Turns[i], s.Turns[i+1])
			}
		}
	}
	if n < 400 {
		t.Errorf("%d turns of users, want 400 and more", n)
	}
}

// TestWhatIsAskedIsAnswered wants every turn that asks to be of one kind, and the turn
// after it to be an answer of that kind and of no other question's alone.
func TestWhatIsAskedIsAnswered(t *testing.T) {
	t.Parallel()
	seen := map[int]int{}
	talks(t, func(s schemas.Session, at int, said, answered schemas.Turn) {
		if !strings.Contains(said.Text, "?") {
			return
		}
		kind := slices.IndexFunc(answering, func(k struct{ asked, answered *regexp.Regexp }) bool { return k.asked.MatchString(said.Text) })
		if kind < 0 {
			t.Errorf("%s, turn %d: nobody knows what answers %q", s.SessionID, at+1, said.Text)
			return
		}
		seen[kind]++
		if !answering[kind].answered.MatchString(answered.Text) || strings.Contains(answered.Text, "?") {
			t.Errorf("%s, turn %d: %q is answered by %q", s.SessionID, at+1, said.Text, answered.Text)
		}
	})
	if len(seen) != len(answering) {
		t.Errorf("%d of %d kinds of questions were asked: %v", len(seen), len(answering), seen)
	}
}

// fits says, of words with which a turn begins, what its memory points must be like.
var fits = []struct {
	begins *regexp.Regexp
	of     func(turn schemas.Turn, points []schemas.MemoryPoint) bool
}{
	{regexp.MustCompile(`^(This got settled|We talked it over at lunch|This is decided now|This one is for the notes)\.`), func(_ schemas.Turn, ps []schemas.MemoryPoint) bool {
		return len(ps) == 1 && !ps[0].IsInterference && !ps[0].IsUpdate
	}},
	{regexp.MustCompile(`^(Something has changed|There is a correction|That did not last|This is different now|One of your notes is out of date)\.`), func(_ schemas.Turn, ps []schemas.MemoryPoint) bool {
		return len(ps) > 0 && ps[0].IsUpdate
	}},
	{regexp.MustCompile(`^(I have something to look at|I have a picture for you|I took this with my phone|It is all on one page|The numbers are in)\.`), func(turn schemas.Turn, _ []schemas.MemoryPoint) bool {
		return len(turn.Attachments) == 1
	}},
	{regexp.MustCompile(`^(Something about myself( has changed)?|There is news about me)\.`), func(turn schemas.Turn, ps []schemas.MemoryPoint) bool {
		return len(ps) == 1 && strings.Contains(strings.ToLower(turn.Text), "my "+ps[0].Attributes["aspect"])
	}},
}

// openings are the words with which a turn begins that tells something, but for those of a
// session's first.
func openings(s schemas.Session, p schemas.MemoryPoint) string {
	for i, turn := range s.Turns {
		if turn.TurnID == p.EvidenceTurns[0] && i > 0 {
			if first, _, more := strings.Cut(turn.Text, ". "); more {
				return first
			}
		}
	}
	return ""
}

// TestOpeningsFitBoth wants turns that make nothing true to begin in no words of their own.
func TestOpeningsFitBoth(t *testing.T) {
	t.Parallel()
	seen := map[string]map[bool]int{}
	for _, all := range made(t).sessions {
		for _, s := range all[1:] {
			for _, p := range s.Points {
				if begins := openings(s, p); begins != "" {
					if seen[begins] == nil {
						seen[begins] = map[bool]int{}
					}
					seen[begins][p.IsInterference]++
				}
			}
		}
	}
	aside := 0
	for begins, n := range seen {
		aside += n[true]
		if n[true] > 2 && n[false] == 0 {
			t.Errorf("%q begins %d turns, all of which make nothing true", begins, n[true])
		}
	}
	if aside < 10 {
		t.Errorf("%d turns that make nothing true have an opening, want 10 and more", aside)
	}
}

var greets = regexp.MustCompile(`^(Morning|Hi|Hello again|Hey)\. `)

// TestTurnsBeginAsTheyGoOn wants what a turn begins with to fit what it tells, greetings
// to stand first in a session, and no session to begin two turns in the same words.
func TestTurnsBeginAsTheyGoOn(t *testing.T) {
	t.Parallel()
	seen, last, begun := map[int]int{}, "", map[string]bool{}
	talks(t, func(s schemas.Session, at int, said, _ schemas.Turn) {
		var points []schemas.MemoryPoint
		for _, p := range s.Points {
			if slices.Contains(p.EvidenceTurns, said.TurnID) {
				points = append(points, p)
			}
		}
		for i, f := range fits {
			if f.begins.MatchString(said.Text) {
				if seen[i]++; !f.of(said, points) {
					t.Errorf("%s: %q tells %+v", said.TurnID, said.Text, points)
				}
			}
		}
		if s.SessionID != last {
			last, begun = s.SessionID, map[string]bool{}
		}
		first, rest, more := strings.Cut(said.Text, ". ")
		if more && rest != "" && begun[first] {
			t.Errorf("%s begins as a turn before it: %q", said.TurnID, first)
		}
		begun[first] = true
		if at > 0 && greets.MatchString(said.Text) {
			t.Errorf("%s greets in the middle of a session: %q", said.TurnID, said.Text)
		}
	})
	if len(seen) != len(fits) {
		t.Errorf("turns began in %d of %d ways: %v", len(seen), len(fits), seen)
	}
}

// spliced is a sentence of two main clauses with a comma alone between them; a clause that
// begins with if is none.
var spliced = regexp.MustCompile(`(?:^|[.!?] )(?:[A-HJ-Z]|I[^f])[^.!?,]* [^.!?,]*, (?:it|this|that|he|she|they|we|I|you|there|(?:the|my) [^.!?,]+?) (?:is|are|was|were|has|have|will|am|do|does|can)\b`)

// TestClausesAreJoined wants no comma splice in what is said, and every question to end
// as one.
func TestClausesAreJoined(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"It is no longer Ada, the lead of it is Bo from here on.", "Yes. One sentence is enough, that is all.", "You will remember Ada as the lead, it is Bo these days."} {
		if !spliced.MatchString(bad) {
			t.Errorf("%q is not found", bad)
		}
	}
	asks := regexp.MustCompile(`(?:^|[.!?] )(?:Can|Could|Would|Do|What|How|Who|Shall|Any) [^.!?]*[.!]`)
	talks(t, func(_ schemas.Session, _ int, said, answered schemas.Turn) {
		for _, turn := range []schemas.Turn{said, answered} {
			if at := spliced.FindString(turn.Text); at != "" {
				t.Errorf("%s joins two clauses by a comma: %q", turn.TurnID, at)
			}
			if at := asks.FindString(turn.Text); at != "" {
				t.Errorf("%s asks without a question mark: %q", turn.TurnID, at)
			}
		}
	})
}

// TestCorrectionsAreSaid: hours of a month that is over change where the turn with the
// chart says that they were corrected, and no other turn says so.
func TestCorrectionsAreSaid(t *testing.T) {
	t.Parallel()
	corrected := 0
	for _, k := range manyTasks(t) {
		for i, x := range k.life.World.Pictures {
			said := strings.Contains(k.life.Rounds[x.Session][x.Round].User, "corrected")
			if changes := k.life.World.CorrectsChart(simulate.Event{Picture: i}); said != changes {
				t.Errorf("%s: picture %d changes hours: %v, and is said to be corrected: %v", k.life.ID, i, changes, said)
			}
			if said {
				corrected++
			}
		}
	}
	if corrected < 5 {
		t.Errorf("%d corrections", corrected)
	}
}

// TestUsersSayI wants nobody to speak of themselves by name, but for who opens the profile by
// saying it, and the answers to what users say of themselves to be to them.
func TestUsersSayI(t *testing.T) {
	t.Parallel()
	of, opened := 0, 0
	for _, k := range manyTasks(t) {
		person := k.life.World.Person
		for _, s := range k.all {
			for i, turn := range s.Turns {
				said := turn.Text + turn.Observation + turn.Reasoning + turn.Action + turn.Feedback
				first, rest, _ := strings.Cut(said, ". ")
				if s.Order == 0 && i == 0 && first == "I am "+person {
					opened++
					said = rest
				}
				if strings.Contains(said, person) {
					t.Errorf("%s: %s is spoken of by name: %q", turn.TurnID, person, said)
				}
			}
			for _, p := range s.Points {
				of += strings.Count(p.Subject, person+"/")
			}
		}
	}
	if n := len(manyTasks(t)); opened != n || of < 4*n {
		t.Errorf("of %d people %d say who they are, and %d points are of them", n, opened, of)
	}
}
