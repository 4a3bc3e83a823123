package engine

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// savedSteps is a build with all that a state knows: two upstreams of one node, a
// node that rejects, and a fold.
func savedSteps() []Step {
	return []Step{step("src", false), step("left", true, "src"), step("right", true, "src"), step("join", true, "left", "right"), step("fold", false, "join", "src")}
}

// answer is what the plugins of savedSteps give for a task.
func answer(t testing.TB, task pipeline.Task) []pipeline.Result {
	t.Helper()
	keys, err := task.Keys()
	if err != nil {
		t.Fatal(err)
	}
	results := make([]pipeline.Result, len(keys))
	for i, k := range keys {
		r := pipeline.Result{Key: k, Reused: k[0] == 'a'}
		switch {
		case task.Step == "src":
			r.Outputs = refs(300)
		case task.Step == "fold":
			r.Outputs = []pipeline.Ref{{ID: "all", Schema: "y", Digest: pipeline.DigestOf(fmt.Append(nil, len(task.Inputs)))}}
		case k[1] == 'b':
			r.Rejections = []pipeline.Rejection{{ID: task.Inputs[i].ID, Code: "odd", Reason: "not this one", Flagged: true}}
		default:
			made := []byte(task.Step + task.Inputs[i].ID)
			r.Outputs = []pipeline.Ref{{ID: string(made), Schema: "x", Digest: pipeline.DigestOf(made)}}
			r.Blobs = []pipeline.Digest{pipeline.DigestOf([]byte(task.Step))}
		}
		results[i] = r
	}
	return results
}

// ride drives a state to its end, in an order that r draws, and gives what its nodes
// did. between is called with the state after each step of the drive.
func ride(t testing.TB, s *State, r *rand.Rand, between func(*State) *State) map[string]StepResult {
	t.Helper()
	ended := map[string]StepResult{}
	take := func(nodes []string) {
		for _, n := range nodes {
			ended[n] = s.Deliver(n)
		}
	}
	take(s.Undelivered())
	var atWork []pipeline.Task
	for !s.Done() {
		if !s.nodes[0].complete && len(s.nodes[0].handed) == 0 {
			s.Begin("src")
			atWork = append(atWork, pipeline.Task{Step: "src", Identity: s.nodes[0].step.Identity})
		}
		atWork = append(atWork, s.Next(map[pipeline.Resource]int{pipeline.CPU: 1 + r.IntN(3)})...)
		if len(atWork) == 0 {
			t.Fatal("nothing is at work and the build is not done")
		}
		i := r.IntN(len(atWork))
		task := atWork[i]
		atWork[i] = atWork[len(atWork)-1]
		atWork = atWork[:len(atWork)-1]
		done, err := s.Complete(task, answer(t, task))
		if err != nil {
			t.Fatal(err)
		}
		if next := between(s); next != s {
			s, atWork = next, nil
			done = s.Undelivered()
		}
		take(done)
	}
	return ended
}

func stay(s *State) *State { return s }

// TestALoadedStateGoesOnAsTheSavedOne ends a driver after each of its tasks and goes
// on with what it saved: what the build gives is the same.
func TestALoadedStateGoesOnAsTheSavedOne(t *testing.T) {
	want := ride(t, mustState(t, savedSteps()...), rand.New(rand.NewPCG(1, 1)), stay)
	for seed := range uint64(8) {
		loads := 0
		got := ride(t, mustState(t, savedSteps()...), rand.New(rand.NewPCG(seed, 2)), func(s *State) *State {
			if loads++; loads%2 == 0 {
				return s
			}
			return reloaded(t, s)
		})
		for node, f := range want {
			if !reflect.DeepEqual(f, got[node]) {
				t.Errorf("seed %d, node %s: %+v, without a break %+v", seed, node, got[node].Summary, f.Summary)
			}
		}
	}
}

func reloaded(t testing.TB, s *State) *State {
	t.Helper()
	b, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	again, err := LoadState(savedSteps(), b)
	if err != nil {
		t.Fatal(err)
	}
	same, err := again.Save()
	if err != nil || !bytes.Equal(b, same) {
		t.Fatalf("the loaded state is saved as %d other bytes than %d (%v)", len(same), len(b), err)
	}
	return again
}

// TestEqualProgressIsSavedAsEqualBytes whatever order it was made in.
func TestEqualProgressIsSavedAsEqualBytes(t *testing.T) {
	saved := func(reverse bool) []byte {
		s := mustState(t, savedSteps()...)
		s.Begin("src")
		complete(t, s, pipeline.Task{Step: "src"}, pipeline.Result{Outputs: refs(4 * minBatch)})
		tasks := s.Next(free(2))
		if reverse {
			tasks[0], tasks[1] = tasks[1], tasks[0]
		}
		for _, task := range tasks {
			if _, err := s.Complete(task, answer(t, task)); err != nil {
				t.Fatal(err)
			}
		}
		b, err := s.Save()
		if err != nil {
			t.Fatal(err)
		}
		s.Next(free(3)) // at work, not done
		if again, err := s.Save(); err != nil || !bytes.Equal(b, again) {
			t.Errorf("with tasks at work it is saved otherwise (%v)", err)
		}
		return b
	}
	if !bytes.Equal(saved(false), saved(true)) {
		t.Error("the bytes depend on the order in which tasks ended")
	}
}

