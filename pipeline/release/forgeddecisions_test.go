package release_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
)

// decidedPlan has people decide about the questions of the dialogue that is documented.
const decidedPlan = `version: 1
seed: 3
release: {name: decided, reviewed: %t, from: [chain, settle]}
sources:
  talks: {use: dialogs, max_loss: 0.5, with: {path: %s, family: dialogs, license: CC0-1.0}}
  decisions: {use: reviews, with: {license: CC0-1.0}}
stages:
  options: {use: choices, from: [talks], max_loss: 0.9, with: {options: 4, open: false}}
  settle: {use: review.settle, from: [alone, decisions], with: {by: [type], share: 1, annotators: 2, undecided: %s}}
gates:
  chain: {use: update-chain, from: [talks]}
  alone: {use: option-only, from: [options]}
`

// decided builds it: of the questions ids the first is rejected, the second relabelled,
// all others accepted, by two people.
func decided(t *testing.T, reg *pipeline.Registry, marked bool, ids []string) string {
	t.Helper()
	talks, err := filepath.Abs(filepath.Join("..", "..", "docs", "examples", "dialogs"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var lines strings.Builder
	for i, id := range ids {
		said := `"decision":"accept"`
		if i < 2 {
			said = []string{`"decision":"reject"`, `"decision":"relabel","label":"reasoning=Y2"`}[i]
		}
		for _, who := range []string{"ann", "bob"} {
			fmt.Fprintf(&lines, `{"item":%q,"annotator":%q,"draw":"review",%s}`+"\n", id, who, said)
		}
	}
	plan := fmt.Sprintf(decidedPlan, marked, talks, map[bool]string{true: "refuse", false: "keep"}[marked])
	plan += testkit.NewModelServer(t, judgeDialogs).YAML("", "judge", "panel_a", "panel_b")
	for name, text := range map[string]string{"pipeline.yaml": plan, "reviews/all.jsonl": lines.String()} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := config.Load(filepath.Join(dir, "pipeline.yaml"), reg, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := assemble.Build(t.Context(), reg, cfg, assemble.Options{Getenv: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	return res.Release.Dir
}

// TestForgedDecisions: what people decided is followed again, in a release that is
// marked reviewed and in one that is not.
func TestForgedDecisions(t *testing.T) {
	t.Parallel()
	reg := plugins.Registry()
	c, err := release.Read(t.Context(), decided(t, reg, false, nil))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, q := range c.Questions {
		ids = append(ids, q.QuestionID)
	}
	if len(ids) < 4 {
		t.Fatalf("questions %q", ids)
	}
	for _, marked := range testsize.Choose([]bool{true}, []bool{true, false}) {
		t.Run(fmt.Sprint("marked ", marked), func(t *testing.T) {
			checkForgeries(t, reg, decided(t, reg, marked, ids), decisionForgeries(ids, marked))
		})
	}
}

func decisionForgeries(ids []string, marked bool) map[string]forgery {
	out, relabelled, kept := ids[0], ids[1], ids[2]
	set := func(id, column, value string) func(*release.Forgery) error {
		return func(f *release.Forgery) error { return f.Set("reviews", column, value, id) }
	}
	unreject := func(f *release.Forgery) {
		f.Drop("rejections", out)
		f.Node("settle").Flagged, f.Node("settle").Lost = 0, 0
		f.Node("settle").Out++
	}
	one := audit.Differs // where a mark says how many had to decide
	if !marked {
		one = audit.Same
	}
	return map[string]forgery{
		"rejections become accepts": {set(out, "decision", "accept"), audit.Differs},
		"accepts become rejections": {set(kept, "decision", "reject"), audit.Differs},
		"a decision is gone": {func(f *release.Forgery) error {
			f.Drop("reviews", kept, "review", "bob")
			return nil
		}, one},
		"all decisions are gone": {func(f *release.Forgery) error {
			f.Drop("reviews")
			return nil
		}, audit.Differs},
		"a decision that is none": {set(kept, "decision", "shrug"), audit.Differs},
		"another label":           {set(relabelled, "label", "reasoning=Y1"), audit.Differs},
		"the label is undone": {func(f *release.Forgery) error {
			f.Question(relabelled, func(q *schemas.Question) { delete(q.Labels, "reasoning") })
			return nil
		}, audit.Differs},
		"the relabelled question has other gold": {func(f *release.Forgery) error {
			f.Question(relabelled, release.OtherGold)
			return nil
		}, audit.Differs},
		"the rejection is gone": {func(f *release.Forgery) error {
			unreject(f)
			return nil
		}, audit.Differs},
		"a rejected question is released": {func(f *release.Forgery) error {
			f.Unflag(out)
			return nil
		}, audit.Differs},
		"it is released, and nothing says that it was not": {func(f *release.Forgery) error {
			f.Unflag(out)
			f.Drop("flagged", out)
			unreject(f)
			return nil
		}, one},
		"it settles past the gate": {func(f *release.Forgery) error {
			f.Node("settle").From = []string{"options", "decisions"}
			return nil
		}, audit.Unjudged},
		"another plugin settles": {func(f *release.Forgery) error {
			f.Node("settle").Use = "choices"
			return nil
		}, audit.Differs},
		"no table says what was drawn from": {func(f *release.Forgery) error {
			f.Drop("draws")
			f.Manifest.Reviewed = nil
			f.Manifest.Tables = slices.DeleteFunc(f.Manifest.Tables, func(t manifest.TableInfo) bool { return t.Name == "draws" })
			return nil
		}, audit.Errored},
	}
}
