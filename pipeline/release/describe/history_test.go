package describe

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// remembered is a release of so many tasks of four questions each. Of the four colours that a
// thing had, the one named last in the history is right; turns and sessions come in any order.
func remembered(tasks int) Release {
	colours := []string{"red", "blue", "green", "white"}
	var asked []schemas.Question
	var sessions []schemas.Session
	var turns []schemas.Turn
	for n := range tasks {
		task := fmt.Sprintf("t%03d", n)
		for i, thing := range []string{"kettle", "ladder", "lantern", "saucer"} {
			q := schemas.Question{QuestionID: task + thing, Family: "lives", Type: "colour", TaskID: task, Question: fmt.Sprintf("What colour is the %s now?", thing), Labels: map[string]string{schemas.LabelFact: task + thing}}
			session := schemas.Session{SessionID: task + thing, TaskID: task, Order: int32(i)}
			for j := range colours {
				text := colours[(j+i)%4]
				q.Options = append(q.Options, schemas.Option{Key: schemas.Letter(j), Text: colours[j]})
				turns = append(turns, schemas.Turn{TurnID: fmt.Sprint(task, thing, j), SessionID: session.SessionID, Order: int32(j + 1), Text: fmt.Sprintf("The %s is %s.", thing, text)})
				q.AnswerKey = schemas.Letter((j + i) % 4)
			}
			asked, sessions = append(asked, q), append(sessions, session)
		}
	}
	slices.Reverse(turns)
	slices.Reverse(sessions)
	return Release{
		Manifest: manifest.Manifest{}, Tasks: none[schemas.Task](), Media: none[schemas.Media](), Probes: none[schemas.Probe](), Verdicts: none[schemas.Verdict](),
		Questions: slices.Values(asked), Sessions: slices.Values(sessions), Turns: slices.Values(turns),
	}
}

// TestCardStatesHistoryRules: each rule has its share by type, and those above the aim are listed.
func TestCardStatesHistoryRules(t *testing.T) {
	s := summaryOf(t, remembered(10))
	card := cardPart(t, "baselines", s)
	for _, want := range []string{
		"Above 60 % are rules that only look options up in the history:\n", "- colour: named last about the same thing (history), 100 % in every cluster of 40 facts\n",
		"| rule | colour |\n", "| named last about the same thing (history) | 100 % |\n", "| named first about", "at most 40 tasks are read",
	} {
		if strings.Contains(card, want) != (want != "| named first about") {
			t.Errorf("the card and %q:\n%s", want, card)
		}
	}
	bare := remembered(10)
	bare.Sessions, bare.Turns = nil, nil
	if s := summaryOf(t, bare); len(s.History.Grids) > 0 || strings.Contains(cardPart(t, "baselines", s), "history") {
		t.Errorf("of no history: %+v", s.History)
	}
	if s := summaryOf(t, remembered(4)); len(s.History.Grids) > 0 {
		t.Errorf("of 16 facts: %+v", s.History)
	}
}

// TestHistoryIsReadInPart: what is held does not grow with the release.
func TestHistoryIsReadInPart(t *testing.T) {
	of := remembered(historyTasks + 13).historySubject()
	read := 0
	for m, err := range of.Materials {
		if read++; err != nil || len(m.Sessions) != 4 || len(m.Sessions[0].Turns) != 4 || m.Sessions[0].Turns[0].Order != 1 {
			t.Errorf("%+v, %v", m, err)
		}
	}
	if read != historyTasks || len(of.Questions) != 4*historyTasks {
		t.Errorf("%d tasks and %d questions are read", read, len(of.Questions))
	}
}
