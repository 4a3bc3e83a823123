package progress

import (
	"slices"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/engine"
)

// TestCountsAddUp: the rate counts what was computed; reused units took no time.
func TestCountsAddUp(t *testing.T) {
	counts := []engine.Count{
		{Step: "a", Known: 10, Complete: true, Summary: engine.Summary{Units: 10, Reused: 4, Lost: 1}},
		{Step: "b", Known: 8, Summary: engine.Summary{Units: 3, Lost: 2}},
		{Step: "c", Known: 0, Summary: engine.Summary{}},
		{Step: "d", Known: 5, Summary: engine.Summary{}},
		{Step: "e", Known: 1, Summary: engine.Summary{Units: 2}},
		{Step: "f", Known: 70, Whole: true, Summary: engine.Summary{}},
		{Step: "g", Known: 70, Whole: true, Complete: true, Summary: engine.Summary{Units: 1}},
	}
	got := Sum(counts, 2*time.Second)
	// 10+3+2+1 are done, 10+8+5+2+1+1 known, as 70 records for one unit are one unit; 16-4 in
	// 2 s are 6 a second.
	if got.Done != 16 || got.Known != 27 || got.Reused != 4 || got.Lost != 3 || got.Rate != 6 || !slices.Equal(got.Active, []string{"b", "d", "e", "f"}) {
		t.Errorf("%+v", got)
	}
	if got := Sum(counts, time.Nanosecond); got.Rate != 12e9 {
		t.Errorf("12 units in a nanosecond are %g a second", got.Rate)
	}
	if got := Sum(counts, 0); got.Rate != 0 {
		t.Errorf("no time has passed, and the rate is %g", got.Rate)
	}
}
