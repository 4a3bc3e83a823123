package extraction_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/author/extraction"
)

const taskID = "talks/1"

// talk is a session whose odd turns are the user's.
func talk(order int, said ...string) schemas.Session {
	s := schemas.Session{SessionID: schemas.SessionIDOf(taskID, order), TaskID: taskID, Kind: schemas.KindDialogue, Order: int32(order), Date: fmt.Sprintf("2025-03-%02d", order+1), Participants: []string{"Ada", schemas.TurnAssistant}}
	for i, text := range said {
		role := []string{schemas.TurnUser, schemas.TurnAssistant}[i%2]
		s.Turns = append(s.Turns, schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, i+1), SessionID: s.SessionID, Order: int32(i + 1), Role: role, Text: text})
	}
	return s
}

// talks are three sessions; the last shows a picture, whose caption says no number.
func talks(t *testing.T) []schemas.Session {
	all := []schemas.Session{
		talk(0, "The lead of the Larkspur survey is Ilya Novak.", "Noted.", "Its city is Turin, by the way.", "Fine."),
		talk(1, "The lead of the Larkspur survey has changed from Ilya Novak to Mona Diaz.", "All right.", "Ben joked that Olaf Berg should be the lead.", "Ha."),
		talk(2, "Here is the latest card for the survey.", "Thanks."),
	}
	id := string(pipeline.DigestOf(testkit.PNG(t, 1)))
	all[2].Turns[0].Attachments = []schemas.Attachment{{
		AttachmentID: "S02/img/1", MediaID: id, Type: "document", Caption: "A card with a value for hours.", TaskAwareCaption: "A card. It reads: hours: 14.",
	}}
	return all
}

// fact is a new point, changed.
func fact(aspect, value string, turn int, change func(*extraction.Point)) extraction.Point {
	p := extraction.Point{
		Content: "The " + aspect + " of the Larkspur survey is " + value, Type: "fact", Importance: "middle", Thing: "the Larkspur survey", Aspect: aspect, Value: value,
		Status: "holds", Who: "user", Update: "new", Supersedes: []int{}, Turns: []int{turn}, Pictures: []int{},
	}
	if change != nil {
		change(&p)
	}
	return p
}

// revised says that the lead changed; number is that of the point before it.
func revised(number int) extraction.Point {
	return fact("lead", "Mona Diaz", 1, func(p *extraction.Point) {
		p.Content, p.Update, p.Supersedes = "Mona Diaz took the place of Ilya Novak as the lead", "revise", []int{number}
	})
}

func joked(number int) extraction.Point {
	return fact("lead", "Olaf Berg", 3, func(p *extraction.Point) {
		p.Content, p.Type, p.Status, p.Resembles = "Olaf Berg should be the lead", "interference", "joke", number
	})
}

func pictured() extraction.Point {
	return fact("hours", "14", 1, func(p *extraction.Point) { p.Pictures = []int{1} })
}

// good are the points of talks, with the numbers that a first reading gives them: two
// points hold when the second session begins, and two when the third does.
func good() map[int][]extraction.Point {
	return map[int][]extraction.Point{
		0: {fact("lead", "Ilya Novak", 1, nil), fact("city", "Turin", 3, nil)},
		1: {revised(1), joked(3)},
		2: {pictured()},
	}
}

// asking records what is asked; answer gets the place of the session and how often the
// session was asked about before.
type asking struct {
	mu     sync.Mutex
	asked  []testkit.ChatRequest
	before map[int]int
	answer func(session, try int) any
}

func (s *asking) say(a testkit.ChatRequest) testkit.ChatReply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, a)
	var of extraction.Passage
	if err := a.Data("session", &of); err != nil {
		return testkit.ChatReply{Text: err.Error()}
	}
	n := int(of.Date[len(of.Date)-1] - '1')
	try := s.before[n]
	s.before[n]++
	return testkit.ReplyJSON(s.answer(n, try))
}

// dialogue is the record that visual.dialogues gives.
func dialogue(t *testing.T, all []schemas.Session) pipeline.Record {
	t.Helper()
	r, err := pipeline.NewRecord("visual.dialogue", taskID, map[string]any{"task": schemas.Task{TaskID: taskID}, "sessions": all})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// result is what came of a run.
type result struct {
	sessions []schemas.Session
	rows     []extraction.Extraction
	lost     []string
	asked    []testkit.ChatRequest
}

func extracted(t *testing.T, cfg any, all []schemas.Session, answer func(session, try int) any) result {
	t.Helper()
	s := &asking{before: map[int]int{}, answer: answer}
	server := testkit.NewModelServer(t, s.say)
	roles, models := server.Live(t, "author")
	out, lost, err := testkit.Subject{
		Register: extraction.Register, Use: "lifelong.extract", Config: cfg, Inputs: []pipeline.Record{dialogue(t, all)}, Blobs: [][]byte{testkit.PNG(t, 1)},
		Types: map[string]func(pipeline.Record) error{extraction.Name: testkit.DecodesTo[extraction.Extraction]}, Roles: roles, Models: models,
	}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	got := result{sessions: testkit.DecodeAll[schemas.Session](t, schemas.NameSession, out), rows: testkit.DecodeAll[extraction.Extraction](t, extraction.Name, out), asked: s.asked}
	slices.SortFunc(got.sessions, func(a, b schemas.Session) int { return int(a.Order) - int(b.Order) })
	for _, l := range lost {
		if !l.Flagged {
			t.Errorf("%v counts as lost", l)
		}
		got.lost = append(got.lost, l.ID+" "+l.Code+": "+l.Reason)
	}
	slices.Sort(got.lost)
	return got
}

// give makes the points those of the sessions.
func give(attempts int) extraction.Config {
	var c extraction.Config
	c.SetDefaults()
	c.Give, c.Attempts = true, attempts
	return c
}

func told(all []schemas.Session) string {
	var b strings.Builder
	for _, s := range all {
		for _, p := range s.Points {
			fmt.Fprintf(&b, "%s %s %s %s %v %s %v %d\n", strings.TrimPrefix(p.MemoryID, taskID+"/"), p.Subject, p.Attributes["value"], p.UpdateType, p.Supersedes, p.Resembles, p.Modality, len(p.EvidenceMedia))
		}
	}
	return b.String()
}
