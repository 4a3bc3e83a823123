package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/pprof"
	"slices"
	"syscall"
	"time"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/pipeline/engine/assemble"
	"github.com/memforge/memforge/pipeline/engine/config"
)

// replayVariable makes the test's binary build from recorded answers and tell
// what its gates took; profileVariable names a file for a profile of its CPU.
const (
	replayVariable  = "MEMFORGE_TEST_REPLAY"
	profileVariable = "MEMFORGE_BENCH_PROFILE"
)

// gatesShare is what the gates of a build took, from before the first question
// was handed to one until the last verdict was committed.
type gatesShare struct {
	Replayed int           `json:"replayed"`
	Wall     time.Duration `json:"wall"`
	CPU      time.Duration `json:"cpu"`
	PeakMB   float64       `json:"peak_mb"`
}

// replayChild builds a configuration with some settings and prints its gatesShare.
func replayChild(file string, settings []string) error {
	stop, err := profileCPU(os.Getenv(profileVariable))
	if err != nil {
		return err
	}
	defer stop()
	reg := thingRegistry()
	cfg, err := config.Load(file, reg, settings)
	if err != nil {
		return err
	}
	var w gatesWatch
	for _, n := range cfg.Plan.Steps {
		if n.Kind == pipeline.KindGate {
			w.gates = append(w.gates, n.Name)
		}
	}
	w.begin = takeReading()
	res, err := assemble.Build(context.Background(), reg, cfg, assemble.Options{Offline: true, Observe: w.observe})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(gatesShare{
		Replayed: res.Models.Replayed, Wall: w.end.at.Sub(w.begin.at), CPU: w.end.cpu - w.begin.cpu, PeakMB: w.end.peakMB,
	})
}

// gatesWatch takes readings of a build as it goes.
type gatesWatch struct {
	gates      []string
	begin, end releaseFlags
}

// releaseFlags is what a process has used at a moment.
type releaseFlags struct {
	at     time.Time
	cpu    time.Duration
	peakMB float64
}

// observe moves the beginning on until a gate has a question, and the end as
// long as there are observations: the last comes when all nodes are done and
// before the release.
func (w *gatesWatch) observe(counts []engine.Count) {
	w.end = takeReading()
	busy := func(c engine.Count) bool { return c.Known > 0 && slices.Contains(w.gates, c.Step) }
	if !slices.ContainsFunc(counts, busy) {
		w.begin = w.end
	}
}

func takeReading() releaseFlags {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(fmt.Sprintf("getrusage: %v", err))
	}
	return releaseFlags{time.Now(), time.Duration(used.Utime.Nano() + used.Stime.Nano()), float64(used.Maxrss) / 1024}
}

// profileCPU profiles into a file until it is stopped; without a file it does
// nothing.
func profileCPU(file string) (stop func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	return func() { pprof.StopCPUProfile(); f.Close() }, pprof.StartCPUProfile(f)
}
