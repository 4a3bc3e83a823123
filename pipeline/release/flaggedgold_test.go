package release_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/release"
)

// TestGoldOfQuestionsTakenOut: a table of a family has rows of released questions alone.
// Those that were taken out, by a gate or for there were too many, are worked out without.
func TestGoldOfQuestionsTakenOut(t *testing.T) {
	t.Parallel()
	reg := plugins.Registry()
	few := func(plan, by, kind string) string {
		stage := "stages:\n  few: {use: quota, from: [options], with: {by: [" + by + "], together: \"\", counts: [{of: [" + kind + "], count: 2}]}}\n"
		return strings.NewReplacer("stages:\n", stage, "from: [options, talks", "from: [few, talks").Replace(plan)
	}
	for family, plan := range map[string]string{
		"crosssource": few(sourcesPlan, "task", "multi_hop"), "lifelong": few(lifelongPlan, "type", "lifelong_fr"),
	} {
		c, err := release.Read(t.Context(), builtFrom(t, reg, plan))
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Flagged) == 0 || len(c.Questions) == 0 {
			t.Fatalf("%s: %d questions were released and %d taken out; want some of each", family, len(c.Questions), len(c.Flagged))
		}
		items, err := audit.IndexItems(reg, c)
		if err != nil {
			t.Fatal(err)
		}
		gold, parts := audit.DeriveGold(reg, c, items)
		if err := items.Close(); err != nil {
			t.Error(err)
		}
		if n := len(c.Flagged) + len(c.Questions); gold[0].Derived != n {
			t.Errorf("%s: %d of %d questions are worked out", family, gold[0].Derived, n)
		}
		for _, p := range parts {
			if p.State != audit.Same {
				t.Errorf("%s: %s: %s, %q", family, p.Name, p.State, p.Differences)
			}
		}
	}
}
