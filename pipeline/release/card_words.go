package release

import (
	"fmt"
	"iter"
	"strings"

	"github.com/memforge/memforge/pipeline"
	lexis "github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// How many questions and turns the card's figures of wording are about. Distinct-n falls
// with the number of texts, so that these are the same for all releases.
const (
	wordedQuestions = 1000
	wordedTurns     = 5000
)

// worded is how much the texts of a kind differ.
type worded struct {
	Kind string
	// Copies are turns of tasks that repeat another, and not looked at.
	Copies int
	lexis.Variety
}

// wordingOf measures the wording of questions, one for each fact, and of turns, where a
// release has such. What it takes grows with the sessions, and not with their turns.
func wordingOf(questions iter.Seq[schemas.Question], shapes []table, rows tableRows) (out []worded) {
	asked := lexis.NewSample(wordedQuestions)
	for q := range questions {
		asked.Add(q.Fact(), q.QuestionID, q.Question)
	}
	said, copies := lexis.NewSample(wordedTurns), 0
	if turns, ok := pluggedNamed(shapes, pipeline.TableTurns); ok {
		again := repeatsIn(shapes, rows)
		for t := range pluggedAs[schemas.Turn](rows, turns) {
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
	for _, w := range []worded{{"questions", 0, asked.Variety()}, {"turns", copies, said.Variety()}} {
		if w.Texts > 0 {
			out = append(out, w)
		}
	}
	return out
}

// repeated states how many turns were not looked at because their tasks repeat others.
func repeated(rows []worded) string {
	for _, w := range rows {
		if w.Copies > 0 {
			return fmt.Sprintf("Tasks in whose sessions the same participants take part at the same moments, turn by turn, repeat each other: the turns of one of them count, and %d turns of others are left out here.", w.Copies)
		}
	}
	return ""
}

func wordingGrid(rows []worded) grid {
	share := func(of func(worded) float64) func(worded) string {
		return func(w worded) string { return fmt.Sprintf("%.1f %%", 100*of(w)) }
	}
	number := func(of func(worded) float64) func(worded) string {
		return func(w worded) string { return fmt.Sprintf("%.3f", of(w)) }
	}
	return gridOf(rows,
		words("text", func(w worded) string { return w.Kind }),
		figures("rows", func(w worded) int64 { return int64(w.Of + w.Copies) }),
		figures("looked at", func(w worded) int64 { return int64(w.Texts) }),
		measures("distinct-1", number(func(w worded) float64 { return w.Distinct1 })),
		measures("distinct-2", number(func(w worded) float64 { return w.Distinct2 })),
		measures("same words as another", share(func(w worded) float64 { return w.Same })),
		measures("nearly the same as another", share(func(w worded) float64 { return w.Near })))
}
