package gates

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	shortcut "github.com/memforge/memforge/pipeline/eval/shortcuts"
	"github.com/memforge/memforge/pipeline/testkit"
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
		gold := &q.Options[rand.New(rand.NewPCG(uint64(i), 4)).IntN(4)]
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

// TestNoPowerIsNoPass: in two clusters of unlike size no figure can be beyond chance,
// not even of questions that one rule always answers.
func TestNoPowerIsNoPass(t *testing.T) {
	qs := guessable(120)
	for i := range qs {
		qs[i].TaskID = fmt.Sprint("t", min(1, i/40))
	}
	g, err := newShortcuts(ShortcutConfig{Alpha: 0.01}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.Judge(t.Context(), &pipeline.Scope{}, shortcutRecords(t, qs))
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range got {
		if j.Outcome != pipeline.Insufficient || !strings.Contains(j.Reason, "no-power") || !strings.Contains(j.Reason, "2 clusters") {
			t.Fatalf("%s: %+v", qs[i].QuestionID, j)
		}
	}
}

func TestShortcutsFlagWhatIsGuessed(t *testing.T) {
	for _, hints := range []int{0, 60} {
		g, err := newShortcuts(ShortcutConfig{Alpha: 0.01}, nil)
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
	g, err := newShortcuts(ShortcutConfig{Alpha: 0.01}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := g.Judge(t.Context(), &pipeline.Scope{}, shortcutRecords(t, guessable(0)[:19]))
	if err != nil || got[0].Outcome != pipeline.Insufficient {
		t.Errorf("%+v, %v", got[0], err)
	}
	if _, err := newShortcuts(ShortcutConfig{}, nil); err == nil {
		t.Error("an alpha of 0 was taken")
	}
}

// TestCompanyFlagsNothing: questions that answer each other pass, and their verdict
// says how far they do.
func TestCompanyFlagsNothing(t *testing.T) {
	g, err := newShortcuts(ShortcutConfig{Alpha: 0.01}, nil)
	if err != nil {
		t.Fatal(err)
	}
	qs := guessable(0)
	for i := range qs {
		q := &qs[i]
		q.TaskID = fmt.Sprint("t", i/6)
		for o := range q.Options {
			if q.Options[o].Key == q.AnswerKey {
				q.Options[o].Text = fmt.Sprintf("thing%d", i)
				q.AnswerText = q.Options[o].Text
				continue
			}
			q.Options[o].Text = fmt.Sprintf("thing%d", i/6*6+(i+o+1)%6)
		}
	}
	got, err := g.Judge(t.Context(), &pipeline.Scope{}, shortcutRecords(t, qs))
	if err != nil {
		t.Fatal(err)
	}
	for i, j := range got {
		alone, beside, found := strings.Cut(j.Reason, schemas.ClusterReason)
		if j.Outcome != pipeline.Pass || !found || !strings.Contains(alone, "after correction") || strings.Contains(beside, "p = ") {
			t.Fatalf("question %d: %+v", i, j)
		}
	}
	t.Log(got[0].Reason)
}

func TestConformanceShortcuts(t *testing.T) {
	testkit.ConformGate(t, testkit.Subject{
		Register: Register, Use: "statistical-shortcuts", Golden: goldenShortcuts, Inputs: shortcutRecords(t, guessable(60)[40:90]),
	})
}

// TestWhatShortcutsDoesNotStudyHasOneOfTwoReasons: it is of another kind, or lacks
// data.
func TestWhatShortcutsDoesNotStudyHasOneOfTwoReasons(t *testing.T) {
	for code, tc := range map[string]struct {
		edit func(*schemas.Question)
		want pipeline.Outcome
	}{
		"no-options":       {func(q *schemas.Question) { q.Options = nil }, pipeline.NotApplicable},
		"too-few-options":  {func(q *schemas.Question) { q.Options = q.Options[:1] }, pipeline.NotApplicable},
		"too-many-options": {func(q *schemas.Question) { q.Options = slices.Repeat(q.Options, 9) }, pipeline.NotApplicable},
		"no-gold":          {func(q *schemas.Question) { q.AnswerKey = "Z" }, pipeline.Insufficient},
	} {
		q := guessable(0)[0]
		tc.edit(&q)
		if shortcut.CanStudy(q) {
			t.Errorf("%s: it can be studied", code)
		}
		if j := judgeUnstudied(q); j.Outcome != tc.want || j.Code != code {
			t.Errorf("%s: %+v, want %s", code, j, tc.want)
		}
	}
}

// goldenShortcuts is the gate's version and the digest of what it gives.
const goldenShortcuts = "8 0734ed99f4853f83197a441110a195ffe268fb63ff790370b9334ef82e4121c2"
