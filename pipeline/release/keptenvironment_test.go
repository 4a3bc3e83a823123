package release_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit/testfiles"
	"github.com/memforge/memforge/schemas"
)

const keptPlan = `version: 1
seed: 3
release: {name: kept, title: Written environments, from: [options, environment, talks, legible, spread]}
sources:
  kept: {use: crosssource.kept, with: {path: %q}}
stages:
  place: {use: crosssource.place, from: [kept]}
  ask: {use: crosssource.ask, from: [kept, spread]}
gates:
  environment: {use: environment-follows, from: [kept]}
  legible: {use: exhibit-legible, from: [kept]}
  talks: {use: update-chain, from: [kept]}
  spread: {use: placement, from: [place], with: {gap: 1}}
  options: {use: option-roles, from: [ask]}
run: {out: out}
`

// TestKeptEnvironmentsAreAudited: gold of written environments is worked out from their plans
// and readings, which the release has; what is changed in a question is found.
func TestKeptEnvironmentsAreAudited(t *testing.T) {
	t.Parallel()
	reg, dir := plugins.Registry(), t.TempDir()
	text, err := os.ReadFile(testfiles.Repo(t, "stages/crosssource/written/testdata/environment.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "one.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := release.Read(t.Context(), builtFrom(t, reg, fmt.Sprintf(keptPlan, dir)))
	if err != nil {
		t.Fatal(err)
	}
	items, err := audit.IndexItems(reg, c)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := items.Close(); err != nil {
			t.Error(err)
		}
	}()
	gold, parts := audit.DeriveGold(reg, c, items)
	if len(c.Questions) != 5 || gold[0].Derived != 5 || slices.ContainsFunc(parts, func(p audit.Part) bool { return p.State != audit.Same }) {
		t.Fatalf("%d questions, gold %+v, parts %+v", len(c.Questions), gold, parts)
	}
	at := func(task string) int {
		return slices.IndexFunc(c.Questions, func(q schemas.Question) bool { return q.Labels["task"] == task })
	}
	for name, forge := range map[string]func([]schemas.Question){
		"another option is right": func(all []schemas.Question) { all[at("multi_hop")].AnswerKey = "A" },
		"another option":          func(all []schemas.Question) { all[at("multi_hop")].Options[0].Text = "Sunday" },
		"another call": func(all []schemas.Question) {
			all[at("function_call")].AnswerCall = `{"arguments":{"dealer":"x","kilos":22},"name":"order_fish"}`
		},
		"more readers":   func(all []schemas.Question) { all[at("multi_hop")].Labels["readings"] = "3 of 3" },
		"another origin": func(all []schemas.Question) { all[at("multi_hop")].Labels["origin"] = "recorded" },
		"other words":    func(all []schemas.Question) { all[at("multi_hop")].Question += " And why?" },
		"another role":   func(all []schemas.Question) { all[at("conflict_resolution")].Evidence[0].Role = schemas.RoleClue },
		"no such fact": func(all []schemas.Question) {
			all[at("multi_hop")].Labels["fact"] = "crosssource.kept/regatta-supper/009"
		},
	} {
		forged := c
		forged.Questions = slices.Clone(c.Questions)
		for i := range forged.Questions {
			q := &forged.Questions[i]
			q.Labels, q.Options, q.Evidence = maps.Clone(q.Labels), slices.Clone(q.Options), slices.Clone(q.Evidence)
		}
		forge(forged.Questions)
		if _, parts := audit.DeriveGold(reg, forged, items); !slices.ContainsFunc(parts, func(p audit.Part) bool { return p.State == audit.Differs }) {
			t.Errorf("%s: nothing differs", name)
		}
	}
}
