package agentoracle_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/lifelong/oracle/agentoracle"
)

// TestGoldenActions pins the facts that actions make true, in sessions in the wrong order.
func TestGoldenActions(t *testing.T) {
	actions := []string{
		"PickupObject Mug|1", "PutObject Mug|1 CoffeeTable|2", "PutObject Mug|3 Desk|1", "PutObject Mug|4 Desk|2", "PutObject Mug|5", "SliceObject Apple|1",
		"PickupObject Apple|1|2|AppleSliced_3", "OpenObject Fridge_2", "CloseObject Fridge_2", "ToggleObjectOn DeskLamp|1", "ToggleObjectOff DeskLamp|1",
		"OpenObject |1", "OpenObject fridge", "OpenObject oldFridge", "MoveAhead x", "PutObject Mug|1 |1", "openObject Mug|1", "OpenObject Mug|1 Desk|1 x",
	}
	sessions := []schemas.Session{{Order: 2}, {Order: 1}, {Order: 3}}
	for i, a := range actions {
		at := &sessions[map[bool]int{true: 1, false: 0}[i < 9]]
		at.Turns = append(at.Turns, schemas.Turn{TurnID: fmt.Sprint("T", i), Action: a})
	}
	sessions[2].Turns = []schemas.Turn{{TurnID: "last", Action: "OpenObject Safe|1"}}
	var out strings.Builder
	for _, upto := range []int{1, 5} {
		for _, f := range agentoracle.Facts(sessions, upto) {
			fmt.Fprintf(&out, "up to %d: %+v\n", upto, f)
		}
	}
	golden.Check(t, "actions", out.String())
}

// browsed is a run in a browser: two sessions, a screen before each act.
func browsed() []schemas.Session {
	screen := "[1]: \"Search\"; [2]: <button> \"Buy now\"; [3]: \"x\"; [4]: \"open; [5]: <a> no name; [6]: \"" + strings.Repeat("n", 80) + "\"; [7]: \"" + strings.Repeat("n", 81) + "\"; [8]: \"ok\";"
	var out []schemas.Session
	for n, acts := range [][]string{
		{"Type [1]; blue lamp ", "Type one; lamp", "Type [1] lamp", "Click [2]", "Click 1", "Click [3]", "Click [4]"},
		{"Type 2; two\nlines", "Type [1]; red lamp", "Click [5]", "Click [6]", "Click [7]", "Click [8]", "Click [8]", "Click []", "Scroll [8]; up", "ANSWER; 12 euro", "ANSWER;"},
	} {
		s := schemas.Session{SessionID: fmt.Sprintf("web/t/S%02d", n), TaskID: "web/t", Date: "2025-01-02"}
		for i, a := range acts {
			id := fmt.Sprintf("%s/T%d", s.SessionID, i)
			s.Turns = append(s.Turns,
				schemas.Turn{TurnID: id + "u", Role: schemas.TurnUser, Action: a},
				schemas.Turn{TurnID: id, Role: schemas.TurnAgent, Action: a, Observation: screen})
			if a == "Type [1]; red lamp" || a == "Click [2]" {
				s.Turns[len(s.Turns)-1].Attachments = []schemas.Attachment{{MediaID: "first"}, {MediaID: "second", Caption: "c", MinimalCaption: "m", TaskAwareCaption: "t"}}
			}
		}
		out = append(out, s)
	}
	return out
}

// TestGoldenBrowser pins what acts in a browser are taken for, and the questions about them.
func TestGoldenBrowser(t *testing.T) {
	sessions := browsed()
	var out strings.Builder
	for _, a := range agentoracle.BrowserActions(sessions) {
		fmt.Fprintf(&out, "%+v\n", a)
	}
	for _, text := range []string{
		"Which text did the agent type last?", `At which step did the agent choose "Buy now"?`, `At which step did the agent type "red lamp"?`,
		`At which step did the agent choose "ok"?`, `At which step did the agent answer "12 euro"?`, "Why?",
	} {
		right, acts, err := agentoracle.AnswerBrowser(text, sessions)
		fmt.Fprintf(&out, "\n%s %s %v\n", text, right, err)
		if err == nil {
			q := agentoracle.BrowserQuestion(schemas.Question{QuestionID: "q", TaskID: "web/t", CheckpointID: "c", Split: "test", Question: text}, right, acts, sessions)
			b, err := json.MarshalIndent(q, "", " ")
			fmt.Fprintf(&out, "%s %v\n", b, err)
		}
	}
	_, _, err := agentoracle.AnswerBrowser("Which text did the agent type last?", sessions[:0])
	fmt.Fprintf(&out, "\n%v\n", err)
	golden.Check(t, "browser", out.String())
}

// TestGoldenMoves pins the facts that an answer rests on.
func TestGoldenMoves(t *testing.T) {
	run := []schemas.Session{{}, {Order: 1}}
	for i, a := range []string{"PutObject Mug|1 Desk|1", "OpenObject Mug|1", "PickupObject Mug|1"} {
		run[0].Turns = append(run[0].Turns, schemas.Turn{TurnID: fmt.Sprint(i), Action: a})
	}
	run[1].Turns = []schemas.Turn{{TurnID: "4", Action: "PutObject Mug|1 Shelf|1"}}
	var out strings.Builder
	for _, q := range []string{"Where was the mug when the run was over?", "Where was the pen when the run was over?", "Where is the mug?"} {
		for upto := range 2 {
			moves, err := agentoracle.Moves(q, run, upto)
			fmt.Fprintf(&out, "%s %d: %+v %v\n", q, upto, moves, err)
		}
	}
	golden.Check(t, "moves", out.String())
}
