package describe

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/manifest"
)

// TestWhatASolverIsShown: the media of a question are shown where no sessions hold
// them; beside sessions they would be what a solver has to find.
func TestWhatASolverIsShown(t *testing.T) {
	for _, c := range []struct {
		counts     map[string]int64
		tables     []string
		with, sans string
	}{
		{map[string]int64{"media": 2}, []string{"media"}, "The files of its `media`, in that order.", "attachments"},
		{map[string]int64{"turns": 2}, []string{"sessions", "turns"}, "files that the `attachments` of the turns name", "question_media"},
		{map[string]int64{"media": 1, "turns": 1, "checkpoints": 1}, []string{"media", "sessions", "turns"}, "Beside sessions `media` are the pictures that answer it: do not show them.", "scenario"},
		{map[string]int64{}, []string{"tasks"}, "`scenario`", "media"},
	} {
		var rel Release
		for name, n := range c.counts {
			rel.Manifest.Tables = append(rel.Manifest.Tables, manifest.TableInfo{Name: name, Rows: n})
		}
		tables, rules := rel.shownToSolver()
		words := strings.Join(rules, "\n")
		for _, rule := range rules {
			if len(strings.Fields(rule)) > 30 {
				t.Errorf("a rule of %d words: %s", len(strings.Fields(rule)), rule)
			}
		}
		if !slices.Equal(tables, c.tables) || !strings.Contains(words, c.with) || strings.Contains(words, c.sans) {
			t.Errorf("with %v: %v, %q", c.counts, tables, words)
		}
		if strings.Contains(words, "only those that its row in `checkpoints` lists") != (c.counts["checkpoints"] > 0) {
			t.Errorf("with %v, of checkpoints: %q", c.counts, words)
		}
	}
}
