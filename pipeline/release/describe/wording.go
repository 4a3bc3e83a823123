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

// wordingRow is how much the texts of a kind differ.
type wordingRow struct {
	Kind string
	// Copies are turns of tasks that repeat another, and not looked at.
	Copies int
	lexis.Variety
}

// measureWording measures the wording of questions, one for each fact, and of turns, where a
// release has such. What it takes grows with the sessions, and not with their turns.
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

// repeatedNote states how many turns were not looked at because their tasks repeat others.
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
