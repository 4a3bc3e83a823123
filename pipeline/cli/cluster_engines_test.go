//go:build temporal || river

package cli_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/temporalserver"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

// farm is a cluster on this machine: PostgreSQL, Temporal unless River is its engine, a
// bucket in a folder, and workers that are processes.
type farm struct {
	t        testing.TB
	temporal *temporalserver.Server
	db       string
	bucket   string
	mu       sync.Mutex
	workers  []*exec.Cmd
}

func newFarm(t testing.TB, engine string) *farm {
	f := &farm{t: t, db: testpostgres.URL(t), bucket: t.TempDir()}
	if engine == "temporal" {
		f.temporal = temporalserver.Start(t)
	}
	return f
}

// onEachEngine runs a test on the engines that the program was built with.
func onEachEngine(t *testing.T, test func(t *testing.T, engine string)) {
	for _, engine := range cli.BuiltIn() {
		t.Run(engine, func(t *testing.T) { test(t, engine) })
	}
}

func (f *farm) on() string {
	if f.temporal == nil {
		return "river" + strings.TrimPrefix(f.db, "postgres")
	}
	return "temporal://" + f.temporal.Address() + "/default"
}

// store is the URL of the store with a cache of its own.
func (f *farm) store() string {
	return f.db + "&" + url.Values{"bucket": {"file://" + f.bucket}, "cache": {f.t.TempDir()}}.Encode()
}

// worker starts a worker with so many slots for models.
func (f *farm) worker(slots int) *exec.Cmd {
	f.t.Helper()
	cmd := exec.Command(os.Args[0], "worker", "--on", f.on(), "--store", f.store(), "--ledger", f.db, "--slots", fmt.Sprintf("model=%d,cpu=2", slots))
	cmd.Env = append(os.Environ(), childVariable+"=1")
	log, err := os.Create(filepath.Join(f.t.TempDir(), "log"))
	if err != nil {
		f.t.Fatal(err)
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := testpostgres.StartChild(cmd); err != nil {
		f.t.Fatal(err)
	}
	f.mu.Lock()
	f.workers = append(f.workers, cmd)
	f.mu.Unlock()
	f.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Signal(syscall.SIGKILL)
		if text, err := os.ReadFile(log.Name()); err == nil && f.t.Failed() {
			f.t.Logf("worker %d: %s", cmd.Process.Pid, text)
		}
	})
	return cmd
}

// build has the cluster build a project.
func (f *farm) build(p *project, more ...string) (code int, out, errs string) {
	f.t.Helper()
	args := append([]string{"build", "--on", f.on(), "--set", "run.store=" + f.store(), "--set", "run.ledger=" + f.db}, more...)
	return p.run(args...)
}

// things is a project of so many things to be told.
func manyThings(t *testing.T, server *testkit.ModelServer, count int) *project {
	t.Helper()
	p := newProject(t, server, "")
	text, err := os.ReadFile(p.file)
	if err != nil {
		t.Fatal(err)
	}
	text = bytes.Replace(text, []byte("count: 20"), fmt.Appendf(nil, "count: %d", count), 1)
	if err := os.WriteFile(p.file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

// Whatever ends or stands still in the middle of a build, the release is the one that one
// machine writes, and nothing is asked again but what was on its way to a worker that was
// killed.
func TestClusterOutlivesItsParts(t *testing.T) { onEachEngine(t, clusterOutlivesItsParts) }

func clusterOutlivesItsParts(t *testing.T, engine string) {
	const count, rounds, slots = 1500, 25, 4
	server := tellServer(t)
	alone := manyThings(t, server, count)
	alone.must("build")
	server.ResetCounts()
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultSlow, Delay: 100 * time.Millisecond})
	f := newFarm(t, engine)
	for range 3 {
		f.worker(slots)
	}
	p := manyThings(t, server, count)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if code, out, errs := f.build(p); code != 0 {
			t.Errorf("exit code %d\n%s%s", code, out, errs)
		}
	}()
	killed := f.harm(done, rounds, slots)
	<-done
	sameRelease(t, filepath.Join(alone.dir, "out"), filepath.Join(p.dir, "out"))
	c := server.Counts()
	t.Logf("%d workers were killed; %d requests, %d of them repeated", killed, c.Answered, c.Repeated)
	if killed < 20 {
		t.Errorf("only %d workers were killed before the build was done", killed)
	}
	if most := killed * slots; c.Repeated > most {
		t.Errorf("%d answers were paid twice; %d workers with %d slots each were killed", c.Repeated, killed, slots)
	}
}

// crash kills the server of the engine and starts it again after a while.
func (f *farm) crash(after time.Duration) {
	if f.temporal == nil {
		testpostgres.Restart(f.t, after)
		return
	}
	if err := f.temporal.Kill(); err != nil {
		f.t.Error(err)
	}
	time.Sleep(after) // it is away for so long
	if err := f.temporal.Start(); err != nil {
		f.t.Error(err)
	}
}

