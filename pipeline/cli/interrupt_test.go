package cli_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

// liveOutput is what a process writes, read while it runs.
type liveOutput struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *liveOutput) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

func (s *liveOutput) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.String()
}

// interruptedBuild starts a build, sends it signals as soon as they are due, the second
// once the build has told of the first, and returns how it ended.
func interruptedBuild(t *testing.T, due func() bool, p *project, grace string, signals ...os.Signal) (code int, errs string, took time.Duration) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "build", "--set", "run.grace="+grace, "-f", p.file)
	cmd.Env = append(os.Environ(), childVariable+"=1")
	var out liveOutput
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	testwait.Until(t, "the moment of the signal", due)
	began := time.Now()
	for i, s := range signals {
		if i > 0 {
			testwait.Until(t, "the answer to the first signal", func() bool { return strings.Contains(out.String(), "interrupted: ") })
		}
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), out.String(), time.Since(began)
}

// TestSignalEndsABuildWhoseServerHangs: the server accepts connections and never
// answers, which costs a build its patience but not that of its user.
func TestSignalEndsABuildWhoseServerHangs(t *testing.T) {
	t.Parallel()
	server := examServer(t)
	// With a seed, no two calls of a calm build look alike to the server.
	plan, models := mixedPlan(20, 12), examModels(server.URL, "    sampling: {seed: 1}\n")
	calm := newExam(t, plan, models)
	calm.must("build")
	want := server.Counts().Answered
	server.ResetCounts()
	// So many are answered before the server falls silent.
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultHang, After: 10})
	p := newExam(t, plan, models)
	for name, tc := range map[string]struct {
		grace   string
		signals []os.Signal
	}{
		"SIGTERM":          {"300ms", []os.Signal{syscall.SIGTERM}},
		"SIGINT":           {"300ms", []os.Signal{os.Interrupt}},
		"SIGTERM, no wait": {"0s", []os.Signal{syscall.SIGTERM}},
		"two SIGTERM":      {"1h", []os.Signal{syscall.SIGTERM, syscall.SIGTERM}},
		"two SIGINT":       {"1h", []os.Signal{os.Interrupt, os.Interrupt}},
	} {
		t.Run(name, func(t *testing.T) {
			before := server.Counts().Faulted
			// An answer that is not recorded yet is lost when all ends at once.
			hangs := func() bool {
				c := server.Counts()
				return c.Faulted > before && strings.Count(p.must("ledger", "export"), "\n") == c.Answered
			}
			code, errs, took := interruptedBuild(t, hangs, p, tc.grace, tc.signals...)
			if code != 130 || took > 30*time.Second || strings.Count(errs, "memforge: ") != 1 {
				t.Errorf("exit code %d after %s\n%s", code, took, errs)
			}
			if tc.grace == "1h" && (!strings.Contains(errs, "interrupted: nothing new is started, running tasks of [") ||
				!strings.Contains(errs, "calls of models; a second signal ends all at once")) {
				t.Errorf("it is not said what is waited for:\n%s", errs)
			}
			t.Logf("%s: ended after %s", name, took)
		})
	}
	server.ClearFaults()
	p.must("build")
	if c := server.Counts(); c.Answered != want || c.Repeated != 0 {
		t.Errorf("%d calls, %d of them paid twice; want %d", c.Answered, c.Repeated, want)
	}
	sameRelease(t, filepath.Join(calm.dir, "out"), filepath.Join(p.dir, "out"))
}

// TestAnswersOnTheirWayAreKept: the server takes longer than a signal.
func TestAnswersOnTheirWayAreKept(t *testing.T) {
	t.Parallel()
	server := tellServer(t)
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultSlow, Delay: 2 * time.Second})
	p := newProject(t, server, "")
	code, errs, _ := interruptedBuild(t, func() bool { return server.Counts().Requests > 0 }, p, "1m", syscall.SIGTERM)
	answered := server.Counts().Answered
	if code != 130 || answered == 0 {
		t.Fatalf("exit code %d after %d answers\n%s", code, answered, errs)
	}
	server.ClearFaults()
	p.must("build")
	if c := server.Counts(); c.Answered != 21 || c.Repeated != 0 {
		t.Errorf("%d calls, %d of them paid twice; want 21", c.Answered, c.Repeated)
	}
}
