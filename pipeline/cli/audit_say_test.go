package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
)

// TestAuditSaysEachCauseOnce: a text that differs because a table does is in no list
// of its own.
func TestAuditSaysEachCauseOnce(t *testing.T) {
	r := audit.Report{Parts: []audit.Part{
		{Name: "gold of film", State: audit.Differs, Differences: []string{"q-1: the answer is another"}},
		{Name: "README.md", State: audit.Differs, Rendered: true, Differences: []string{"line 4 is another"}},
		{Name: "report.html", State: audit.Same, Rendered: true},
	}}
	said := func() (out, err string) {
		t.Helper()
		var b bytes.Buffer
		if err := printAudit(&b, r, "none"); err != nil {
			t.Fatal(err)
		}
		return b.String(), auditResult(r).Error()
	}
	out, err := said()
	if strings.Contains(out, "line 4") || strings.Contains(err, "README.md") || !strings.Contains(out, "gold of film differs:") || !strings.Contains(err, "gold of film") {
		t.Errorf("%s\n%s", out, err)
	}
	r.Parts = r.Parts[1:]
	if out, err := said(); !strings.Contains(out, "README.md differs:\n  line 4") || !strings.Contains(err, "README.md") {
		t.Errorf("nothing else differs:\n%s\n%s", out, err)
	}
}

// TestOneModelInTwoRolesIsSaid: where roles were one model, their agreement is told to be
// no more than that.
func TestOneModelInTwoRolesIsSaid(t *testing.T) {
	var out strings.Builder
	printAgreement(&out, "gate %s", "marks", []audit.Agreement{{Gate: "alone", OneOpinion: []pipeline.SharedModel{{Model: "x", Host: "h", Roles: []string{"panel_a", "panel_b"}}}}, {Gate: "other"}})
	const want = "\ngate alone\n  (panel_a and panel_b were one model, x at h: their agreement is that of one model)\n\ngate other\n"
	if out.String() != want {
		t.Errorf("it says %q, want %q", out.String(), want)
	}
}
