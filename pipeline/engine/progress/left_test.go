package progress

import (
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
)

// stint is a node of a simulated build: each unit takes seconds and gives records.
type stint struct {
	name, from string
	resource   pipeline.Resource
	whole      bool
	seconds    float64
	gives      int // records a unit; of a fold, all together
}

// builds are simulated. Their times are those of real nodes: seconds for a video
// that is drawn or looked at, tenths of a millisecond for a question.
var builds = map[string][]stint{
	"films": {
		{"films", "", pipeline.CPU, true, 0.2, 24},
		{"render", "films", pipeline.FFmpeg, false, 5, 1},
		{"pair", "render", pipeline.CPU, true, 0.1, 12},
		{"concat", "pair", pipeline.CPU, false, 0.06, 4},
		{"ask", "concat", pipeline.CPU, false, 0.02, 80},
		{"roles", "ask", pipeline.CPU, false, 0.0003, 1},
		{"shortcuts", "roles", pipeline.CPU, true, 4, 3840},
		{"split", "pair", pipeline.FFmpeg, false, 4.5, 2},
		{"integrity", "concat", pipeline.FFmpeg, false, 2.6, 1},
	},
	"models": {
		{"clips", "", pipeline.CPU, true, 1, 40},
		{"normalise", "clips", pipeline.FFmpeg, false, 8, 1},
		{"describe", "normalise", pipeline.Model, false, 30, 1},
		{"pair", "describe", pipeline.CPU, true, 0.1, 20},
		{"author", "pair", pipeline.Model, false, 40, 50},
		{"blind", "author", pipeline.Model, false, 1.5, 1},
	},
	"a long fold": {
		{"clips", "", pipeline.CPU, true, 0.5, 3000},
		{"look", "clips", pipeline.CPU, false, 0.01, 1},
		{"study", "look", pipeline.CPU, true, 20, 3000},
		{"last", "study", pipeline.CPU, false, 0.01, 1},
	},
}

func steps(build []stint) (out []engine.Step) {
	for _, s := range build {
		step := engine.Step{Name: s.name, Kind: pipeline.KindStage, Each: !s.whole}
		step.Spec = pipeline.Spec{Resource: s.resource, Emits: []string{s.name}}
		if s.resource == pipeline.Model {
			step.Identity.Models = map[string]pipeline.ModelIdentity{"judge": {Name: "live"}}
		}
		if s.from == "" {
			step.Kind = pipeline.KindSource
		} else {
			step.From, step.Spec.Accepts = []string{s.from}, []string{s.from}
		}
		out = append(out, step)
	}
	return out
}

// expectation is what a forecast says whose seconds are off by the factors, one
// after another.
func expectation(build []stint, off ...float64) Expectation {
	e := Expectation{Steps: map[string]Expected{}, Limits: limits(), Processors: processors}
	units := map[string]float64{}
	for i, s := range build {
		in := units[s.from]
		n := in
		if s.whole {
			n = 1
		}
		units[s.name] = n * float64(s.gives)
		e.Steps[s.name] = Expected{In: in, Seconds: n * s.seconds * off[i%len(off)]}
	}
	return e
}

func limits() map[pipeline.Resource]int {
	return map[pipeline.Resource]int{pipeline.CPU: 2, pipeline.FFmpeg: 2, pipeline.Model: 8}
}

// processors are what tasks that compute share: fewer than the limits let run at once.
const processors = 2

// task is a running task of the simulation.
type task struct {
	pipeline.Task
	left float64 // seconds
}

// simulation runs a build in a time of its own.
type simulation struct {
	t     *testing.T
	build map[string]stint
	state *engine.State
	busy  []task
	now   float64
}

func (s *simulation) start(t pipeline.Task) {
	n := s.build[t.Step]
	s.busy = append(s.busy, task{t, n.seconds * float64(max(1, len(t.Inputs)*btoi(!n.whole)))})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *simulation) startReady() {
	free := limits()
	for _, t := range s.busy {
		free[s.build[t.Step].resource]--
	}
	for _, t := range s.state.Next(free) {
		s.start(t)
	}
}

