package plugins_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/gates/sessions"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/answercues"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/author"
	"github.com/memforge/memforge/stages/lifelong/author/extraction"
	"github.com/memforge/memforge/stages/lifelong/author/segmentation"
)

// teller answers as author and judge of docs/written-lives.yaml. What it says follows from
// the request, and from the points of the sessions where it knows them.
type teller struct {
	mu sync.Mutex
	// truth are the points of sessions by their date and number of turns.
	truth map[string][]schemas.MemoryPoint
	asked map[string]int
}

func (m *teller) answer(a testkit.ChatRequest) testkit.ChatReply {
	m.mu.Lock()
	defer m.mu.Unlock()
	out, err := m.say(a)
	if err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	return testkit.ReplyJSON(out)
}

func (m *teller) say(a testkit.ChatRequest) (any, error) {
	again := strings.Contains(a.User, "An earlier answer of yours was refused")
	what := a.Task
	if again {
		what += " again"
	}
	m.asked[what]++
	switch a.Task {
	case "lifelong_session":
		return tell(a, again)
	case "lifelong_points":
		return m.extract(a, again)
	case "gate_point_coverage", "gate_caption_coverage", "gate_interference":
		return m.judged(a)
	}
	return nil, fmt.Errorf("nobody scripted %s", a.Task)
}

// lettered is a word that follows from values.
func lettered(of ...any) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return 'g' + r - '0'
		}
		return r
	}, string(pipeline.DigestOf([]byte(fmt.Sprint(of...))))[:9])
}

// tell writes a session. Of four, one has a flaw at first, and one keeps it.
func tell(a testkit.ChatRequest, again bool) (any, error) {
	var of author.Setting
	var rounds []author.Round
	if err := a.Data("session", &of); err != nil {
		return nil, err
	}
	if err := a.Data("rounds", &rounds); err != nil {
		return nil, err
	}
	var out author.Written
	for i, r := range rounds {
		word := lettered(of, i)
		out.Rounds = append(out.Rounds, author.WrittenRound{
			User: strings.TrimSpace("There was some " + word + " since we spoke. " + strings.Join(r.Sentences, " ")), Assistant: "Then " + word + " comes first.",
		})
	}
	if lot := lotOf(4, of); lot == 0 || lot == 1 && !again {
		out.Rounds[0].Assistant += " It costs 50 euros."
	}
	return out, nil
}

// lotOf is a number below n that follows from values.
func lotOf(n int, of ...any) int {
	sum := 0
	for _, r := range string(pipeline.DigestOf([]byte(fmt.Sprint(of...)))) {
		sum = (sum*31 + int(r)) % 9973
	}
	return sum % n
}

func sessionKey(date string, turns int) string { return fmt.Sprintf("%s %d", date, turns) }

// extract writes the points of a session in the numbers of the request. Of four sessions
// one has a flawed point at first, one has a point that nothing tells in the place of
// another, and one a point that is told and not given.
func (m *teller) extract(a testkit.ChatRequest, again bool) (any, error) {
	var of extraction.Passage
	var live []extraction.Known
	if err := a.Data("session", &of); err != nil {
		return nil, err
	}
	if err := a.Data("points_that_hold", &live); err != nil {
		return nil, err
	}
	numbers := map[string]int{}
	for _, l := range live {
		numbers[l.Content] = l.Number
	}
	out := extraction.Proposed{Points: []extraction.Point{}}
	contents := map[string]string{}
	for _, points := range m.truth {
		for _, p := range points {
			contents[p.MemoryID] = p.Content
		}
	}
	for _, p := range m.truth[sessionKey(of.Date, len(of.Turns))] {
		one := proposed(p, of, func(id string) int { return numbers[contents[id]] })
		out.Points = append(out.Points, one)
		numbers[p.Content] = len(live) + len(out.Points)
	}
	switch lot := lotOf(4, of.Date); {
	case len(out.Points) == 0:
	case lot == 2:
		word := strings.Fields(of.Turns[0].Said)[3]
		out.Points = append(out.Points, extraction.Point{
			Content: "They came to speak of " + word, Type: "event", Importance: "low", Thing: "talk of " + of.Date, Aspect: "subject", Value: word,
			Status: "holds", Who: "user", Update: "new", Supersedes: []int{}, Turns: []int{1}, Pictures: []int{},
		})
	case lot == 0 && !again:
		out.Points[0].Turns = []int{len(of.Turns) + 1}
	case lot == 1:
		last := &out.Points[len(out.Points)-1]
		last.Value, last.Content = "Nowhere at all", "It is nowhere at all"
	}
	return out, nil
}

