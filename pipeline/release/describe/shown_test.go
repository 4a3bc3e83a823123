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
		{map[string]int64{"media": 2}, []string{"media"}, "the files of `media` in that order", "attachments"},
		{map[string]int64{"turns": 2}, []string{"sessions", "turns"}, "files that the `attachments` of the turns name", "question_media"},
		{map[string]int64{"media": 1, "turns": 1, "checkpoints": 1}, []string{"media", "sessions", "turns"}, "(not `media`, which are then the pictures that answer it)", "scenario"},
		{map[string]int64{}, []string{"tasks"}, "`scenario`", "media"},
	} {
		var rel Release
		for name, n := range c.counts {
			rel.Manifest.Tables = append(rel.Manifest.Tables, manifest.TableInfo{Name: name, Rows: n})
		}
		tables, words := rel.shownToSolver()
		if !slices.Equal(tables, c.tables) || !strings.Contains(words, c.with) || strings.Contains(words, c.sans) {
			t.Errorf("with %v: %v, %q", c.counts, tables, words)
		}
		if strings.Contains(words, "no later ones") != (c.counts["checkpoints"] > 0) {
			t.Errorf("with %v, of checkpoints: %q", c.counts, words)
		}
	}
}
