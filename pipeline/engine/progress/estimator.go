package progress

import (
	"cmp"
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
	// Processors is what tasks that compute share; 0 where it is not known.
	Processors int
}

// estimator measures how long the tasks of each step take and works out when all
// is done: by the work left at each step, since units of one step may take a
// thousand times as long as those of another.
type estimator struct {
	expect Expectation
	last   time.Duration
	busy   map[string]float64 // seconds of a processor, or of waiting, that tasks of a step took
}

func newEstimator() *estimator { return &estimator{busy: map[string]float64{}} }

// observe books the time since the last call to the steps at work. Of more tasks than
// processors each has a share.
func (c *estimator) observe(counts []engine.Count, elapsed time.Duration) {
	since := (elapsed - c.last).Seconds()
	c.last = elapsed
	computing := 0
	for _, n := range counts {
		if !n.Waits {
			computing += n.Running
		}
	}
	share := c.share(float64(computing))
	for _, n := range counts {
		if n.Waits {
			c.busy[n.Step] += float64(n.Running) * since
		} else {
			c.busy[n.Step] += float64(n.Running) * since * share
		}
	}
}

// share returns what part of a processor each of so many tasks has.
func (c *estimator) share(computing float64) float64 {
	if c.expect.Processors == 0 || computing <= float64(c.expect.Processors) {
		return 1
	}
	return float64(c.expect.Processors) / computing
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
const expectedShare = 0.03

// pace returns how much longer than expected the work takes, by what is done so far: the
// median of the steps, weighted by what they are expected to take. A step of which too little
// was expected, as where a gate reads pictures by rule, says nothing of others.
func (c *estimator) pace(counts []engine.Count) float64 {
	type measured struct{ ratio, expected float64 }
	all, total := 0.0, 0.0
	var steps []measured
	for _, n := range counts {
		each, units := c.prior(n)
		all += each * units
		// What is at work is half done.
		done := each * (float64(n.Summary.Units-n.Summary.Reused) + float64(n.Running)/2)
		if done > 0 && n.Summary.Units > n.Summary.Reused {
			steps, total = append(steps, measured{c.busy[n.Step] / done, done}), total+done
		}
	}
	if all == 0 {
		return 1
	}
	steps, total = append(steps, measured{1, expectedShare * all}), total+expectedShare*all
	slices.SortFunc(steps, func(a, b measured) int { return cmp.Compare(a.ratio, b.ratio) })
	i, below := 0, steps[0].expected
	for below < total/2 {
		i++
		below += steps[i].expected
	}
	return steps[i].ratio
}

// remainingWork lists the work that is left, in the order of steps. What nothing is measured
// of takes guess times what is expected; known is false where nothing is expected either.
func (c *estimator) remainingWork(counts []engine.Count, guess float64) (out []work, known bool) {
	pace := c.pace(counts)
	out, known = make([]work, len(counts)), true
	for i, n := range counts {
		out[i].Count = n
		if n.Complete {
			continue
		}
		each, units := c.prior(n)
		each *= pace
		computed, running := float64(n.Summary.Units-n.Summary.Reused), float64(n.Running)
		if _, expected := c.expect.Steps[n.Step]; computed == 0 {
			each *= guess
			known = known && expected
		} else {
			each = (each + c.busy[n.Step]) / (computed + running/2 + 1) // the expectation counts as one unit
			if c.expect.Steps[n.Step].Seconds == 0 {
				each = c.busy[n.Step] / (computed + running/2)
			}
		}
		if running > 0 && (n.Waits || n.Resource == pipeline.FFmpeg) {
			// What is at work has taken its time already, also where nothing ends,
			// as with a server that does not answer. Other tasks are of many units.
			each = max(each, c.busy[n.Step]/(computed+running))
		}
		rest := max(units-float64(n.Summary.Units), 0)
		out[i].seconds, out[i].tasks = max(rest-running/2, 0)*each, max(rest, 1)
		if n.Whole {
			out[i].seconds = max(each-c.busy[n.Step], max(each, c.busy[n.Step])/10)
		}
	}
	return out, known
}

// trusted is by how much the work that nothing is measured of may take longer, or shorter,
// than the pace so far lets expect, with the time left still known to a factor of two.
const trusted = 4

// remaining returns how long the build goes on; 0 where nothing is left, and while that is
// not known to a factor of two.
func (c *estimator) remaining(counts []engine.Count) time.Duration {
	total, known := c.play(counts, 1)
	least, _ := c.play(counts, 1.0/trusted)
	most, _ := c.play(counts, trusted)
	if !known || most > 2*total || least < total/2 {
		return 0
	}
	return time.Duration(total * float64(time.Second)).Round(time.Second)
}

// play plays the work that is left through and returns how many seconds that takes: each
// resource works on what is ready, steps further downstream first, as the executor does.
func (c *estimator) play(counts []engine.Count, guess float64) (total float64, known bool) {
	all, known := c.remainingWork(counts, guess)
	for range 2 * len(all) {
		step := c.step(all)
		if step == 0 {
			break
		}
		total += step
	}
	return total + c.expect.After*c.pace(counts), known
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
	at, used, computing := map[int]float64{}, map[pipeline.Resource]float64{}, 0.0
	for i := len(all) - 1; i >= 0; i-- {
		w := all[i]
		if w.seconds <= 0 || !w.ready {
			continue
		}
		workers := min(float64(max(1, c.expect.Limits[w.Resource]))-used[w.Resource], w.tasks)
		if workers <= 0 {
			continue
		}
		at[i], used[w.Resource] = workers, used[w.Resource]+workers
		if !w.Waits {
			computing += workers
		}
	}
	share := c.share(computing)
	for i, workers := range at {
		if !all[i].Waits {
			at[i] = workers * share
		}
		if t := all[i].seconds / at[i]; least == 0 || t < least {
			least = t
		}
	}
	for i, speed := range at {
		if all[i].seconds -= least * speed; all[i].seconds < 1e-9 {
			all[i].seconds = 0
		}
	}
	return least
}
