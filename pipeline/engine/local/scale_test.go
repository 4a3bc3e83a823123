package local

import (
	"fmt"
	"os"
	"os/exec"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// corpus is a build of questions about a tenth as many videos, with what a worker
// takes for each. changed is a video that its source gives otherwise, or -1.
func corpus(questions, changed int) []*made {
	videos, sources := questions/10, []*made{}
	var names []string
	for i := range 4 {
		src := node(fmt.Sprint("source-", i), pipeline.KindSource, false)
		from, to := i*videos/4, (i+1)*videos/4
		here := from <= changed && changed < to
		src.Identity.Config = fmt.Appendf(nil, `{"changed":%t}`, here)
		src.give = func(pipeline.Ref) pipeline.Result {
			out := ids("video", from, to)
			if here {
				out[changed-from].Digest = pipeline.DigestOf([]byte("changed"))
			}
			return pipeline.Result{Outputs: out}
		}
		sources, names = append(sources, src), append(names, src.Name)
	}
	normalise, describe, ask := node("normalise", pipeline.KindStage, true, names...), node("describe", pipeline.KindStage, true, "normalise"), node("ask", pipeline.KindStage, true, "describe")
	form, blind, split := node("form", pipeline.KindGate, true, "ask"), node("blind", pipeline.KindGate, true, "form"), node("split", pipeline.KindStage, false, "blind")
	normalise.Spec.Resource, describe.Spec.Resource, ask.Spec.Resource, blind.Spec.Resource = pipeline.FFmpeg, pipeline.Model, pipeline.Model, pipeline.Model
	normalise.seconds, describe.seconds, ask.seconds, form.seconds, blind.seconds, split.seconds = 20, 8, 10, 0.01, 6, 600
	same := func(in pipeline.Ref) pipeline.Ref {
		return pipeline.Ref{ID: in.ID, Schema: in.Schema, Digest: pipeline.DigestOf([]byte(in.Digest))}
	}
	normalise.give = func(in pipeline.Ref) pipeline.Result {
		return pipeline.Result{Outputs: []pipeline.Ref{same(in)}, Blobs: []pipeline.Digest{in.Digest}}
	}
	describe.give = func(in pipeline.Ref) pipeline.Result { return pipeline.Result{Outputs: []pipeline.Ref{same(in)}} }
	ask.give = func(in pipeline.Ref) (r pipeline.Result) {
		for i := range 10 {
			r.Outputs = append(r.Outputs, question(in.ID, i))
		}
		return r
	}
	split.give = func(pipeline.Ref) (r pipeline.Result) {
		step := max(1, questions/mostChosen)
		for i := 0; i < questions; i += step {
			r.Outputs = append(r.Outputs, numbered(i))
		}
		return r
	}
	return append(sources, normalise, describe, ask, form, blind, split)
}

// mostChosen bounds what the last stage hands on: the result of a task that is one unit
// is one row of a store.
const mostChosen = 1_000_000

func question(video string, i int) pipeline.Ref { return refOf("item", fmt.Sprint(video, "/", i)) }

func numbered(i int) pipeline.Ref { return question(fmt.Sprintf("video-%08d", i/10), i%10) }

// workers are slots of a cluster: some 30 machines of 8 cores, and a model that answers
// 1,024 calls at once.
func workers() map[pipeline.Resource]int {
	return map[pipeline.Resource]int{pipeline.CPU: 64, pipeline.FFmpeg: 256, pipeline.Model: 1024, pipeline.Network: 64}
}

// driven is what a simulated build took.
type driven struct {
	hours        float64 // of the build, in its own time
	tasks, units int
	cpu, peak    float64 // seconds and MiB of the driver
}

// drive simulates a build with the collector of garbage that a run has. The cpu is that
// of the driver and of making up what workers give.
func drive(t testing.TB, st pipeline.Store, questions, changed int) driven {
	t.Helper()
	c := startGCTuner()
	defer c.stop()
	before := cpuSeconds(t)
	v := newVirtual(t, st, workers(), 0, corpus(questions, changed)...)
	v.listed = func(task pipeline.Task) pipeline.Key {
		key, err := engine.InputsKey(task.Identity, func(yield func(pipeline.Digest, error) bool) {
			for i := range questions {
				if !yield(numbered(i).Digest, nil) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	if err := v.run(t.Context(), func() {}); err != nil {
		t.Fatal(err)
	}
	d := driven{hours: v.now / 3600, tasks: v.tasks, cpu: cpuSeconds(t) - before}
	for _, n := range v.drive.EndedSteps() {
		d.units += n.Summary.Units
	}
	return d
}

func cpuSeconds(t testing.TB) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

const scaleVariable = "MEMFORGE_TEST_QUESTIONS"

// TestDriveAsChild drives a build, and its rebuild after one video changed, in a process
// of its own and says what they took.
func TestDriveAsChild(t *testing.T) {
	var questions int
	if n, _ := fmt.Sscan(os.Getenv(scaleVariable), &questions); n != 1 {
		return // the tests below run it
	}
	st := newStore(t)
	for _, changed := range []int{-1, questions / 20} {
		debug.FreeOSMemory()
		// The peak counts from here.
		if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
			t.Skipf("peak memory is that of /proc: %v", err)
		}
		d := drive(t, st, questions, changed)
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		if _, err := fmt.Sscan(peak, &d.peak); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("took %v %v %v %v %v\n", d.hours, d.tasks, d.units, d.cpu, d.peak/1024)
	}
}

// child gives what a build and its rebuild took.
func child(t testing.TB, questions int) (both []driven) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDriveAsChild$", "-test.v", "-test.timeout=3h")
	// GOGC as users have it, whatever make test sets.
	cmd.Env = append(os.Environ(), "GOGC=100", fmt.Sprintf("%s=%d", scaleVariable, questions))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%.2000s", err, out)
	}
	for _, took := range strings.Split(string(out), "took ")[1:] {
		var d driven
		if _, err := fmt.Sscan(took, &d.hours, &d.tasks, &d.units, &d.cpu, &d.peak); err != nil {
			t.Fatal(err)
		}
		t.Logf("%d questions: %+v", questions, d)
		both = append(both, d)
	}
	return both
}

// TestADriverHoldsManyUnits within what a machine has: 345,000 at full size.
// BenchmarkDrive has more.
func TestADriverHoldsManyUnits(t *testing.T) {
	t.Parallel()
	questions := testsize.Choose(2_000, 150_000)
	both := child(t, questions)
	if len(both) != 2 {
		t.Skip("the peak of memory is only known where /proc is that of Linux")
	}
	for _, d := range both {
		if want := questions/10*3 + 2*questions + 5; d.units != want {
			t.Errorf("%d units, want %d", d.units, want)
		}
		if d.peak > 500 {
			t.Errorf("a driver of %d units takes %.0f MiB, more than 500", d.units, d.peak)
		}
	}
}

// BenchmarkDrive simulates builds of many questions and says what their driver takes,
// which may be 2 GiB of memory.
func BenchmarkDrive(b *testing.B) {
	for _, questions := range []int{100_000, 1_000_000, 10_000_000} {
		b.Run(fmt.Sprint("questions=", questions), func(b *testing.B) {
			for b.Loop() {
				for i, d := range child(b, questions) {
					of := []string{"", "rebuild-"}[i]
					b.ReportMetric(d.hours, of+"virtual-hours")
					b.ReportMetric(d.cpu, of+"cpu-s")
					b.ReportMetric(1e6*d.cpu/float64(d.units), of+"cpu-us/unit")
					if b.ReportMetric(d.peak, of+"peak-MiB"); d.peak > 2048 {
						b.Errorf("a driver of %d units takes %.0f MiB, more than 2,048", d.units, d.peak)
					}
				}
			}
		})
	}
}