// halfWay is a saved state with nodes of every kind of progress.
func halfWay(t testing.TB) []byte {
	t.Helper()
	s, err := NewState(savedSteps())
	if err != nil {
		t.Fatal(err)
	}
	s.Limit(250)
	s.Hold("fold")
	s.Begin("src")
	src := pipeline.Task{Step: "src"}
	if _, err := s.Complete(src, answer(t, src)); err != nil {
		t.Fatal(err)
	}
	s.Deliver("src")
	for range 3 {
		for _, task := range s.Next(map[pipeline.Resource]int{pipeline.CPU: 2}) {
			if _, err := s.Complete(task, answer(t, task)); err != nil {
				t.Fatal(err)
			}
		}
	}
	b, err := s.Save()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestNoStateIsLoadedOfOtherBytes(t *testing.T) {
	whole := halfWay(t)
	var wrong *SavedStateError
	for n := 0; n < len(whole); n += 1 + n/40 {
		if _, err := LoadState(savedSteps(), whole[:n]); !errors.As(err, &wrong) {
			t.Fatalf("%d of %d bytes: %v", n, len(whole), err)
		}
	}
	if _, err := LoadState(savedSteps(), append(bytes.Clone(whole), 0)); !errors.As(err, &wrong) {
		t.Errorf("a byte too many: %v", err)
	}
	for name, spoil := range map[string]func([]Step) []Step{
		"another plan":    func(s []Step) []Step { return s[:4] },
		"another version": func(s []Step) []Step { s[1].Identity.Version = "2"; return s },
		"another tool":    func(s []Step) []Step { s[2].Identity.Tools = map[string]string{"ffmpeg": "8"}; return s },
		"another input":   func(s []Step) []Step { s[3].From = []string{"left"}; return s },
	} {
		if _, err := LoadState(spoil(savedSteps()), whole); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	other := pipeline.DigestOf([]byte("another key"))
	for name, spoil := range map[string]func(s *State){
		"a unit under another key":   func(s *State) { s.index["left"].units[3].Key = pipeline.Key(other) },
		"a unit of no input":         func(s *State) { s.index["left"].units[3].In = pipeline.Ref{} },
		"a unit twice":               func(s *State) { n := s.index["left"]; n.units = append(n.units, n.units[0]); n.taken++ },
		"a count that is not so":     func(s *State) { s.index["left"].taken++ },
		"more lost than was":         func(s *State) { s.index["left"].summary.Lost++ },
		"more reused than was done":  func(s *State) { s.index["left"].summary.Reused = 1000 },
		"an input of another schema": func(s *State) { s.index["left"].pending[0].Schema = "film" },
		"an input twice":             func(s *State) { n := s.index["left"]; n.pending = append(n.pending, n.pending[0]) },
		"complete before its input": func(s *State) {
			n := s.index["join"]
			n.complete, n.delivered, n.units, n.pending = true, true, nil, nil
		},
		"a fold that gave nothing": func(s *State) {
			for _, n := range s.nodes {
				n.complete, n.delivered, n.units, n.pending = true, n.step.Name != "fold", nil, nil
			}
		},
		"nothing left and not complete": func(s *State) { n := s.index["left"]; n.pending = nil },
	} {
		s, err := LoadState(savedSteps(), whole)
		if err != nil {
			t.Fatal(err)
		}
		spoil(s)
		b, err := s.Save()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := LoadState(savedSteps(), b); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzLoadState: of any bytes there is an error, or the state that is saved as these
// bytes and that can be driven.
func FuzzLoadState(f *testing.F) {
	f.Add(halfWay(f))
	s, err := NewState(savedSteps())
	if err != nil {
		f.Fatal(err)
	}
	start, err := s.Save()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(start)
	f.Add([]byte(stateMark))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := LoadState(savedSteps(), b)
		if err != nil {
			var wrong *SavedStateError
			if !errors.As(err, &wrong) {
				t.Fatalf("%v", err)
			}
			return
		}
		if again, err := s.Save(); err != nil || !bytes.Equal(b, again) {
			t.Fatalf("saved as other bytes (%v)", err)
		}
		for range 3 {
			for _, task := range s.Next(map[pipeline.Resource]int{pipeline.CPU: 2}) {
				// Outputs may contradict what a forged state says was given.
				if _, err := s.Complete(task, answer(t, task)); err != nil {
					return
				}
			}
		}
	})
}
