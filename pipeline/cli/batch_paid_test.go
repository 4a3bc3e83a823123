package cli_test

import (
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/pipeline/testkit/testpostgres"
)

// TestASubmittedRequestIsAskedByNobodyElse: what is in a batch is neither exported
// nor submitted again, and a build in the meantime says what waits instead of
// paying for it.
func TestASubmittedRequestIsAskedByNobodyElse(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	box, again := filepath.Join(p.dir, "box"), filepath.Join(p.dir, "again")
	p.must("batch", "export", "-o", box)
	file := filepath.Join(box, "scripted-0001.jsonl")
	p.must("batch", "submit", file)
	if code, _, errs := p.run("batch", "submit", file); code != 4 || !strings.Contains(errs, "20 of its 20 requests are in batch batch_1 already") {
		t.Errorf("a second submit: exit code %d\n%s", code, errs)
	}
	out := p.must("batch", "export", "-o", again)
	if strings.Contains(out, "scripted-0001.jsonl") || !strings.Contains(out, "20 requests wait in batch batch_1 of scripted") {
		t.Errorf("a second export:\n%s", out)
	}
	if out := p.must("plan", "--calls"); !strings.Contains(out, "no call is left") || !strings.Contains(out, "20 requests wait in batch batch_1 of scripted") {
		t.Errorf("plan --calls:\n%s", out)
	}
	code, _, errs := p.run("build")
	if code != 16 || !strings.Contains(errs, "20 requests wait in batch batch_1 of scripted") || !strings.Contains(errs, "memforge batch poll") {
		t.Errorf("a build in the meantime: exit code %d\n%s", code, errs)
	}
	if n := server.Counts().Requests; n != 0 {
		t.Errorf("%d requests were put although all wait in a batch", n)
	}
	p.must("batch", "poll")
	p.must("build")
	if c := server.Counts(); c.Requests != 1 || c.Repeated != 0 {
		t.Errorf("%d requests besides the batch, %d paid twice; only the fold was left to ask", c.Requests, c.Repeated)
	}
	if code, _, errs := p.run("batch", "submit", file); code != 4 || !strings.Contains(errs, "wait for an answer") {
		t.Errorf("submit after the answers: exit code %d\n%s", code, errs)
	}
}

// TestABuildAsksWhatIsInNoBatch: items whose requests are in a batch wait, others
// go on, and a fold that would miss them is not paid for.
func TestABuildAsksWhatIsInNoBatch(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	box := filepath.Join(p.dir, "box")
	p.must("batch", "export", "-o", box, "--max-lines", "8")
	p.must("batch", "submit", filepath.Join(box, "scripted-0002.jsonl"))
	code, _, errs := p.run("build", "--allow-partial")
	if code != 16 || !strings.Contains(errs, "8 requests wait in batch batch_1 of scripted") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if n := server.Counts().Requests; n != 12 {
		t.Errorf("%d requests were put, want the 12 that are in no batch", n)
	}
	p.must("batch", "drop", "batch_1")
	p.must("build")
	if n := server.Counts().Requests; n != 12+8+1 {
		t.Errorf("%d requests in all, want 21 once the batch was dropped", n)
	}
}

// TestTwoBuildsAskEachRequestOnce runs two builds at once that share a ledger.
func TestTwoBuildsAskEachRequestOnce(t *testing.T) {
	askEachOnce(t, "run.ledger="+filepath.Join(t.TempDir(), "ledger"))
}

// TestTwoMachinesAskEachRequestOnce: so do two that share a database, and the store in it.
func TestTwoMachinesAskEachRequestOnce(t *testing.T) {
	db := testpostgres.URL(t)
	at := url.Values{"bucket": {"file://" + t.TempDir()}, "cache": {t.TempDir()}}
	askEachOnce(t, "run.ledger="+db, "run.store="+db+"&"+at.Encode())
}

func askEachOnce(t *testing.T, sets ...string) {
	t.Helper()
	server := tellServer(t)
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultSlow, Delay: 30 * time.Millisecond})
	args := []string{"build", "--set", "run.limits.model=4"}
	for _, set := range sets {
		args = append(args, "--set", set)
	}
	a, b := newProject(t, server, ""), newProject(t, server, "")
	var wg sync.WaitGroup
	for _, p := range []*project{a, b} {
		wg.Go(func() {
			if code, out, errs := p.run(args...); code != 0 {
				t.Errorf("exit code %d\n%s%s", code, out, errs)
			}
		})
	}
	wg.Wait()
	if c := server.Counts(); c.Answered != 21 || c.Repeated != 0 {
		t.Errorf("%d answers were paid, %d of them twice; 21 are needed", c.Answered, c.Repeated)
	}
	sameRelease(t, filepath.Join(a.dir, "out"), filepath.Join(b.dir, "out"))
}
