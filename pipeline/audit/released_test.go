package audit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

func releasedPart(t *testing.T, r audit.Report) audit.Part {
	t.Helper()
	i := slices.IndexFunc(r.Parts, func(p audit.Part) bool { return p.Name == "questions released" })
	if i < 0 {
		t.Fatal("nothing is said of the questions released")
	}
	return r.Parts[i]
}

// TestWhatNoGateStandsBehindIsNotClean: a release without a judgement follows
// from itself, and says nothing for its questions.
func TestWhatNoGateStandsBehindIsNotClean(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	head, end := "version: 1\nseed: 7\nrelease: {name: quiz, title: A quiz, from: [", "]}\nsources:\n  quiz: {use: test.quiz}\n"
	for name, tc := range map[string]struct {
		plan string
		edit func(*release.Contents)
		none int
		want []string
	}{
		"no gate at all": {head + "quiz" + end, nil, 200, []string{"no gate judged 200 of the questions: q-000, q-001, q-002, ...", "no verdict is worked out again"}},
		"a gate of another type": {
			head + "n" + end + "gates:\n  n: {use: nback-balance, from: [quiz], on_fail: keep}\n", nil, 180,
			[]string{"no gate judged 180 of the questions"},
		},
		"past the gates": {smallPlan, func(c *release.Contents) { c.Manifest.From = []string{"quiz"} }, 198,
			[]string{"no gate judged 20 of the questions", "178 questions are of quiz, which no gate stands before"}},
	} {
		c := buildQuiz(t, reg, tc.plan)
		if tc.edit != nil {
			tc.edit(&c)
		}
		r := mustAudit(t, reg, c)
		p := releasedPart(t, r)
		if r.State() != audit.Unjudged || p.State != audit.Unjudged || p.Unchecked != tc.none || p.Checked != len(c.Questions)-tc.none {
			t.Errorf("%s: %s, %+v\n%s", name, r.State(), p, found(r))
		}
		for _, w := range tc.want {
			if !strings.Contains(p.Why, w) {
				t.Errorf("%s: %q is not said: %s", name, w, p.Why)
			}
		}
	}
}

// TestTheSameIsNotAskedTwice: other ids and another order of the options make
// another row and no other question.
func TestTheSameIsNotAskedTwice(t *testing.T) {
	t.Parallel()
	clean := sumsRelease()
	clean.Questions, clean.Media = clean.Questions[:1], nil
	clean.Questions[0].Options = []schemas.Option{{Key: "A", Text: "I"}, {Key: "B", Text: "III"}}
	for name, tc := range map[string]struct {
		edit func(*schemas.Question)
		same bool
	}{
		"another id, task and order of options": {func(q *schemas.Question) {
			q.TaskID, q.Options = "u", []schemas.Option{{Key: "A", Text: "III"}, {Key: "B", Text: "I"}}
		}, true},
		"other words": {func(q *schemas.Question) { q.Question = "How few?" }, false},
		"another option": {func(q *schemas.Question) {
			q.Options = append(slices.Clone(q.Options), schemas.Option{Key: "C", Text: "V"})
		}, false},
		"another medium":    {func(q *schemas.Question) { q.Media = []string{"n"} }, false},
		"another time":      {func(q *schemas.Question) { q.CheckpointID = "later" }, false},
		"no media, a task":  {func(q *schemas.Question) { q.Media, q.TaskID = nil, "u" }, false},
		"nothing but an id": {func(*schemas.Question) {}, true},
	} {
		c := clean
		again := clean.Questions[0]
		tc.edit(&again)
		again.QuestionID = "q9"
		c.Questions = append(slices.Clone(clean.Questions), again)
		r := mustAudit(t, sums(), c)
		if found := strings.Contains(found(r), "q9: it asks what q1 asks"); found != tc.same {
			t.Errorf("%s: found %t, want %t", name, found, tc.same)
		}
	}
}

// TestMediaWithoutTheirGate: a medium that lost its verdict is named, where a gate judged
// the others.
func TestMediaWithoutTheirGate(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	c := sharedQuiz(t, reg, smallPlan)
	m, n := c.Media[0].MediaID, c.Media[1].MediaID
	for _, tc := range []struct {
		verdicts []string
		want     string
	}{
		{[]string{m, n}, ""}, {nil, ""},
		{[]string{m}, "no gate judged 1 of the media: " + n},
	} {
		c.Verdicts = slices.DeleteFunc(slices.Clone(c.Verdicts), func(v schemas.Verdict) bool { return v.Gate == "integrity" })
		for _, id := range tc.verdicts {
			c.Verdicts = append(c.Verdicts, schemas.Verdict{Item: id, Gate: "integrity", Outcome: schemas.Pass})
		}
		why := ""
		for _, p := range mustAudit(t, reg, c).Parts {
			if p.Name == "media released" && p.State == audit.Unjudged {
				why = p.Why
			}
		}
		if why != tc.want {
			t.Errorf("verdicts on %q: %q, want %q", tc.verdicts, why, tc.want)
		}
	}
}

// TestFilesOfOneSourceHaveOneLicence: files that nothing pins are under what the source
// was given.
func TestFilesOfOneSourceHaveOneLicence(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	c := sharedQuiz(t, reg, smallPlan)
	for _, license := range []string{"CC0-1.0", "MIT"} {
		c.Sources = []schemas.Source{{ID: "own", Kind: "dir", Path: "a.mp4", License: "CC0-1.0"}, {ID: "own", Kind: "dir", Path: "b.mp4", License: license}}
		told := strings.Contains(found(mustAudit(t, reg, c)), "own, b.mp4: its licence is")
		if told != (license == "MIT") {
			t.Errorf("second file under %s: told %t", license, told)
		}
	}
}
