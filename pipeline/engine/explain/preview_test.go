package explain_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/testkit"
)

// TestPreviewFindsWhatABuildWouldReuse holds the preview against the build that follows.
func TestPreviewFindsWhatABuildWouldReuse(t *testing.T) {
	st := openStore(t)
	c := testkit.NumbersConfig{Count: 100, Changed: -1}
	preview := func(c testkit.NumbersConfig, edit func(*engine.Plan)) string {
		t.Helper()
		plan := testkit.NumbersPlan(c)
		if edit != nil {
			edit(&plan)
		}
		steps, err := plan.Resolve(t.Context(), testkit.NumbersRegistry(&testkit.NumbersHooks{}))
		if err != nil {
			t.Fatal(err)
		}
		seen, err := engine.Preview(t.Context(), st, steps, testkit.NoFetch{})
		if err != nil {
			t.Fatal(err)
		}
		var parts []string
		for _, s := range seen {
			parts = append(parts, fmt.Sprintf("%s %d+%d %t", s.Step, s.Cached, s.ToMake, s.Open))
		}
		return strings.Join(parts, ", ")
	}
	build(t, st, c, nil)
	other := func(p *engine.Plan) { p.Steps[2].Config = pipeline.RawConfig(`{"below":4}`) }
	changed := c
	changed.Changed = 17
	for _, tc := range []struct{ name, got, want string }{
		{"the same", preview(c, nil), "numbers 1+0 false, double 100+0 false, small 100+0 false, sum 1+0 false"},
		{"a gate with another bound", preview(c, other), "numbers 1+0 false, double 100+0 false, small 0+100 false, sum 0+1 false"},
		{"a source that gives something else", preview(changed, nil), "numbers 0+1 false, double 0+0 true, small 0+0 true, sum 0+1 false"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, tc.got, tc.want)
		}
	}
}
