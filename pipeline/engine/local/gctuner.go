package local

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// gcTuner sets how much a run lets the heap grow between two collections of
// garbage. Most of what a large run holds is an index of every record, which
// lives to the end of its steps, and the usual growth of 100 % would double it
// for nothing. A small run would collect all the time at leastGrowth, so its
// heap may grow to smallHeap first.
type gcTuner struct {
	mu          sync.Mutex
	before, now int // percent
	live        []metrics.Sample
	stopped     bool
}

const (
	leastGrowth = 40        // percent
	smallHeap   = 128 << 20 // bytes
	// mostGrowth is that of the smallest heap. The runtime never collects below a
	// share of it, 4 MB at 100 %: this is smallHeap.
	mostGrowth = smallHeap / (4 << 20) * 100
)

func startGCTuner() *gcTuner {
	c := &gcTuner{live: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}}
	// A process may have run before: what that left counts, or the goal would be a
	// multiple of it.
	metrics.Read(c.live)
	c.now = gcPercent(c.live[0].Value.Uint64())
	c.before = debug.SetGCPercent(c.now)
	c.watch()
	return c
}

// watch has the growth follow each collection: one that frees what watch left.
func (c *gcTuner) watch() {
	left := new([16]byte)
	runtime.AddCleanup(left, func(c *gcTuner) {
		if c.adjust() {
			c.watch()
		}
	}, c)
}

// adjust follows what was alive at the last collection. It reports false when the
// run is over.
func (c *gcTuner) adjust() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return false
	}
	metrics.Read(c.live)
	want := gcPercent(c.live[0].Value.Uint64())
	// Setting it stops the world for a moment.
	if off := want - c.now; off < -5 || off > 5 || want == leastGrowth && off != 0 {
		debug.SetGCPercent(want)
		c.now = want
	}
	return true
}

// gcPercent in percent for so many live bytes.
func gcPercent(live uint64) int {
	switch {
	case live >= smallHeap:
		return leastGrowth
	case live == 0:
		return mostGrowth
	}
	return int(min(max(100*(smallHeap-live)/live, leastGrowth), mostGrowth))
}

// stop leaves the growth as it was.
func (c *gcTuner) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	debug.SetGCPercent(c.before)
}
