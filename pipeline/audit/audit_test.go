package audit_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/gates"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
	video "github.com/memforge/memforge/stages/video/videogates"
)

func TestFreshReleaseIsClean(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	c := sharedQuiz(t, reg, quizPlan)
	outcomes := map[string]map[string]int{}
	for _, v := range c.Verdicts {
		if outcomes[v.Gate] == nil {
			outcomes[v.Gate] = map[string]int{}
		}
		outcomes[v.Gate][v.Outcome]++
	}
	for _, gate := range []string{"roles", "mirrors", "positions", "balance", "shortcuts"} {
		if outcomes[gate][schemas.Pass] == 0 || outcomes[gate][schemas.Fail] == 0 {
			t.Errorf("gate %s: %v; want some that pass and some that fail", gate, outcomes[gate])
		}
	}
	if len(c.Flagged) < 10 {
		t.Errorf("%d flagged questions", len(c.Flagged))
	}
	r := mustAudit(t, reg, c)
	if r.State() != audit.Same || found(r) != "" {
		t.Errorf("state %s:\n%s", r.State(), found(r))
	}
	states := map[audit.State]int{}
	for _, g := range r.Gates {
		states[g.State]++
	}
	if states[audit.Same] != 6 || len(states) != 1 {
		t.Errorf("states %v", states)
	}
}

// TestEveryFieldOfAVerdictIsHeldAgainstTheItems changes verdicts, and the
// manifest's figures with them: what a forger could make anew is made anew.
func TestEveryFieldOfAVerdictIsHeldAgainstTheItems(t *testing.T) {
	if testing.Short() {
		t.Skip("audits a release for each of many forgeries; run without -short")
	}
	t.Parallel()
	reg := registry(t)
	clean := sharedQuiz(t, reg, quizPlan)
	changes := map[string]func(*schemas.Verdict){
		"outcome": func(v *schemas.Verdict) {
			v.Outcome = map[string]string{"pass": "fail", "fail": "pass", "insufficient": "not_applicable", "not_applicable": "insufficient"}[v.Outcome]
		},
		"reason":     func(v *schemas.Verdict) { v.Reason += "!" },
		"calls_made": func(v *schemas.Verdict) { v.CallsMade++ },
		"calls_full": func(v *schemas.Verdict) { v.CallsFull++ },
	}
	for field, change := range changes {
		t.Run(field, func(t *testing.T) {
			c := clean
			c.Verdicts = slices.Clone(clean.Verdicts)
			var want []string
			seen := map[string]bool{}
			for i, v := range clean.Verdicts {
				if v.Gate == "tasks" || seen[v.Gate+v.Outcome] {
					continue
				}
				seen[v.Gate+v.Outcome] = true
				change(&c.Verdicts[i])
				want = append(want, v.Gate+": "+v.Item+": "+field)
			}
			if len(want) < 12 {
				t.Errorf("only %d verdicts were changed", len(want))
			}
			c.Manifest.Gates = remade(t, c)
			r := mustAudit(t, reg, c)
			all := found(r)
			for _, w := range want {
				if r.State() != audit.Differs || !strings.Contains(all, w) {
					t.Errorf("%s is not found:\n%s", w, all)
				}
			}
		})
	}
}

// remade sums up the gates anew.
func remade(t *testing.T, c release.Contents) []manifest.GateInfo {
	t.Helper()
	totals, err := release.SumGates(c.Verdicts, c.Probes)
	if err != nil {
		t.Fatal(err)
	}
	out := slices.Clone(c.Manifest.Gates)
	for i := range out {
		out[i].GateTotals = totals[out[i].Name]
	}
	return out
}

