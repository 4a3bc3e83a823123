package run

import (
	"runtime/debug"
	"runtime/metrics"
)

// collector sets how much a run lets the heap grow between two collections of
// garbage. Most of what a large run holds is an index of every record, which
// lives to the end of its nodes, and the usual growth of 100 % would double it
// for nothing. A small run would collect all the time at leastGrowth, so its
// heap may grow to smallHeap first.
type collector struct {
	before, now int // percent
	live        []metrics.Sample
}

const (
	leastGrowth, mostGrowth = 40, 300 // percent
	smallHeap               = 128 << 20
)

func newCollector() *collector {
	c := &collector{now: leastGrowth, live: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}}
	c.before = debug.SetGCPercent(c.now)
	return c
}

// adjust follows what was alive at the last collection.
func (c *collector) adjust() {
	metrics.Read(c.live)
	want := growth(c.live[0].Value.Uint64())
	// Setting it stops the world for a moment.
	if off := want - c.now; off < -5 || off > 5 || want == leastGrowth && off != 0 {
		debug.SetGCPercent(want)
		c.now = want
	}
}

// growth in percent for so many live bytes.
func growth(live uint64) int {
	switch {
	case live >= smallHeap:
		return leastGrowth
	case live == 0:
		return mostGrowth
	}
	return int(min(max(100*(smallHeap-live)/live, leastGrowth), mostGrowth))
}

// stop leaves the growth as it was.
func (c *collector) stop() { debug.SetGCPercent(c.before) }