// finish ends the tasks that are due.
func (s *simulation) finish() {
	due := slices.DeleteFunc(slices.Clone(s.busy), func(t task) bool { return t.left > 0 })
	s.busy = slices.DeleteFunc(s.busy, func(t task) bool { return t.left <= 0 })
	for _, t := range due {
		n := s.build[t.Step]
		keys, err := engine.TaskKeys(t.Task)
		if err != nil {
			s.t.Fatal(err)
		}
		results := make([]pipeline.Result, len(keys))
		for i := range results {
			results[i].Key = keys[i]
			for j := range n.gives {
				id := fmt.Sprintf("%s-%d", n.name, j)
				if t.Each {
					id = fmt.Sprintf("%s-%s-%d", n.name, t.Inputs[i].ID, j)
				}
				results[i].Outputs = append(results[i].Outputs, pipeline.Ref{ID: id, Schema: n.name, Digest: pipeline.DigestOf([]byte(id))})
			}
		}
		if _, err := s.state.Complete(t.Task, results); err != nil {
			s.t.Fatal(err)
		}
	}
}

// work has what is running take a tick, in which tasks that compute share the processors.
func (s *simulation) work(tick float64) {
	computes := func(t task) bool { return s.build[t.Step].resource != pipeline.Model }
	computing := 0
	for _, t := range s.busy {
		computing += btoi(computes(t))
	}
	for i, t := range s.busy {
		if s.busy[i].left -= tick; computes(t) && computing > processors {
			s.busy[i].left += tick * (1 - processors/float64(computing))
		}
	}
}

// simulate observes a build ten times a second and returns how long it takes.
func simulate(t *testing.T, build []stint, observe func(now float64, counts []engine.Count)) float64 {
	t.Helper()
	const tick = 0.1
	state, err := engine.NewState(steps(build))
	if err != nil {
		t.Fatal(err)
	}
	s := &simulation{t: t, build: map[string]stint{}, state: state}
	for _, n := range build {
		s.build[n.name] = n
	}
	state.Begin(build[0].name)
	s.start(pipeline.Task{Step: build[0].name})
	for ; !state.Done(); s.now += tick {
		s.finish()
		s.startReady()
		observe(s.now, state.Counts())
		s.work(tick)
	}
	return s.now
}

// TestTimeLeftIsRightToAFactorOfTwo: although a forecast is off by a factor of three, or by
// factors that differ twofold from step to step, and although units of one step take ten
// thousand times as long as those of another, the time left is right to a factor of two (and
// two seconds) whenever it is said, and it is said at three quarters of the way. Of a fold that
// makes up most of a build nothing is measured before its end, so there it need not be.
func TestTimeLeftIsRightToAFactorOfTwo(t *testing.T) {
	for name, build := range builds {
		total := simulate(t, build, func(float64, []engine.Count) {})
		for _, off := range [][]float64{{1}, {3}, {0.3}, {0.7, 1.5}, {1.4, 0.7, 1}} {
			t.Run(fmt.Sprint(name, off), func(t *testing.T) {
				clock := time.Unix(0, 0)
				r := New(io.Discard, Text, func() time.Time { return clock })
				when := make(chan Expectation, 1)
				when <- expectation(build, off...)
				r.Expect(when)
				late := time.Duration(0)
				simulate(t, build, func(now float64, counts []engine.Count) {
					clock = time.Unix(0, 0).Add(time.Duration(now * float64(time.Second)))
					r.Observe(counts)
					if now <= total*3/4 {
						late = r.eta
					}
					if said, left := r.eta.Seconds(), total-now; said > 0 && (said+2 < left/2 || said-2 > 2*left) {
						t.Errorf("after %.1f of %.0f s, %.0f s were said to be left", now, total, said)
					}
				})
				if late == 0 && name != "a long fold" {
					t.Errorf("nothing is said after three quarters of %.0f s", total)
				}
			})
		}
	}
}

// The time left grows while nothing ends, as with a server that accepts requests
// and answers none: an estimate that stood still would promise an end.
func TestTimeLeftGrowsWhileNothingEnds(t *testing.T) {
	for name, whole := range map[string]bool{"records one by one": false, "a fold": true} {
		clock := time.Unix(0, 0)
		r := New(io.Discard, Text, func() time.Time { return clock })
		when := make(chan Expectation, 1)
		when <- Expectation{Steps: map[string]Expected{"describe": {In: 40, Seconds: 80}}, Limits: limits()}
		r.Expect(when)
		stuck := []engine.Count{{Step: "describe", Resource: pipeline.Model, Whole: whole, Known: 40, Closed: true, Running: 8, Waits: true}}
		var said []float64
		for _, now := range []int{0, 60, 300, 900} {
			clock = time.Unix(int64(now), 0)
			r.Observe(stuck)
			left, _ := r.clock.play(stuck, 1)
			said = append(said, left)
		}
		if said[1] >= said[2] || said[2] >= said[3] {
			t.Errorf("%s: %v s left after 0, 60, 300 and 900 s without an answer", name, said)
		}
	}
}
