package scorertest_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/scorertest"
	"github.com/memforge/memforge/schemas"
)

// TestKeys: a scorer that compares keys, and one of calls, pass.
func TestKeys(t *testing.T) {
	r := pipeline.NewRegistry()
	score.AddAnswerScorer(r, score.AnswerScorer{Name: "keys", Mark: func(q schemas.Question, answer string) float64 {
		if answer != "" && (answer == q.AnswerKey || answer == q.AnswerCall) {
			return 1
		}
		return 0
	}})
	keys := score.Scorers(r)[0]
	var questions []schemas.Question
	for i := range 7 {
		q := schemas.Question{QuestionID: fmt.Sprint(i), Type: "choice"}
		options := make([]schemas.Option, 4)
		options[i%4].Role = schemas.RoleCorrect
		q.SetOptions(options...)
		questions = append(questions, q)
	}
	questions = append(questions, schemas.Question{QuestionID: "call", Type: "call", AnswerCall: `{"name":"f"}`})
	scorertest.Run(t, scorertest.Subject{
		Scorer: keys, Questions: questions,
		Open: func(of []schemas.Question) (score.QuestionSet, error) {
			return keys.Release(release.Contents{Questions: of})
		},
		Accuracy: func(s score.Scores) (float64, error) {
			data, err := json.Marshal(s)
			if err != nil {
				return 0, err
			}
			var out struct{ Means []struct{ Mean float64 } }
			if err := json.Unmarshal(data, &out); err != nil {
				return 0, err
			}
			return out.Means[0].Mean / 100, nil
		},
	})
}
