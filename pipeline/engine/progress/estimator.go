package progress

import (
	"slices"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// Expected is what a forecast says of a step.
type Expected struct {
	// In is how many records the step reads, Seconds the time all of them take one
	// worker.
	In, Seconds float64
}

// Expectation is what is known of a build before it runs.
type Expectation struct {
	Steps map[string]Expected
	// After is the time that writing the release takes, in seconds.
	After float64
	// Limits is how many tasks run at once, by resource.
	Limits map[pipeline.Resource]int
}

// estimator measures how long the tasks of each step take and works out when all
// is done: by the work left at each step, since units of one step may take a
// thousand times as long as those of another.
type estimator struct {
	expect Expectation
	last   time.Duration
	busy   map[string]float64 // seconds that tasks of a step were at work
}

func newEstimator() *estimator { return &estimator{busy: map[string]float64{}} }

// observe books the time since the last call to the steps at work.
func (c *estimator) observe(counts []engine.Count, elapsed time.Duration) {
	since := (elapsed - c.last).Seconds()
	c.last = elapsed
	for _, n := range counts {
		c.busy[n.Step] += float64(n.Running) * since
	}
}

// work is what is left at one step.
type work struct {
	engine.Count
	seconds float64 // of one worker
	tasks   float64 // at most at once
	ready   bool    // as far as steps before it are concerned
}

// prior returns what a unit of a step is expected to take, and how many units there
// are to be.
func (c *estimator) prior(n engine.Count) (each, units float64) {
	e := c.expect.Steps[n.Step]
	if n.Whole {
		return e.Seconds, 1
	}
	units = float64(n.Known)
	if !n.Closed {
		units = max(units, e.In)
	}
	if e.In > 0 {
		each = e.Seconds / e.In
	}
	return each, units
}

// expectedShare of all work is what the expectation itself counts for in the pace: the
// first units of a build warm up, and say little of the rest.
const expectedShare = 0.1

// pace returns how much longer than expected the work takes, by what is done so far.
func (c *estimator) pace(counts []engine.Count) float64 {
	all, expected, took := 0.0, 0.0, 0.0
	for _, n := range counts {
		each, units := c.prior(n)
		if each <= 0 {
			continue
		}
		all += each * units
		expected += each * float64(n.Summary.Units-n.Summary.Reused)
		if n.Summary.Units > 0 {
			took += c.busy[n.Step]
		}
	}
	if expected <= 0 || took <= 0 {
		return 1
	}
	return (took + expectedShare*all) / (expected + expectedShare*all)
}

// remainingWork lists the work that is left, in the order of steps.
func (c *estimator) remainingWork(counts []engine.Count) []work {
	pace := c.pace(counts)
	out := make([]work, len(counts))
	for i, n := range counts {
		out[i].Count = n
		if n.Complete {
			continue
		}
		each, units := c.prior(n)
		each *= pace
		computed := float64(n.Summary.Units - n.Summary.Reused)
		if computed > 0 {
			each = (each + c.busy[n.Step]) / (computed + 1) // the expectation counts as one unit
			if c.expect.Steps[n.Step].Seconds == 0 {
				each = c.busy[n.Step] / computed
			}
		}
		if running := float64(n.Running); running > 0 && n.Resource != pipeline.CPU {
			// What is at work has taken its time already, also where nothing ends,
			// as with a server that does not answer. CPU-bound tasks are of many units.
			each = max(each, c.busy[n.Step]/(computed+running))
		}
		rest := max(units-float64(n.Summary.Units), 0)
		out[i].seconds, out[i].tasks = rest*each, max(rest, 1)
		if n.Whole {
			out[i].seconds = max(each-c.busy[n.Step], max(each, c.busy[n.Step])/10)
		}
	}
	return out
}

// remaining plays the work that is left through: each resource works on what is
// ready, steps further downstream first, as the executor does.
func (c *estimator) remaining(counts []engine.Count) time.Duration {
	all := c.remainingWork(counts)
	known, total := false, 0.0
	for _, w := range all {
		known = known || w.seconds > 0
	}
	if !known && c.expect.After == 0 {
		return 0
	}
	for range 2 * len(all) {
		step := c.step(all)
		if step == 0 {
			break
		}
		total += step
	}
	total += c.expect.After * c.pace(counts)
	return time.Duration(total * float64(time.Second)).Round(time.Second)
}

// step works until a step is done and says how long that took; 0 when nothing is
// left to do.
func (c *estimator) step(all []work) (least float64) {
	done := map[string]bool{}
	flows := map[string]bool{} // what gives records while it works
	for i := range all {
		w := &all[i]
		w.ready = !slices.ContainsFunc(w.From, func(up string) bool { return !done[up] })
		done[w.Step] = w.seconds <= 0 && w.ready
		w.ready = w.ready || !w.Whole && slices.ContainsFunc(w.From, func(up string) bool { return flows[up] })
		flows[w.Step] = w.ready && !w.Whole
	}
	share := map[int]float64{}
	used := map[pipeline.Resource]float64{}
	for i := len(all) - 1; i >= 0; i-- {
		w := all[i]
		if w.seconds <= 0 || !w.ready {
			continue
		}
		workers := float64(max(1, c.expect.Limits[w.Resource])) - used[w.Resource]
		if workers = min(workers, w.tasks); workers <= 0 {
			continue
		}
		share[i], used[w.Resource] = workers, used[w.Resource]+workers
		if t := w.seconds / workers; least == 0 || t < least {
			least = t
		}
	}
	for i, workers := range share {
		if all[i].seconds -= least * workers; all[i].seconds < 1e-9 {
			all[i].seconds = 0
		}
	}
	return least
}
