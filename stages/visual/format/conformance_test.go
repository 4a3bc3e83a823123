package format

import (
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/testkit/scorertest"
	"github.com/memforge/memforge/schemas"
)

// TestAnswersCountByKey: a constant letter is right in one of four rotations, whatever
// the words of the gold.
func TestAnswersCountByKey(t *testing.T) {
	var all []schemas.Question
	for i, gold := range []string{"a", "B", "(C)", "12.5", "a red sofa", "the D", "7"} {
		q := schemas.Question{QuestionID: fmt.Sprint("q", i), Type: []string{"visual_count", "visual_place"}[i%2], Labels: map[string]string{schemas.LabelGranularity: "X1", schemas.LabelReasoning: "Y1"}}
		options := []schemas.Option{{Text: "x", Role: schemas.RoleDistractor}, {Text: "y", Role: schemas.RoleDistractor}, {Text: "z", Role: schemas.RoleDistractor}, {Text: "w", Role: schemas.RoleDistractor}}
		options[i%4] = schemas.Option{Text: gold, Role: schemas.RoleCorrect}
		q.SetOptions(options...)
		all = append(all, q)
	}
	scorertest.Run(t, scorertest.Subject{
		Scorer: Scorer(), Questions: all,
		Open: func(of []schemas.Question) (score.QuestionSet, error) {
			task := layoutTask{name: "T"}
			for _, q := range of {
				task.questions = append(task.questions, layoutQuestion{Question: q})
			}
			return newBench([]Task{task.asReadTask()}), nil
		},
		Accuracy: func(s score.Scores) (float64, error) {
			return s.(*results).table().Lines[0].Figures["choice"].Value, nil
		},
		Gold: func(q schemas.Question, f score.Form) string {
			if f.Options == nil {
				return q.AnswerText
			}
			return f.ID[len(f.ID)-1:]
		},
	})
}