// TestForgeriesAreFound tries what else could be made to look better.
func TestForgeriesAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("audits a release for each of many forgeries; run without -short")
	}
	t.Parallel()
	reg := registry(t)
	clean := sharedQuiz(t, reg, quizPlan)
	flagged := clean.Flagged[0].Question
	for name, tc := range map[string]struct {
		forge func(*release.Contents)
		want  string
	}{
		"a flagged question is released": {func(c *release.Contents) {
			c.Questions = append(slices.Clone(c.Questions), flagged)
			c.Flagged = c.Flagged[1:]
		}, flagged.QuestionID + ": it is released and no gate let it out"},
		"a question is held back": {func(c *release.Contents) {
			c.Flagged = append(slices.Clone(c.Flagged), schemas.FlaggedQuestion{Question: c.Questions[0], JudgedBy: []string{"balance", "mirrors", "positions", "roles", "shortcuts"}})
			c.Questions = c.Questions[1:]
		}, "the last gate let it out and it is not released"},
		"an option is reworded": {func(c *release.Contents) {
			c.Questions = slices.Clone(c.Questions)
			q := &c.Questions[len(c.Questions)-1]
			q.Options = slices.Clone(q.Options)
			q.Options[3].Role = schemas.RoleCorrect
			q.Options[3].Text, q.AnswerText = "a thing that no other option is, and long", "another"
			for i := range c.Questions[:60] {
				c.Questions[i].AnswerKey = "A"
			}
		}, "follows"},
		"a verdict is gone": {func(c *release.Contents) {
			i := slices.IndexFunc(c.Verdicts, func(v schemas.Verdict) bool { return v.Gate == "roles" && v.Outcome == schemas.Fail })
			c.Verdicts = slices.Delete(slices.Clone(c.Verdicts), i, i+1)
		}, "roles: flagged"},
		"a rejection is gone": {func(c *release.Contents) { c.Rejections = c.Rejections[1:] }, "rejected as"},
		"a rejection says more than its verdict": {func(c *release.Contents) {
			c.Rejections = slices.Clone(c.Rejections)
			i := slices.IndexFunc(c.Rejections, func(r schemas.Rejection) bool { return r.Stage == "roles" })
			c.Rejections[i].Reason = "as everybody knows, " + c.Rejections[i].Reason
		}, "is rejected because \"as everybody knows, "},
		"the funnel is friendlier": {func(c *release.Contents) {
			c.Manifest.RecordCounts = slices.Clone(c.Manifest.RecordCounts)
			for i := range c.Manifest.RecordCounts {
				c.Manifest.RecordCounts[i].Flagged = 0
			}
		}, "lost and flagged"},
		"a gate flagged less": {func(c *release.Contents) {
			c.Manifest.GateCounts = slices.Clone(c.Manifest.GateCounts)
			for i := range c.Manifest.GateCounts {
				c.Manifest.GateCounts[i].Flagged = 0
			}
		}, "roles: flagged: 0 stated, 1 follow"},
		"another model is named": {func(c *release.Contents) {
			c.Manifest.Models = []manifest.StepModels{{Step: "roles", Models: []manifest.ModelUse{{Role: "judge", Model: "big"}}}}
		}, "roles: asked are"},
		"a model of a gate that asks nobody": {func(c *release.Contents) {
			c.Manifest.Models = []manifest.StepModels{{Step: "roles", Kind: "gate", Use: "interference-roles", Models: []manifest.ModelUse{{Role: "judge", Model: "big"}}}}
		}, "roles: models says who answered it, and the gate interference-roles asks no model"},
		"a gate is not told of": {func(c *release.Contents) { c.Manifest.Gates = c.Manifest.Gates[1:] }, "the manifest says nothing of it"},
		"a source gave more": {func(c *release.Contents) {
			c.Sources = slices.Clone(c.Sources)
			c.Sources[0].Records++
		}, "source quiz: records"},
		"another seed": {func(c *release.Contents) { c.Manifest.Seed++ }, ""},
		"other configuration": {func(c *release.Contents) {
			c.Manifest.Gates = slices.Clone(c.Manifest.Gates)
			for i := range c.Manifest.Gates {
				if c.Manifest.Gates[i].Name == "shortcuts" {
					c.Manifest.Gates[i].Config = pipeline.RawConfig(`{"alpha":1e-30}`)
				}
			}
		}, "shortcuts: q-"},
	} {
		t.Run(name, func(t *testing.T) {
			c := clean
			tc.forge(&c)
			if len(c.Manifest.Gates) == len(clean.Manifest.Gates) {
				c.Manifest.Gates = remade(t, c)
			}
			r := mustAudit(t, reg, c)
			if r.State() != audit.Differs || !strings.Contains(found(r), tc.want) {
				t.Errorf("state %s, want %q in\n%s", r.State(), tc.want, found(r))
			}
		})
	}
}

// TestWhatAGateIsSaidToPassIsThePlugins: the card repeats it.
func TestWhatAGateIsSaidToPassIsThePlugins(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	c := sharedQuiz(t, reg, smallPlan)
	if card, err := os.ReadFile(filepath.Join(c.Dir, "README.md")); err != nil || !strings.Contains(string(card), "| one correct option, two intrusions, one unrelated (M3Eval 3.1.2) |") {
		t.Errorf("%v: the card does not say what interference-roles passes", err)
	}
	c.Manifest.Gates = slices.Clone(c.Manifest.Gates)
	c.Manifest.Gates[0].Summary = "a person answered it"
	if r := mustAudit(t, reg, c); r.State() != audit.Differs || !strings.Contains(found(r), `it is said to pass when "a person answered it"`) {
		t.Errorf("%s:\n%s", r.State(), found(r))
	}
}

