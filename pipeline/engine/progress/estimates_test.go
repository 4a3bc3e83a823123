package progress

import (
	"math"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// TestWorkThatIsLeft holds the seconds that a step still takes, worked out by hand.
func TestWorkThatIsLeft(t *testing.T) {
	network := pipeline.Network
	for _, c := range []struct {
		name           string
		expect         Expected
		busy           float64
		count          engine.Count
		seconds, tasks float64
	}{
		{"of 100 s, begun", Expected{1, 100}, 30, engine.Count{Whole: true}, 70, 1},
		{"almost done: a tenth", Expected{1, 100}, 95, engine.Count{Whole: true}, 10, 1},
		{"longer than expected: a tenth of that", Expected{1, 100}, 150, engine.Count{Whole: true}, 15, 1},
		{"complete", Expected{1, 100}, 30, engine.Count{Whole: true, Complete: true}, 0, 0},
		{"ten of 2 s each, none done", Expected{10, 20}, 0, engine.Count{Known: 4}, 20, 10},
		{"more are known than expected", Expected{10, 20}, 0, engine.Count{Known: 15}, 30, 15},
		{"no more are to come", Expected{10, 20}, 0, engine.Count{Known: 4, Closed: true}, 8, 4},
		// 4 done in 12 s instead of 8, and a tenth of all 20 s counts as expected: pace 14/10, so
		// each 2.8 s by expectation and (2.8+12)/5 measured.
		{"slower", Expected{10, 20}, 12, engine.Count{Known: 10, Closed: true, Summary: engine.Summary{Units: 4}}, 6 * 14.8 / 5, 6},
		// Two were in the store: 2 computed in 12 s, pace 14/6; (14/3+12)/3.
		{"some were there", Expected{10, 20}, 12, engine.Count{Known: 10, Closed: true, Summary: engine.Summary{Units: 4, Reused: 2}}, 6 * 50.0 / 9, 6},
		{"nothing was expected", Expected{}, 12, engine.Count{Known: 10, Closed: true, Summary: engine.Summary{Units: 4}}, 18, 6},
		// What waits for a server has taken 30 s with 3 at work: at least 10 s each.
		{"a silent server", Expected{10, 20}, 30, engine.Count{Known: 10, Closed: true, Running: 3, Resource: network}, 100, 10},
		{"the same on a processor", Expected{10, 20}, 30, engine.Count{Known: 10, Closed: true, Running: 3, Resource: pipeline.CPU}, 20, 10},
	} {
		e := newEstimator()
		e.expect.Steps = map[string]Expected{"s": c.expect}
		e.busy["s"] = c.busy
		c.count.Step = "s"
		got := e.remainingWork([]engine.Count{c.count})[0]
		if math.Abs(got.seconds-c.seconds) > 1e-9 || !c.count.Whole && got.tasks != c.tasks {
			t.Errorf("%s: %v s of %v tasks, want %v of %v", c.name, got.seconds, got.tasks, c.seconds, c.tasks)
		}
	}
}

// TestTimeThatIsLeft plays steps that share workers.
func TestTimeThatIsLeft(t *testing.T) {
	ten := func(name string, from ...string) engine.Count {
		return engine.Count{Step: name, From: from, Known: 10, Closed: true, Resource: pipeline.CPU}
	}
	whole := func(name string, from ...string) engine.Count {
		return engine.Count{Step: name, From: from, Whole: true, Resource: pipeline.CPU}
	}
	for _, c := range []struct {
		name   string
		counts []engine.Count
		cpu    int
		after  float64
		want   time.Duration
	}{
		{"one after the other", []engine.Count{ten("a"), ten("b", "a")}, 2, 0, 10},
		{"enough for both", []engine.Count{ten("a"), ten("b", "a")}, 20, 0, 1},
		{"five are left over, 1.5 s", []engine.Count{ten("a"), ten("b", "a")}, 15, 0, 2},
		{"one at a time", []engine.Count{ten("a"), ten("b")}, 1, 0, 20},
		{"a fold waits", []engine.Count{ten("a"), whole("b", "a")}, 10, 0, 11},
		{"what reads a fold waits for it", []engine.Count{whole("b"), ten("a", "b")}, 10, 0, 11},
		{"and the release", []engine.Count{ten("a")}, 10, 7, 8},
		{"nothing", nil, 2, 0, 0}, {"only the release", nil, 2, 7, 7},
		{"no limit is one worker", []engine.Count{ten("a")}, 0, 0, 10},
	} {
		e := newEstimator()
		e.expect = Expectation{Steps: map[string]Expected{"a": {10, 10}, "b": {10, 10}}, After: c.after, Limits: map[pipeline.Resource]int{pipeline.CPU: c.cpu}}
		if got := e.remaining(c.counts); got != c.want*time.Second {
			t.Errorf("%s: %v, want %v s", c.name, got, int(c.want))
		}
	}
}
