package cli_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// wrongs is every way in which a server fails a client that asks again. What
// ends a question, as a refusal does, is no fault but an answer.
func wrongs() []testkit.ModelFault {
	const repair = "This answer cannot be used"
	steady := testkit.Refuse429("X-Ratelimit-Limit-Requests", "100")
	steady.Header["X-Ratelimit-Remaining-Requests"], steady.Header["X-Ratelimit-Reset-Requests"] = "0", "300ms"
	window := testkit.Refuse429("RateLimit-Remaining", "0")
	window.Header["RateLimit-Reset"] = "0"
	date := testkit.Refuse429("Retry-After", "Sun, 06 Nov 1994 08:49:37 GMT")
	date.Times = 1 // it is told to wait a second
	return []testkit.ModelFault{
		date, testkit.Refuse429("Retry-After-Ms", "2"), testkit.Refuse429("Retry-After", "0"),
		steady, window, testkit.Refuse429("RateLimit", `"default";r=0;t=0`), testkit.Refuse429("X-Ratelimit-Reset-Requests", "-1"),
		{Kind: testkit.FaultStatus, Status: 500}, {Kind: testkit.FaultStatus, Status: 503, Body: "<html>"},
		{Kind: testkit.FaultReset}, {Kind: testkit.FaultCut}, {Kind: testkit.FaultCutJSON},
		{Kind: testkit.FaultTwice}, {Kind: testkit.FaultBytes}, {Kind: testkit.FaultHTML},
		{Kind: testkit.FaultType}, {Kind: testkit.FaultInside}, {Kind: testkit.FaultEmpty},
		{Kind: testkit.FaultFence}, {Kind: testkit.FaultSlow, Delay: 20 * time.Millisecond},
		{Kind: testkit.FaultSchema, Unless: repair}, {Kind: testkit.FaultProse, Unless: repair},
	}
}

// TestFaultsDoNotShowInTheRelease builds through a server of whose answers 30 %
// and more are spoiled in every way there is: a map, a fold and gates, among whose
// questions some are refused.
func TestFaultsDoNotShowInTheRelease(t *testing.T) {
	server := examServer(t)
	written, items := testsize.Choose(20, 60), testsize.Choose(12, 36)
	build := func() *project {
		p := newExam(t, mixedPlan(written, items), examModels(server.URL, "    limits: {requests_per_minute: 60000}\n"))
		p.must("build", "--set", "run.limits.model=32")
		return p
	}
	calm := build()
	for _, f := range wrongs() {
		f.Share = 0.025 // one after the other: two in five in all
		server.AddFault(f)
	}
	server.ResetCounts()
	rough := build()
	c := server.Counts()
	t.Logf("%d requests, %d of them spoiled", c.Requests, c.Faulted)
	if float64(c.Faulted) < 0.27*float64(c.Requests) {
		t.Errorf("only %d of %d requests were spoiled", c.Faulted, c.Requests)
	}
	sameRelease(t, filepath.Join(calm.dir, "out"), filepath.Join(rough.dir, "out"))
}

// more are faults of the same kind as others among wrongs.
func more() []testkit.ModelFault {
	status := func(code int, header, value string) testkit.ModelFault {
		f := testkit.ModelFault{Kind: testkit.FaultStatus, Status: code}
		if header != "" {
			f.Header = map[string]string{header: value}
		}
		return f
	}
	return []testkit.ModelFault{
		status(502, "", ""), status(504, "", ""), status(408, "", ""), status(529, "", ""), status(503, "Retry-After", "0"),
		status(400, "X-Should-Retry", "true"), status(500, "X-Should-Retry", "true"), testkit.Refuse429("Retry-After-Ms", "0.5"),
	}
}

// TestNoFaultShowsInTheRelease builds once for each of 30 faults, at rates from 5
// to 30 %.
func TestNoFaultShowsInTheRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it builds 60 times")
	}
	faults := append(wrongs(), more()...)
	if len(faults) != 30 {
		t.Fatalf("%d faults", len(faults))
	}
	for i, f := range faults {
		if i%testsize.Choose(3, 1) != 0 {
			continue
		}
		f.Share, f.Times = 0.05+0.25*float64(i)/float64(len(faults)-1), 0
		t.Run(fmt.Sprintf("%s %d %v, %.0f %%", f.Kind, f.Status, f.Header, 100*f.Share), func(t *testing.T) {
			t.Parallel() // most of it is pauses
			server := examServer(t)
			build := func() *project {
				p := newExam(t, mixedPlan(12, 4), examModels(server.URL, "    limits: {requests_per_minute: 60000}\n"))
				p.must("build", "--set", "run.limits.model=32")
				return p
			}
			calm := build()
			server.ResetCounts()
			server.AddFault(f)
			rough := build()
			c := server.Counts()
			t.Logf("%d requests, %d of them spoiled", c.Requests, c.Faulted)
			good := f.Kind == testkit.FaultFence || f.Kind == testkit.FaultSlow // and counted so
			if c.Faulted == 0 && !good {
				t.Error("no answer was spoiled")
			}
			sameRelease(t, filepath.Join(calm.dir, "out"), filepath.Join(rough.dir, "out"))
		})
	}
}

// TestKilledBuildsPayOnlyForWhatWasOnItsWay kills builds at 30 random moments
// and lets the next go on.
func TestKilledBuildsPayOnlyForWhatWasOnItsWay(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("short: it kills many builds")
	}
	kills, atOnce := testsize.Choose(10, 16), 8
	server := examServer(t)
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultSlow, Delay: 20 * time.Millisecond})
	// With a seed, no two calls of a calm build look alike to the server.
	plan, models := mixedPlan(testsize.Choose(80, 150), testsize.Choose(24, 30)), examModels(server.URL, "    sampling: {seed: 1}\n")
	calm := newExam(t, plan, models)
	calm.must("build", "--set", "run.limits.model=8")
	want := server.Counts()
	if want.Repeated > 0 {
		t.Fatalf("a calm build pays %d calls twice", want.Repeated)
	}
	server.ResetCounts()

	rough := newExam(t, plan, models)
	rnd := rand.New(rand.NewPCG(4, uint64(kills)))
	for range kills {
		killed := killedBuild(t, server, rough, rnd.IntN(want.Answered/kills), time.Duration(rnd.IntN(20))*time.Millisecond)
		if !killed {
			t.Fatal("a build was done before it was killed")
		}
	}
	rough.must("build", "--set", "run.limits.model=8")
	c := server.Counts()
	t.Logf("%d kills: %d calls where %d are needed, %d paid twice", kills, c.Answered, want.Answered, c.Repeated)
	if c.Answered-c.Repeated != want.Answered || c.Repeated > kills*atOnce {
		t.Errorf("%d calls where %d are needed, %d paid twice; at most %d were on their way", c.Answered, want.Answered, c.Repeated, kills*atOnce)
	}
	sameRelease(t, filepath.Join(calm.dir, "out"), filepath.Join(rough.dir, "out"))
}

// killedBuild starts a build and kills it so many answers and so long later.
func killedBuild(t *testing.T, server *testkit.ModelServer, p *project, answers int, later time.Duration) bool {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "build", "--set", "run.limits.model=8", "-f", p.file)
	cmd.Env = append(os.Environ(), childVariable+"=1")
	before := server.Counts().Answered
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	server.WaitForAnswers(t, before+answers)
	time.Sleep(later) // the moment of the kill is at random
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}
