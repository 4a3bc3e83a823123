package describe

import (
	"fmt"
	"strings"

	lexis "github.com/memforge/memforge/pipeline/kit/words"
)

// How many questions and turns the card's figures of wording are about. Distinct-n falls
// with the number of texts, so that these are the same for all releases.
const (
	sampledQuestions = 1000
	sampledTurns     = 5000
)

type wordingRow struct {
	Kind string
	// Copies are turns of tasks that repeat another, and not looked at.
	Copies int
	lexis.Variety
}

// measureWording measures the wording of questions, one for each fact, and of turns. Its
// memory grows with the sessions, and not with their turns.
func (rel Release) measureWording() (out []wordingRow) {
	asked := lexis.NewTextSample(sampledQuestions)
	for q := range rel.Questions {
		asked.Add(q.Fact(), q.QuestionID, q.Question)
	}
	said, copies := lexis.NewTextSample(sampledTurns), 0
	if rel.Turns != nil {
		again := rel.repeatedSessions()
		for t := range rel.Turns {
			text := strings.TrimSpace(strings.Join([]string{t.Text, t.Observation, t.Reasoning, t.Action, t.Feedback}, " "))
			switch {
			case text == "":
			case again[t.SessionID]:
				copies++
			default:
				said.Add(t.TurnID, "", text)
			}
		}
	}
	for _, w := range []wordingRow{{"questions", 0, asked.Variety()}, {"turns", copies, said.Variety()}} {
		if w.Texts > 0 {
			out = append(out, w)
		}
	}
	return out
}

func repeatedNote(rows []wordingRow) string {
	for _, w := range rows {
		if w.Copies > 0 {
			return fmt.Sprintf("Tasks in whose sessions the same participants take part at the same moments, turn by turn, repeat each other: the turns of one of them count, and %d turns of others are left out here.", w.Copies)
		}
	}
	return ""
}

func wordingGrid(rows []wordingRow) grid {
	share := func(of func(wordingRow) float64) func(wordingRow) string {
		return func(w wordingRow) string { return fmt.Sprintf("%.1f %%", 100*of(w)) }
	}
	number := func(of func(wordingRow) float64) func(wordingRow) string {
		return func(w wordingRow) string { return fmt.Sprintf("%.3f", of(w)) }
	}
	return newGrid(rows,
		textColumn("text", func(w wordingRow) string { return w.Kind }),
		countColumn("rows", func(w wordingRow) int64 { return int64(w.Of + w.Copies) }),
		countColumn("looked at", func(w wordingRow) int64 { return int64(w.Texts) }),
		numberColumn("distinct-1", number(func(w wordingRow) float64 { return w.Distinct1 })),
		numberColumn("distinct-2", number(func(w wordingRow) float64 { return w.Distinct2 })),
		numberColumn("same words as another", share(func(w wordingRow) float64 { return w.Same })),
		numberColumn("nearly the same as another", share(func(w wordingRow) float64 { return w.Near })))
}

// sessionTimes sums up who takes part in each session of a task and when each turn is
// said; in a sum the order of rows does not count.
type sessionTimes struct {
	sum uint64
	// untimed says that a turn has no moment: such a task repeats none.
	untimed bool
}

type sessionPlace struct {
	task  string
	order int32
}

// repeatedSessions names the sessions of tasks that repeat another: in the sessions of both the
// same participants take part in the same order, and as many turns stand at the same
// moments. What is said does not count, for a task that arranges the evidence of another
// one otherwise says some of it elsewhere. The task with the least id repeats none.
func (rel Release) repeatedSessions() map[string]bool {
	if rel.Sessions == nil || rel.Turns == nil {
		return nil
	}
	places, clocks := map[string]sessionPlace{}, map[string]sessionTimes{}
	for s := range rel.Sessions {
		places[s.SessionID] = sessionPlace{s.TaskID, s.Order}
		c := clocks[s.TaskID]
		c.sum += hashAt(s.Order, strings.Join(s.Participants, "\x00"))
		clocks[s.TaskID] = c
	}
	for t := range rel.Turns {
		at, ok := places[t.SessionID]
		if !ok {
			continue
		}
		c := clocks[at.task]
		c.sum += hashAt(at.order, t.Timestamp)
		c.untimed = c.untimed || t.Timestamp == ""
		clocks[at.task] = c
	}
	first := map[uint64]string{}
	for task, c := range clocks {
		if have, ok := first[c.sum]; !c.untimed && (!ok || task < have) {
			first[c.sum] = task
		}
	}
	again := map[string]bool{}
	for id, at := range places {
		if c := clocks[at.task]; !c.untimed && first[c.sum] != at.task {
			again[id] = true
		}
	}
	return again
}

func hashAt(order int32, text string) uint64 {
	return lexis.Mix(lexis.Hash(fmt.Sprintf("%d\x00%s", order, text)))
}
