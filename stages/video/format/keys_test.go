package format

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/scorertest"
	"github.com/memforge/memforge/pipeline/testkit/videorelease"
	"github.com/memforge/memforge/schemas"
)

// TestKeysDecide for each type of question, Yes and No included.
func TestKeysDecide(t *testing.T) {
	dir, err := videorelease.Write(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	contents, err := release.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	scorertest.Run(t, scorertest.Subject{
		Scorer: Scorer(), Questions: contents.Questions,
		Open: func(of []schemas.Question) (score.QuestionSet, error) {
			some := contents
			some.Questions = of
			return Scorer().Release(some)
		},
		Accuracy: func(s score.Scores) (float64, error) {
			var all Count
			for name, c := range s.(Scores).Metrics {
				switch {
				case name == overallSplit, name == overallInterference, name == overallInterleaved, name == overallNBack,
					strings.HasPrefix(name, "repeated_") && strings.HasSuffix(name, "_accuracy"):
					all.Yes, all.Total = all.Yes+c.Yes, all.Total+c.Total
				}
			}
			return float64(all.Yes) / float64(all.Total), nil
		},
	})
}