// harm kills workers until the build is done, and starts others; beside that it stops one
// for a while, and kills the engine and PostgreSQL once.
func (f *farm) harm(done <-chan struct{}, rounds, slots int) (killed int) {
	draw := rand.New(rand.NewPCG(1, 2))
	for n := range rounds {
		select {
		case <-done:
			return killed
		case <-time.After(time.Duration(100+draw.IntN(500)) * time.Millisecond):
		}
		switch n {
		case 4:
			f.crash(500 * time.Millisecond)
		case 8:
			testpostgres.Restart(f.t, 500*time.Millisecond)
		case 12:
			// It comes back after everybody took it for dead.
			stopped := f.workers[len(f.workers)-1]
			_ = stopped.Process.Signal(syscall.SIGSTOP)
			time.AfterFunc(25*time.Second, func() { _ = stopped.Process.Signal(syscall.SIGCONT) })
			f.worker(slots)
		default:
			// One that was started while a server was away has ended by itself.
			i := draw.IntN(len(f.workers))
			if f.workers[i].Process.Signal(syscall.SIGKILL) == nil {
				killed++
			}
			f.workers = slices.Delete(f.workers, i, i+1)
			f.worker(slots)
		}
	}
	return killed
}

// Two clients that order one build get one build.
func TestClusterBuildsWhatTwoClientsOrderOnce(t *testing.T) {
	onEachEngine(t, clusterBuildsWhatTwoClientsOrderOnce)
}

func clusterBuildsWhatTwoClientsOrderOnce(t *testing.T, engine string) {
	server := tellServer(t)
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultSlow, Delay: 30 * time.Millisecond})
	f := newFarm(t, engine)
	f.worker(4)
	f.worker(4)
	a, b := newProject(t, server, ""), newProject(t, server, "")
	var both sync.WaitGroup
	for _, p := range []*project{a, b} {
		both.Go(func() {
			code, out, errs := f.build(p)
			if code != 0 || !strings.Contains(errs, "models: 21 calls") || !strings.Contains(errs, "  tell: 20 calls") {
				t.Errorf("exit code %d\n%s%s", code, out, errs)
			}
		})
	}
	both.Wait()
	sameRelease(t, filepath.Join(a.dir, "out"), filepath.Join(b.dir, "out"))
	if c := server.Counts(); c.Answered != 21 || c.Repeated != 0 {
		t.Errorf("%d answers were paid, %d of them twice; 21 are needed", c.Answered, c.Repeated)
	}
	out := a.must("builds", "--set", "run.store="+f.store())
	id := strings.Fields(strings.SplitN(out, "\n", 2)[1])[0]
	if code, _, errs := f.build(manyThings(t, server, 21), "--attach", id); code != 2 || !strings.Contains(errs, "another configuration") {
		t.Errorf("attached with another configuration: exit code %d\n%s", code, errs)
	}
	if code, out, errs := f.build(a, "--attach", id); code != 0 || !strings.Contains(out, "nothing to do") {
		t.Errorf("attached: exit code %d\n%s%s", code, out, errs)
	}
	if strings.Count(out, "things") != 1 || !strings.Contains(out, "done") {
		t.Errorf("builds lists\n%s", out)
	}
}

// A budget holds over all workers, to within what is on its way.
func TestClusterKeepsABudget(t *testing.T) { onEachEngine(t, clusterKeepsABudget) }

func clusterKeepsABudget(t *testing.T, engine string) {
	server := tellServer(t)
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultSlow, Delay: 20 * time.Millisecond})
	f := newFarm(t, engine)
	for range 4 {
		f.worker(4)
	}
	p := manyThings(t, server, 200)
	// A call costs 1,000 tokens in and 100 out.
	sets := []string{"--set", "models.scripted.price={input: 1000, output: 0, currency: USD}", "--max-cost", "50"}
	code, out, errs := f.build(p, sets...)
	if code != 8 {
		t.Fatalf("exit code %d, want that of a budget\n%s%s", code, out, errs)
	}
	if code, out, errs := f.build(manyThings(t, server, 7), "--max-cost", "50"); code != 8 || !strings.Contains(errs, "price") {
		t.Errorf("without a price: exit code %d\n%s%s", code, out, errs)
	}
	if n := server.Counts().Answered; n < 30 || n > 50+16 {
		t.Errorf("%d calls of 1 USD each were paid; 50 may be, and 16 on their way", n)
	}
}

// Workers that are told to end let models answer what they were asked, so nothing is paid
// for twice.
func TestClusterLosesNoAnswerToWorkersThatEnd(t *testing.T) {
	onEachEngine(t, clusterLosesNoAnswerToWorkersThatEnd)
}

func clusterLosesNoAnswerToWorkersThatEnd(t *testing.T, engine string) {
	const count = 60
	server := tellServer(t)
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultSlow, Delay: 400 * time.Millisecond})
	f := newFarm(t, engine)
	first := []*exec.Cmd{f.worker(4), f.worker(4)}
	p := manyThings(t, server, count)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if code, out, errs := f.build(p); code != 0 {
			t.Errorf("exit code %d\n%s%s", code, out, errs)
		}
	}()
	server.WaitForAnswers(t, count/4)
	f.worker(4)
	for _, w := range first {
		if err := w.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
	}
	<-done
	if c := server.Counts(); c.Answered != count+1 || c.Repeated != 0 {
		t.Errorf("%d answers were paid, %d of them twice; %d are needed", c.Answered, c.Repeated, count+1)
	}
}