// proposed is a point as an author writes it; number finds that of another point.
func proposed(p schemas.MemoryPoint, of extraction.Passage, number func(id string) int) extraction.Point {
	out := extraction.Point{
		Content: p.Content, Type: p.Type, Importance: "middle", Thing: p.Attributes["thing"], Aspect: p.Attributes["aspect"], Value: p.Attributes["value"],
		Status: p.Attributes["status"], Who: p.Attributes["who"], Update: "new", Supersedes: []int{}, Turns: []int{}, Pictures: []int{},
	}
	for _, id := range p.Supersedes {
		if n := number(id); n > 0 {
			out.Update, out.Supersedes = p.UpdateType, append(out.Supersedes, n)
		}
	}
	if p.Resembles != "" {
		out.Resembles = number(p.Resembles)
	}
	for i, t := range of.Turns {
		if strings.HasSuffix(p.EvidenceTurns[0], schemas.TurnIDOf("", i+1)) {
			out.Turns = append(out.Turns, t.Number)
			for _, s := range t.Pictures {
				if len(p.EvidenceMedia) > 0 {
					out.Pictures = append(out.Pictures, s.Number)
				}
			}
		}
	}
	return out
}

// judged says yes to what is established by the places named, and cites them.
func (m *teller) judged(a testkit.ChatRequest) (any, error) {
	var turns []sessions.ShownTurn
	var captions []sessions.ShownCaption
	var statements []sessions.Statement
	if err := a.Data("statements", &statements); err != nil {
		return nil, err
	}
	if strings.Contains(a.User, "<session>") {
		if err := a.Data("session", &turns); err != nil {
			return nil, err
		}
	}
	if strings.Contains(a.User, "<captions>") {
		if err := a.Data("captions", &captions); err != nil {
			return nil, err
		}
	}
	out := sessions.JudgeAnswer{}
	for _, s := range statements {
		r := sessions.StatementReply{Number: s.Number, Answer: sessions.No}
		switch {
		case len(s.Captions) > 0:
			for _, c := range captions {
				if slices.Contains(s.Captions, c.Caption) && tells(c.Text, s.Says) {
					r.Answer, r.Picture, r.Quote = sessions.Yes, c.Caption, quoted(c.Text)
				}
			}
		case len(s.Pictures) > 0:
			r.Answer, r.Picture = sessions.Yes, s.Pictures[0]
		case len(s.Turns) == 1:
			r.Answer, r.Turn, r.Quote = sessions.Yes, s.Turns[0], quoted(turns[s.Turns[0]-1].Text)
		case len(s.Turns) == 0:
			r = m.detected(s, turns)
		}
		out.Statements = append(out.Statements, r)
	}
	return out, nil
}

// tells reports whether a caption tells what a statement says: the value at its begin or
// its end, of the thing that it names.
func tells(caption, says string) bool {
	value, rest, begins := strings.Cut(says, " took the place of ")
	if !begins {
		at := strings.LastIndex(says, " is ")
		value, rest = says[at+4:], says[:at]
	}
	return answercues.ContainsWords(caption, value) && answercues.ContainsWords(caption, rest[strings.LastIndex(rest, " of the ")+8:])
}

func quoted(text string) string { return text[:min(len(text), 300)] }

// detected is the answer to what is said somewhere in a session: jokes and the like, which
// no word of theirs gives away, are not to be kept.
func (m *teller) detected(s sessions.Statement, turns []sessions.ShownTurn) sessions.StatementReply {
	r := sessions.StatementReply{Number: s.Number, Answer: sessions.Yes}
	for _, points := range m.truth {
		if slices.ContainsFunc(points, func(p schemas.MemoryPoint) bool { return p.IsInterference && p.Content == s.Says }) {
			r.Answer = sessions.No
		}
	}
	best := -1.0
	for _, t := range turns {
		hits := 0.0
		said := answercues.Words(t.Text)
		for _, w := range answercues.Words(s.Says) {
			if slices.Contains(said, w) {
				hits++
			}
		}
		if hits > best {
			best, r.Turn, r.Quote = hits, t.Turn, quoted(t.Text)
		}
	}
	return r
}

// remarks keeps every fourth turn of a session as a point.
func remarks(t *testing.T, a testkit.ChatRequest) any {
	t.Helper()
	var of extraction.Passage
	if err := a.Data("session", &of); err != nil {
		t.Error(err)
	}
	out := extraction.Proposed{Points: []extraction.Point{}}
	for _, l := range of.Turns {
		said := strings.Fields(l.Said)
		if l.Number%4 != 1 || len(said) < 6 {
			continue
		}
		out.Points = append(out.Points, extraction.Point{
			Content: l.By + ": " + words.Shorten(strings.Join(said, " "), 450), Type: "event", Importance: "low", Thing: l.By, Aspect: fmt.Sprintf("remark %d of %s", l.Number, of.Date),
			Value: strings.Join(said[:6], " "), Status: "holds", Who: l.By, Update: "new", Supersedes: []int{}, Turns: []int{l.Number}, Pictures: []int{},
		})
	}
	return out
}

// thirds ends sessions of a run with every third step, and with the last.
func thirds(t *testing.T, a testkit.ChatRequest) any {
	t.Helper()
	var steps []segmentation.Step
	if err := a.Data("steps", &steps); err != nil {
		t.Error(err)
	}
	var out segmentation.Ends
	for n := range steps {
		if n%3 == 2 || n == len(steps)-1 {
			out.Ends = append(out.Ends, segmentation.End{Step: n + 1, Why: "sub_goal"})
		}
	}
	return out
}
