package extraction_test

import (
	"slices"
	"testing"

	"github.com/memforge/memforge/stages/lifelong/author/extraction"
)

// TestEarlierSessionsFit: of the sessions in the window the author is told the last turns
// that fit into so many characters, all that do, and none of which only a part would.
func TestEarlierSessionsFit(t *testing.T) {
	all := talks(t)
	var lines []string
	for _, s := range all[:2] {
		for _, turn := range s.Turns {
			lines = append(lines, turn.Text)
		}
	}
	for chars, want := range map[int]int{0: 0, 2: 0, 3: 1, 46: 1, 47: 2, 129: 3, 130: 4, 134: 4, 135: 5, 100_000: 8} {
		c := give(1)
		c.Window, c.Chars = 2, chars
		got := extracted(t, c, all, func(int, int) any { return extraction.Proposed{Points: []extraction.Point{}} })
		var before []extraction.Passage
		if err := got.asked[2].Data("earlier_sessions", &before); err != nil && want > 0 {
			t.Fatal(err)
		}
		var told []string
		for _, p := range before {
			for _, l := range p.Turns {
				told = append(told, l.Said)
			}
		}
		if !slices.Equal(told, lines[len(lines)-want:]) {
			t.Errorf("of %d characters: %q", chars, told)
		}
	}
}
