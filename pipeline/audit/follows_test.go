package audit_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/audit"
)

// TestTextsFollowWhatTheyAreMadeOf: where the manifest says something untrue the
// card repeats it, and that is no second cause. A card of its own words is one.
func TestTextsFollowWhatTheyAreMadeOf(t *testing.T) {
	t.Parallel()
	reg := registry(t)
	c := sharedQuiz(t, reg, smallPlan)
	own := c
	own.Manifest.Gates = slices.Clone(c.Manifest.Gates)
	own.Manifest.Gates[0].Summary = "a person answered it"
	causes := func(r audit.Report) (names, follow []string) {
		for _, p := range r.Parts {
			switch {
			case r.FollowsFromOthers(p):
				follow = append(follow, p.Name)
			case p.State == audit.Differs:
				names = append(names, p.Name)
			}
		}
		return names, follow
	}
	if names, follow := causes(mustAudit(t, reg, own)); len(names) != 1 || slices.Contains(names, "README.md") || !slices.Contains(follow, "README.md") {
		t.Errorf("causes %q, with %q", names, follow)
	}
	card := filepath.Join(c.Dir, "README.md")
	text, err := os.ReadFile(card)
	if err != nil {
		t.Fatal(err)
	}
	forge(t, c, "README.md", append(text, "Checked by a person.\n"...))
	if names, follow := causes(mustAudit(t, reg, mustRead(t, c.Dir))); !slices.Contains(names, "README.md") || len(follow) > 0 {
		t.Errorf("causes %q, with %q", names, follow)
	}
}
