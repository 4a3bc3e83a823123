package audit_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

const panelPlan = `version: 1
seed: 11
release: {name: quiz, title: A quiz, from: [alone]}
sources:
  quiz: {use: test.quiz}
gates:
  blind: {use: option-only, from: [quiz], with: {full_protocol: true}}
  proof: {use: correctness, from: [blind], on_fail: keep}
  alone: {use: answerable-alone, from: [proof]}
`

func TestPanelGatesFollowFromProbes(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	c := sharedQuiz(t, reg, panelPlan)
	outcomes := map[string]int{}
	for _, v := range c.Verdicts {
		outcomes[v.Gate+" "+v.Outcome]++
	}
	for _, want := range []string{"blind pass", "blind not_applicable", "alone pass", "alone fail", "proof pass", "proof fail"} {
		if outcomes[want] == 0 {
			t.Errorf("no %s among %v", want, outcomes)
		}
	}
	r := mustAudit(t, reg, c)
	if r.State() != audit.Same || found(r) != "" || len(c.Probes) < 1000 {
		t.Errorf("state %s, %d probes:\n%s", r.State(), len(c.Probes), found(r))
	}
	for _, g := range r.Gates {
		if g.State != audit.Same || g.Verdicts == 0 || g.Probes == 0 {
			t.Errorf("%+v", g)
		}
	}
}

// TestEveryFieldOfAProbeCounts changes one field of a probe at a time, with the
// manifest as it was and with the manifest made anew.
func TestEveryFieldOfAProbeCounts(t *testing.T) {
	if testing.Short() {
		t.Skip("audits a release for each of many forgeries; run without -short")
	}
	t.Parallel()
	reg := registry(t)
	clean := sharedQuiz(t, reg, panelPlan)
	at := slices.IndexFunc(clean.Probes, func(p schemas.Probe) bool { return p.Gate == "alone" && p.Mark == schemas.MarkRight })
	if at < 0 {
		t.Fatal("no right answer among the probes")
	}
	for field, tc := range map[string]struct {
		change func(*schemas.Probe)
		// bound fields follow from nothing but the manifest's digest of rows.
		bound bool
	}{
		"item":          {func(p *schemas.Probe) { p.Item = clean.Questions[0].QuestionID + "x" }, false},
		"view":          {func(p *schemas.Probe) { p.View = "none" }, false},
		"role":          {func(p *schemas.Probe) { p.Role = "panel_c" }, false},
		"rotation":      {func(p *schemas.Probe) { p.Rotation = (p.Rotation + 1) % 4 }, false},
		"run":           {func(p *schemas.Probe) { p.Sample++ }, false},
		"view_digest":   {func(p *schemas.Probe) { p.ViewDigest = "0" + p.ViewDigest[1:] + "0" }, false},
		"model":         {func(p *schemas.Probe) { p.Model = "a-better-one" }, false},
		"answer":        {func(p *schemas.Probe) { p.Answer = otherKey(p.Answer) }, false},
		"mark":          {func(p *schemas.Probe) { p.Mark = schemas.MarkWrong }, false},
		"failed mark":   {func(p *schemas.Probe) { p.Mark = schemas.MarkFailed }, false},
		"unknown mark":  {func(p *schemas.Probe) { p.Mark = "great" }, false},
		"reason":        {func(p *schemas.Probe) { p.Reason = "x" }, false},
		"letter":        {func(p *schemas.Probe) { p.Response = strings.Replace(p.Response, `"answer":"`, `"answer":"Z`, 1) }, false},
		"wording":       {func(p *schemas.Probe) { p.Response = strings.Replace(p.Response, "words", "woods", 1) }, true},
		"input tokens":  {func(p *schemas.Probe) { p.InputTokens++ }, true},
		"output tokens": {func(p *schemas.Probe) { p.OutputTokens++ }, true},
	} {
		t.Run(field, func(t *testing.T) {
			c := clean
			c.Probes = slices.Clone(clean.Probes)
			tc.change(&c.Probes[at])
			if c.Probes[at] == clean.Probes[at] {
				t.Fatalf("nothing was changed of %+v", c.Probes[at])
			}
			if r := mustAudit(t, reg, c); r.State() != audit.Differs || !strings.Contains(found(r), "gates in the manifest") {
				t.Errorf("with the old manifest: %s\n%s", r.State(), found(r))
			}
			c.Manifest.Gates = remade(t, c)
			r := mustAudit(t, reg, c)
			if want := map[bool]audit.State{true: audit.Same, false: audit.Differs}[tc.bound]; r.State() != want {
				t.Errorf("with a new manifest: %s, want %s\n%s", r.State(), want, found(r))
			}
		})
	}
}

func otherKey(key string) string {
	if key == "A" {
		return "B"
	}
	return "A"
}

// TestProbesThatAreGoneOrTwice: a verdict rests on what was asked, and on all of
// it.
func TestProbesThatAreGoneOrTwice(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	clean := sharedQuiz(t, reg, panelPlan)
	at := slices.IndexFunc(clean.Probes, func(p schemas.Probe) bool { return p.Gate == "alone" && p.Mark == schemas.MarkRight })
	gone := clean.Probes[at]
	for name, change := range map[string]func(*release.Contents){
		"one is gone": func(c *release.Contents) { c.Probes = slices.Delete(slices.Clone(c.Probes), at, at+1) },
		"one is gone and the verdict says so": func(c *release.Contents) {
			i := slices.IndexFunc(clean.Verdicts, func(v schemas.Verdict) bool { return v.Gate == "alone" && v.Outcome == schemas.Fail })
			v := clean.Verdicts[i]
			j := slices.IndexFunc(clean.Probes, func(p schemas.Probe) bool { return p.Gate == v.Gate && p.Item == v.Item })
			c.Probes = slices.Delete(slices.Clone(c.Probes), j, j+1)
			c.Verdicts = slices.Clone(c.Verdicts)
			c.Verdicts[i].CallsMade--
		},
		"all are gone": func(c *release.Contents) {
			c.Probes = slices.DeleteFunc(slices.Clone(c.Probes), func(p schemas.Probe) bool { return p.Item == gone.Item && p.Gate == gone.Gate })
			i := slices.IndexFunc(c.Verdicts, func(v schemas.Verdict) bool { return v.Gate == gone.Gate && v.Item == gone.Item })
			c.Verdicts = slices.Clone(c.Verdicts)
			c.Verdicts[i].CallsMade, c.Verdicts[i].CallsFull = 0, 0
		},
		"one is there twice": func(c *release.Contents) { c.Probes = append(slices.Clone(c.Probes), gone) },
		"the gold is another": func(c *release.Contents) {
			c.Questions, c.Flagged = slices.Clone(c.Questions), slices.Clone(c.Flagged)
			for i := range c.Questions {
				if c.Questions[i].QuestionID == gone.Item {
					c.Questions[i].AnswerKey = otherKey(c.Questions[i].AnswerKey)
				}
			}
			for i := range c.Flagged {
				if c.Flagged[i].Question.QuestionID == gone.Item {
					c.Flagged[i].Question.AnswerKey = otherKey(c.Flagged[i].Question.AnswerKey)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := clean
			change(&c)
			c.Manifest.Gates = remade(t, c)
			if r := mustAudit(t, reg, c); r.State() != audit.Differs || !strings.Contains(found(r), "alone: ") {
				t.Errorf("%s\n%s", r.State(), found(r))
			}
		})
	}
}
