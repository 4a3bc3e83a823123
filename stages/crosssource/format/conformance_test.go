package format

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/testkit/scorertest"
	"github.com/memforge/memforge/schemas"
)

// TestAnswersCountByKey: of each task and of twins seven questions, right at A to D in
// turn, and a call.
func TestAnswersCountByKey(t *testing.T) {
	var all []schemas.Question
	for _, q := range asked() {
		q.Type = "crosssource_" + q.Labels[labelTask] + q.Labels[labelArrangement]
		for i := range 7 {
			one := q
			one.QuestionID = fmt.Sprintf("%s-%d", q.QuestionID, i)
			if n := len(q.Options); n > 0 {
				one.SetOptions(slices.Concat(q.Options[i%n:], q.Options[:i%n])...)
			}
			all = append(all, one)
		}
	}
	scorertest.Run(t, scorertest.Subject{
		Scorer: Scorer(), Questions: all,
		Open: func(of []schemas.Question) (score.QuestionSet, error) {
			found, err := itemsOf(of)
			return answerScorer{found}, err
		},
		Accuracy: func(s score.Scores) (float64, error) {
			lines := s.(results).Lines
			at := slices.IndexFunc(lines, func(l tables.Line) bool { return strings.HasSuffix(l.Slice, "overall") })
			if at < 0 {
				return 0, errors.New("no line has the mean of all")
			}
			return lines[at].Figures["mean"].Value, nil
		},
	})
}
