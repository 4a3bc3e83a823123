package local

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestGrowthFollowsTheLiveHeap(t *testing.T) {
	for _, tc := range []struct {
		live uint64
		want int
	}{{0, mostGrowth}, {1 << 20, mostGrowth}, {smallHeap / 2, 100}, {smallHeap / 5 * 4, leastGrowth}, {smallHeap, leastGrowth}, {1 << 40, leastGrowth}} {
		if got := gcPercent(tc.live); got != tc.want {
			t.Errorf("with %d live bytes the heap may grow by %d %%, want %d %%", tc.live, got, tc.want)
		}
	}
}

func TestCollectorLeavesTheGrowthAsItWas(t *testing.T) {
	const mine = 77
	defer debug.SetGCPercent(debug.SetGCPercent(mine))
	c := startGCTuner()
	c.adjust()
	if c.now < leastGrowth || c.now > mostGrowth {
		t.Errorf("a run may grow by %d %%", c.now)
	}
	c.stop()
	if got := debug.SetGCPercent(mine); got != mine {
		t.Errorf("after a run the growth is %d %%, before it was %d %%", got, mine)
	}
}

// TestCollectorCountsWhatIsThere: the goal of the first collection of a run is a
// multiple of what an earlier one of the same process left.
func TestCollectorCountsWhatIsThere(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	held := make([]byte, smallHeap/2)
	runtime.GC()
	c := startGCTuner()
	defer c.stop()
	if most := gcPercent(uint64(len(held))); c.now > most {
		t.Errorf("beside %d live bytes the heap may grow by %d %%, want at most %d %%", len(held), c.now, most)
	}
	runtime.KeepAlive(held)
}
