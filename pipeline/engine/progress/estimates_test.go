package progress

import (
	"maps"
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
		// 4 done in 12 s instead of 8, so each 3 s, by expectation as measured.
		{"slower", Expected{10, 20}, 12, engine.Count{Known: 10, Closed: true, Summary: engine.Summary{Units: 4}}, 18, 6},
		// Two were in the store: 2 computed in 12 s instead of 4.
		{"some were there", Expected{10, 20}, 12, engine.Count{Known: 10, Closed: true, Summary: engine.Summary{Units: 4, Reused: 2}}, 36, 6},
		{"nothing was expected", Expected{}, 12, engine.Count{Known: 10, Closed: true, Summary: engine.Summary{Units: 4}}, 18, 6},
		// What waits for a server has taken 30 s with 3 at work: at least 10 s each.
		{"a silent server", Expected{10, 20}, 30, engine.Count{Known: 10, Closed: true, Running: 3, Resource: network, Waits: true}, 85, 10},
		{"the same on a processor", Expected{10, 20}, 30, engine.Count{Known: 10, Closed: true, Running: 3, Resource: pipeline.CPU}, 17, 10},
	} {
		e := newEstimator()
		e.expect.Steps = map[string]Expected{"s": c.expect}
		e.busy["s"] = c.busy
		c.count.Step = "s"
		all, _ := e.remainingWork([]engine.Count{c.count}, 1)
		got := all[0]
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
		want   float64 // seconds
	}{
		{"one after the other", []engine.Count{ten("a"), ten("b", "a")}, 2, 0, 10},
		{"enough for both", []engine.Count{ten("a"), ten("b", "a")}, 20, 0, 1},
		{"five are left over", []engine.Count{ten("a"), ten("b", "a")}, 15, 0, 1.5},
		{"one at a time", []engine.Count{ten("a"), ten("b")}, 1, 0, 20},
		{"a fold waits", []engine.Count{ten("a"), whole("b", "a")}, 10, 0, 11},
		{"what reads a fold waits for it", []engine.Count{whole("b"), ten("a", "b")}, 10, 0, 11},
		{"and the release", []engine.Count{ten("a")}, 10, 7, 8},
		{"nothing", nil, 2, 0, 0}, {"only the release", nil, 2, 7, 7},
		{"no limit is one worker", []engine.Count{ten("a")}, 0, 0, 10},
	} {
		e := newEstimator()
		e.expect = Expectation{Steps: map[string]Expected{"a": {10, 10}, "b": {10, 10}}, After: c.after, Limits: map[pipeline.Resource]int{pipeline.CPU: c.cpu}}
		if got, known := e.play(c.counts, 1); !known || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %v s, known: %t, want %v s", c.name, got, known, c.want)
		}
	}
}

// TestProcessorsAreShared: of more tasks than processors each has a part, when their time is
// booked and when the rest is played; what waits for servers takes none.
func TestProcessorsAreShared(t *testing.T) {
	e := newEstimator()
	e.expect = Expectation{Steps: map[string]Expected{"a": {8, 8}, "b": {8, 8}, "c": {8, 8}}, Processors: 2, Limits: map[pipeline.Resource]int{pipeline.CPU: 4, pipeline.FFmpeg: 4, pipeline.Model: 8}}
	counts := []engine.Count{
		{Step: "a", Resource: pipeline.CPU, Running: 4, Known: 8, Closed: true},
		{Step: "b", Resource: pipeline.FFmpeg, Running: 4, Known: 8, Closed: true},
		{Step: "c", Resource: pipeline.Model, Running: 8, Known: 8, Closed: true, Waits: true},
	}
	e.observe(counts, time.Second)
	if e.busy["a"] != 1 || e.busy["b"] != 1 || e.busy["c"] != 8 {
		t.Errorf("in a second the steps took %v s", e.busy)
	}
	for i := range counts {
		counts[i].Running = 0
	}
	if got, _ := newEstimatorOf(e.expect).play(counts, 1); math.Abs(got-8) > 1e-9 { // 16 s on two processors
		t.Errorf("%v s are left, want 8", got)
	}
}

func newEstimatorOf(x Expectation) *estimator {
	e := newEstimator()
	e.expect = x
	return e
}

// TestTimeLeftIsSaidOnceItIsKnown: while most of the rest is a guess, or nothing is expected of
// a part of it, nothing is said.
func TestTimeLeftIsSaidOnceItIsKnown(t *testing.T) {
	at := func(done int) []engine.Count {
		return []engine.Count{
			{Step: "a", Resource: pipeline.CPU, Known: 10, Closed: true, Summary: engine.Summary{Units: done}},
			{Step: "b", Resource: pipeline.CPU, From: []string{"a"}, Whole: true},
		}
	}
	for _, c := range []struct {
		name string
		b    map[string]Expected
		done int
		want time.Duration
	}{
		{"nothing is measured", map[string]Expected{"b": {10, 1}}, 0, 0},
		{"most is measured", map[string]Expected{"b": {10, 1}}, 2, 9 * time.Second},
		{"the most is to come", map[string]Expected{"b": {10, 60}}, 2, 0},
		{"of the last step nothing is known", nil, 2, 0},
	} {
		e := newEstimator()
		e.expect = Expectation{Steps: map[string]Expected{"a": {10, 10}}, Limits: map[pipeline.Resource]int{pipeline.CPU: 1}}
		maps.Copy(e.expect.Steps, c.b)
		e.busy["a"] = float64(c.done)
		if got := e.remaining(at(c.done)); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
