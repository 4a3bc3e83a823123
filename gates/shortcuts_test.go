package gates

import (
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/schemas"
)

// guessable makes 120 questions about things and colours; in the first hints of
// them the answer alone ends in words that the others lack.
func guessable(hints int) []schemas.Question {
	words := []string{"red", "blue", "green", "amber", "white", "black", "kettle", "ladder", "lantern", "violin", "saucer"}
	out := make([]schemas.Question, 120)
	for i := range out {
		q := schemas.Question{
			QuestionID: fmt.Sprintf("q%03d", i), TaskID: fmt.Sprintf("t%03d", i), Type: schemas.TypeInterference,
			Question: "What is picked up?", Split: "test",
		}
		for o := range 4 {
			q.Options = append(q.Options, schemas.Option{Key: string(rune('A' + o)), Text: words[(i*7+o*3)%6] + " " + words[6+(i*3+o)%5]})
		}
		gold := &q.Options[(i*5+i/7)%4]
		if i < hints {
			gold.Text += " with a dent"
		}
		q.AnswerKey, q.AnswerText = gold.Key, gold.Text
		out[i] = q
	}
	return out
}

func shortcutRecords(t *testing.T, qs []schemas.Question) []pipeline.Record {
	t.Helper()
	var out []pipeline.Record
	for _, q := range qs {
		r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

func TestShortcutsFlagWhatIsGuessed(t *testing.T) {
	for _, hints := range []int{0, 60} {
		g, err := newShortcuts(ShortcutConfig{MinChance: 0.6})
		if err != nil {
			t.Fatal(err)
		}
		got, err := g.Judge(t.Context(), &pipeline.Scope{}, shortcutRecords(t, guessable(hints)))
		if err != nil {
			t.Fatal(err)
		}
		flagged, wrongly := 0, 0
		for i, j := range got {
			if j.Outcome == pipeline.Fail {
				flagged++
				if i >= hints {
					wrongly++
				}
			}
		}
		if flagged < hints*3/4 || wrongly > 2 {
			t.Errorf("of %d hinted questions %d were flagged, and %d others", hints, flagged-wrongly, wrongly)
		}
	}
}

func TestShortcutsNeedEnoughQuestions(t *testing.T) {
	g, err := newShortcuts(ShortcutConfig{MinChance: 0.6})
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.Judge(t.Context(), &pipeline.Scope{}, shortcutRecords(t, guessable(0)[:30]))
	if err != nil || got[0].Outcome != pipeline.Insufficient {
		t.Errorf("%+v, %v", got[0], err)
	}
	if _, err := newShortcuts(ShortcutConfig{}); err == nil {
		t.Error("a chance of 0 was taken")
	}
}

func TestConformanceShortcuts(t *testing.T) {
	pipelinetest.Gate(t, pipelinetest.Subject{
		Register: Register, Use: "statistical-shortcuts", Golden: goldenShortcuts, Inputs: shortcutRecords(t, guessable(60)[40:90]),
	})
}

// goldenShortcuts is the gate's version and the digest of what it gives.
const goldenShortcuts = "1 f43c42c4a23658c0bf237f8c3cc3890a885393beb921a651d0249383580ac052"
