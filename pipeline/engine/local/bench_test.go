package local_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/local"
	"github.com/memforge/memforge/pipeline/store"
	"github.com/memforge/memforge/pipeline/testkit"
)

// benchBuild is one build in a store folder, opened and closed as a command
// would, and returns the wall time.
// spent is what a build took: the time of a clock, and that of processors, which
// other programs on the machine do not change as much.
type spent struct{ wall, cpu float64 }

func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

func benchBuild(b *testing.B, dir string, c testkit.NumbersConfig) spent {
	b.Helper()
	cpu := cpuSeconds(b)
	reg := testkit.NumbersRegistry(&testkit.NumbersHooks{})
	start := time.Now()
	st, err := store.Open(b.Context(), dir)
	if err != nil {
		b.Fatal(err)
	}
	steps, err := testkit.NumbersPlan(c).Resolve(b.Context(), reg)
	if err != nil {
		b.Fatal(err)
	}
	rt := engine.Runtime{Registry: reg, Store: st, TempRoot: dir}
	limits := map[pipeline.Resource]int{pipeline.CPU: runtime.NumCPU()}
	if _, err := local.Execute(context.Background(), rt, steps, testkit.NoFetch{}, local.Options{Limits: limits}); err != nil {
		b.Fatal(err)
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
	return spent{time.Since(start).Seconds(), cpuSeconds(b) - cpu}
}

// BenchmarkEngine builds numbers -> double -> gate -> sum with trivial plugins
// and reports, in one run: the cold pass, the rebuild without changes and the
// rebuild after one label changed at each size, their ratios to the smallest
// size per record, and the peak memory of the process so far.
func BenchmarkEngine(b *testing.B) {
	for b.Loop() {
		var perRecord float64
		for _, n := range []int{1_000, 10_000, 100_000} {
			dir := b.TempDir()
			c := testkit.NumbersConfig{Count: n, Changed: -1}
			cold := benchBuild(b, dir, c)
			noop := benchBuild(b, dir, c)
			c.Changed = n / 2
			one := benchBuild(b, dir, c)
			size := fmt.Sprintf("%dk", n/1000)
			for _, m := range []struct {
				name string
				of   spent
			}{{"cold", cold}, {"noop", noop}, {"one-change", one}} {
				b.ReportMetric(m.of.wall, m.name+"-s-"+size)
				b.ReportMetric(m.of.cpu, m.name+"-cpu-s-"+size)
			}
			b.ReportMetric(noop.cpu/cold.cpu, "noop/cold-"+size)
			each := cold.cpu / float64(n)
			if perRecord == 0 {
				perRecord = each
			}
			b.ReportMetric(each/perRecord, "cold-per-record/1k-"+size)
		}
		b.ReportMetric(peakMB(b), "peak-MB")
	}
}

// peakMB is the high-water mark of the process's resident memory.
func peakMB(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skipf("peak memory is read from /proc/self/status: %v", err)
	}
	for _, line := range strings.Split(string(status), "\n") {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "VmHWM:" {
			kb, err := strconv.ParseFloat(f[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kb / 1024
		}
	}
	b.Fatal("no VmHWM in /proc/self/status")
	return 0
}
