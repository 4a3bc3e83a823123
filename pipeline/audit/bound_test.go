package audit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// boundPart is what an audit says of the items that verdicts are on.
func boundPart(t *testing.T, r audit.Report) audit.Part {
	t.Helper()
	i := slices.IndexFunc(r.Parts, func(p audit.Part) bool { return p.Name == "items that the verdicts are on" })
	if i < 0 {
		t.Fatalf("no such part among %+v", r.Parts)
	}
	return r.Parts[i]
}

// TestVerdictsAreOnTheirItems changes an item behind the back of its verdicts.
func TestVerdictsAreOnTheirItems(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	clean := sharedQuiz(t, reg, quizPlan)
	p := boundPart(t, mustAudit(t, reg, clean))
	if p.State != audit.Same || p.Checked != len(clean.Verdicts) || p.Unchecked != 0 || p.Checked == 0 {
		t.Errorf("a clean release: %+v, %d verdicts", p, len(clean.Verdicts))
	}
	for name, change := range map[string]func(*release.Contents) string{
		"evidence of a question": func(c *release.Contents) string {
			c.Questions = slices.Clone(c.Questions)
			q := &c.Questions[0]
			q.Evidence = slices.Clone(q.Evidence)
			q.Evidence[0].Text += "!"
			return q.QuestionID
		},
		"a form that was not released": func(c *release.Contents) string {
			c.Flagged = slices.Clone(c.Flagged)
			c.Flagged[0].Question.Explanation = "because"
			return c.Flagged[0].Question.QuestionID
		},
		"a task": func(c *release.Contents) string {
			c.Tasks = slices.Clone(c.Tasks)
			c.Tasks[0].Summary = "a kitchen"
			return c.Tasks[0].TaskID
		},
		"the digest": func(c *release.Contents) string {
			c.Verdicts = slices.Clone(c.Verdicts)
			c.Verdicts[0].ItemDigest = ""
			return c.Verdicts[0].Item
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := clean
			id := change(&c)
			p := boundPart(t, mustAudit(t, reg, c))
			if p.State != audit.Differs || !strings.Contains(strings.Join(p.Differences, "\n"), id+": the verdict of ") {
				t.Errorf("%s is changed: %+v", id, p)
			}
		})
	}
}

// TestVerdictsOnItemsThatAreGone: a dropped task has a verdict and no row.
func TestVerdictsOnItemsThatAreGone(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	c := sharedQuiz(t, reg, quizPlan)
	c.Verdicts = append(slices.Clone(c.Verdicts), schemas.Verdict{Item: "gone", Gate: "tasks", Outcome: schemas.Fail, ItemDigest: "x"})
	if p := boundPart(t, mustAudit(t, reg, c)); p.Unchecked != 1 || p.Why == "" || p.State != audit.Same {
		t.Errorf("%+v", p)
	}
}