// TestOtherProgramsGatesAreErrors: what this program does not know is neither
// clean nor wrong.
func TestOtherProgramsGatesAreErrors(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	clean := sharedQuiz(t, reg, quizPlan)
	for name, change := range map[string]func(*manifest.GateInfo){
		"version":       func(g *manifest.GateInfo) { g.Version = "0" },
		"configuration": func(g *manifest.GateInfo) { g.Config = pipeline.RawConfig(`{"what":1}`) },
		"no JSON":       func(g *manifest.GateInfo) { g.Config = pipeline.RawConfig(`{`) },
	} {
		t.Run(name, func(t *testing.T) {
			c := clean
			c.Manifest.Gates = slices.Clone(clean.Manifest.Gates)
			change(&c.Manifest.Gates[0])
			r := mustAudit(t, reg, c)
			if r.State() != audit.Errored || r.Gates[0].State != audit.Errored || r.Gates[0].Why == "" {
				t.Errorf("%s: %+v\n%s", r.State(), r.Gates[0], found(r))
			}
		})
	}
}

// TestForeignPluginsAreNoFault: whoever audits need not have the plugins of a
// build. A gate of theirs cannot be worked out, a source or stage is counted.
func TestForeignPluginsAreNoFault(t *testing.T) {
	t.Parallel()
	c := sharedQuiz(t, registry(t), quizPlan)
	bare := pipeline.NewRegistry()
	gates.Register(bare)
	video.Register(bare)
	r := mustAudit(t, bare, c)
	if r.State() != audit.Errored || found(r) != "" {
		t.Errorf("%s\n%s", r.State(), found(r))
	}
	for _, g := range r.Gates {
		if foreign := g.Use == "test.tasks"; foreign != (g.State == audit.Errored) || foreign && g.Why == "" {
			t.Errorf("%+v", g)
		}
	}
	at := slices.IndexFunc(r.Parts, func(p audit.Part) bool { return p.Name == "steps in the manifest" })
	if p := r.Parts[at]; p.State != audit.Same || p.Unchecked != 2 || p.Checked != len(c.Manifest.RecordCounts)-2 || !strings.HasSuffix(p.Why, ": test.quiz of step quiz, test.tasks of step tasks") {
		t.Errorf("%+v", p)
	}
}

func TestReportIsDeterministicJSON(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	c := sharedQuiz(t, reg, quizPlan)
	c.Manifest.Seed++
	first, err := json.Marshal(mustAudit(t, reg, c))
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := json.Marshal(mustAudit(t, reg, c)); string(again) != string(first) {
		t.Errorf("two audits differ:\n%s\n%s", first, again)
	}
	if strings.Contains(string(first), "null") && !strings.Contains(string(first), `"alpha":null`) {
		t.Errorf("a list is null: %s", first)
	}
}

// TestGatesSeeTheFormTheyJudged: a question that was changed between two gates
// is judged by each as it was then.
func TestGatesSeeTheFormTheyJudged(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	c := buildQuiz(t, reg, `version: 1
seed: 7
release: {name: quiz, title: A quiz, from: [after]}
sources:
  quiz: {use: test.quiz}
stages:
  mend: {use: test.mend, from: [before]}
gates:
  before: {use: option-roles, from: [quiz], on_fail: keep}
  after: {use: option-roles, from: [mend], on_fail: keep}
`)
	var forms []schemas.FlaggedQuestion
	for _, f := range c.Flagged {
		if f.Question.QuestionID == "q-008" {
			forms = append(forms, f)
		}
	}
	if len(forms) != 1 || !slices.Equal(forms[0].JudgedBy, []string{"before"}) || forms[0].Version != 0 {
		t.Fatalf("forms of the question that was mended: %+v", forms)
	}
	outcomes := map[string]string{}
	for _, v := range c.Verdicts {
		if v.Item == "q-008" {
			outcomes[v.Gate] = v.Outcome
		}
	}
	if outcomes["before"] != schemas.Fail || outcomes["after"] != schemas.Pass {
		t.Errorf("outcomes %v", outcomes)
	}
	if r := mustAudit(t, reg, c); r.State() != audit.Same {
		t.Errorf("%s\n%s", r.State(), found(r))
	}
	c.Flagged = slices.Clone(c.Flagged)
	for i := range c.Flagged {
		if c.Flagged[i].Question.QuestionID == "q-008" {
			c.Flagged[i].JudgedBy = []string{"after"}
		}
	}
	if r := mustAudit(t, reg, c); !strings.Contains(found(r), "before: q-008: outcome") || !strings.Contains(found(r), "after: q-008: outcome") {
		t.Errorf("the forms are exchanged:\n%s", found(r))
	}
}
