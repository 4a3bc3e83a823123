package describe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestWording by hand: two rows ask one fact, so that there are two texts, "what is it"
// and "what was it". Of six words four differ, of four pairs of words all.
func TestWording(t *testing.T) {
	of := func(id, text, fact string) schemas.Question {
		return schemas.Question{QuestionID: id, Question: text, Labels: map[string]string{schemas.LabelFact: fact}}
	}
	got := Release{Questions: slices.Values([]schemas.Question{of("c", "of a copy", "1"), of("a", "What is it?", "1"), of("b", "What was it?", "2")})}.measureWording()
	if len(got) != 1 || got[0].Kind != "questions" || got[0].Of != 3 || got[0].Texts != 2 || got[0].Distinct1 != 4.0/6 || got[0].Distinct2 != 1 {
		t.Fatalf("%+v", got)
	}
	if text := wordingGrid(got).markdown(); !strings.Contains(text, "| questions | 3 | 2 | 0.667 | 1.000 | 0.0 % | 0.0 % |") {
		t.Error(text)
	}
	if (Release{Questions: none[schemas.Question]()}).measureWording() != nil {
		t.Error("figures of no texts")
	}
}

// TestTurnsOfRepeatedTasks: the sessions of b are those of a, those of c have other people, of d
// other moments, and e has none. The turns of b are counted and not looked at.
func TestTurnsOfRepeatedTasks(t *testing.T) {
	var sessions []schemas.Session
	var turns []schemas.Turn
	add := func(task string, order int32, people []string, moments ...string) {
		s := schemas.Session{SessionID: schemas.SessionIDOf(task, int(order)), TaskID: task, Order: order, Participants: people}
		sessions = append(sessions, s)
		for i, m := range moments {
			turns = append(turns, schemas.Turn{TurnID: schemas.TurnIDOf(s.SessionID, i+1), SessionID: s.SessionID, Timestamp: m, Text: fmt.Sprint(task, order, i)})
		}
	}
	pair := []string{"Ann", "Ben"}
	for _, task := range []string{"b", "a"} {
		add(task, 0, pair, "2024-01-01", "2024-01-02")
		add(task, 1, pair, "2024-02-01")
	}
	add("c", 0, []string{"Ann", "Cy"}, "2024-01-01", "2024-01-02")
	add("c", 1, pair, "2024-02-01")
	add("d", 0, pair, "2024-01-01", "2024-01-03")
	add("d", 1, pair, "2024-02-01")
	for _, task := range []string{"e", "f"} {
		add(task, 0, pair, "2024-05-01", "")
	}
	turns = append(turns, schemas.Turn{TurnID: "x", SessionID: "lost", Text: "of no session"}, schemas.Turn{TurnID: "y", SessionID: "d/S00", Timestamp: "2024-01-05", Text: " "})
	turns = append(turns, schemas.Turn{TurnID: "z", SessionID: "d/S00", Timestamp: "2024-01-04", Action: "CLICK"})
	rel := Release{Questions: none[schemas.Question](), Sessions: slices.Values(sessions), Turns: slices.Values(turns)}
	var again []string
	for id, is := range rel.repeatedSessions() {
		if is {
			again = append(again, id)
		}
	}
	slices.Sort(again)
	if got := strings.Join(again, " "); got != "b/S00 b/S01" {
		t.Errorf("repeated: %s", got)
	}
	got := rel.measureWording()
	if len(got) != 1 || got[0].Kind != "turns" || got[0].Copies != 3 || got[0].Of != 15 || got[0].Texts != 15 {
		t.Fatalf("%+v", got)
	}
	if text := wordingGrid(got).markdown(); !strings.Contains(text, "| turns | 18 | 15 |") || !strings.Contains(repeatedNote(got), "3 turns of others are left out") || repeatedNote(nil) != "" {
		t.Errorf("%s, %s", text, repeatedNote(got))
	}
	rel.Sessions = nil
	if rel.repeatedSessions() != nil || rel.measureWording()[0].Of != 18 {
		t.Errorf("without sessions: %+v", rel.measureWording())
	}
}
