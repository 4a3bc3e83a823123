package cli_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/pipelinetest"
)

func TestBuildThroughAModelReplaysAndCounts(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "    price: {input: 1, output: 10, currency: EUR}\n")
	code, _, errs := p.run("build")
	if code != 0 {
		t.Fatal(errs)
	}
	// 21 calls of 1000 tokens in and 100 out: 21 x 0.002.
	if want := "models: 21 calls, 0 replayed, 21000 tokens in (0 cached), 2100 out, 0.0420 EUR"; !strings.Contains(errs, want) {
		t.Errorf("no line %q in\n%s", want, errs)
	}
	first := filepath.Join(p.dir, "out")
	elsewhere := filepath.Join(p.dir, "again")
	code, _, errs = p.run("build", "--offline", "--out", elsewhere, "--set", "run.ledger="+filepath.Join(first, "ledger"))
	if code != 0 || !strings.Contains(errs, "models: 0 calls, 21 replayed") {
		t.Fatalf("offline: exit code %d\n%s", code, errs)
	}
	sameRelease(t, first, elsewhere)
	code, _, errs = p.run("build", "--offline", "--out", filepath.Join(p.dir, "third"), "--set", "run.ledger="+filepath.Join(first, "ledger"), "--set", "models.scripted.sampling.temperature=1")
	if code != 9 || !strings.Contains(errs, "test.tell for thing-") || !strings.Contains(errs, "[sampling]") {
		t.Errorf("a changed request offline: exit code %d\n%s", code, errs)
	}
	if n := server.Counts().Answered; n != 21 {
		t.Errorf("%d calls, want 21", n)
	}
}

func TestBudgetStopsAndResumes(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "    price: {input: 1, output: 10, currency: EUR}\n")
	calm := newProject(t, server, "    price: {input: 1, output: 10, currency: EUR}\n")
	calm.must("build")
	server.ResetCounts()
	code, _, errs := p.run("build", "--max-cost", "0.0211")
	if code != 8 || strings.Count(errs, "the budget of 0.02 EUR is used up") != 1 {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	if n := server.Counts().Answered; n != 10 {
		t.Errorf("%d calls for a budget of 10.5", n)
	}
	p.must("build", "--max-cost", "0.0230")
	if c := server.Counts(); c.Answered != 21 || c.Repeated != 0 {
		t.Errorf("%d calls, %d of them paid twice; want 21 in both runs together", c.Answered, c.Repeated)
	}
	sameRelease(t, filepath.Join(calm.dir, "out"), filepath.Join(p.dir, "out"))
}

func TestBudgetWithoutAPrice(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	code, _, errs := p.run("build", "--set", "run.max_cost=5")
	if code != 8 || !strings.Contains(errs, "model scripted has no price") || server.Counts().Requests > 0 {
		t.Errorf("exit code %d after %d requests\n%s", code, server.Counts().Requests, errs)
	}
}

func TestServerErrorsAreExitCode9(t *testing.T) {
	server := tellServer(t)
	server.AddFault(pipelinetest.ModelFault{Kind: pipelinetest.FaultStatus, Status: 401, Body: `{"error":{"message":"no"}}`})
	p := newProject(t, server, "")
	code, _, errs := p.run("build")
	if code != 9 || !strings.Contains(errs, "does not accept the key") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}

func TestLedgerCommands(t *testing.T) {
	p := newProject(t, tellServer(t), "")
	if code, _, errs := p.run("ledger", "stats"); code != 4 || !strings.Contains(errs, "there is no ledger") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	p.must("build")
	file := filepath.Join(p.dir, "answers.jsonl")
	p.must("ledger", "export", "-o", file)
	if code, _, _ := p.run("ledger", "prune"); code != 2 {
		t.Errorf("prune without saying what: exit code %d", code)
	}
	if out := p.must("ledger", "prune", "--task", "test.tell", "--dry-run"); !strings.Contains(out, "would remove 21 calls, whose answers took 21000 tokens in") {
		t.Error(out)
	}
	if out := p.must("ledger", "prune", "--all"); !strings.Contains(out, "removed 21 calls") {
		t.Error(out)
	}
	if out := p.must("ledger", "import", file); !strings.Contains(out, "21 calls added, 0 known") {
		t.Error(out)
	}
	if code, _, _ := p.run("ledger", "import", p.file); code != 4 {
		t.Errorf("import of something else: exit code %d", code)
	}
}

// TestKilledBuildsPayOnlyForWhatWasOnItsWay kills builds at random moments, as
// often as MEMFORGE_KILLS says (default 8), and lets the next go on.
func TestKilledBuildsPayOnlyForWhatWasOnItsWay(t *testing.T) {
	if testing.Short() {
		t.Skip("short: it kills many builds")
	}
	const items, atOnce = 400, 8
	kills := 8
	if os.Getenv("MEMFORGE_KILLS") != "" {
		kills = 30
	}
	server := tellServer(t)
	server.AddFault(pipelinetest.ModelFault{Kind: pipelinetest.FaultSlow, Delay: 40 * time.Millisecond})
	args := []string{"build", "--set", "sources.things.with.count=400", "--set", "run.limits.model=8"}
	calm := newProject(t, server, "")
	calm.must(args...)
	server.ResetCounts()

	rough := newProject(t, server, "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rnd := rand.New(rand.NewPCG(4, uint64(kills)))
	killed := 0
	for range kills {
		cmd := exec.Command(self, append(args, "-f", rough.file)...)
		cmd.Env = append(os.Environ(), childVariable+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		before := server.Counts().Answered
		for deadline := time.Now().Add(20 * time.Second); server.Counts().Answered == before && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(rnd.IntN(2400/kills)) * time.Millisecond)
		if cmd.Process.Kill() == nil {
			killed++
		}
		_ = cmd.Wait()
	}
	rough.must(args...)
	c := server.Counts()
	t.Logf("%d kills: %d calls for %d items, %d paid twice", killed, c.Answered, items+1, c.Repeated)
	if c.Answered-c.Repeated != items+1 || c.Repeated > killed*atOnce {
		t.Errorf("%d calls for %d items, %d paid twice; at most %d were on their way", c.Answered, items+1, c.Repeated, killed*atOnce)
	}
	sameRelease(t, filepath.Join(calm.dir, "out"), filepath.Join(rough.dir, "out"))
}

func TestDoctorProbesModels(t *testing.T) {
	server := tellServer(t)
	sees := func(a pipelinetest.Asked) pipelinetest.Said {
		switch {
		case a.Schema != nil:
			return pipelinetest.Say(map[string]string{"colour": "red"})
		case len(a.Images) > 0:
			return pipelinetest.Said{Text: "Red."}
		}
		return pipelinetest.Said{Text: "ready"}
	}
	server.SetAnswer(sees)
	p := newProject(t, server, "")
	if out := p.must("doctor"); !strings.Contains(out, "for author, captioner: chat yes, json_schema yes, seed yes, images yes, embeddings yes") {
		t.Errorf("a server that can everything:\n%s", out)
	}
	server.SetAnswer(func(a pipelinetest.Asked) pipelinetest.Said {
		return pipelinetest.Said{Text: "It is green, I suppose."}
	})
	code, _, errs := p.run("doctor")
	if code != 9 || !strings.Contains(errs, "capabilities.json_schema is true and does not work") || !strings.Contains(errs, "capabilities.images is true") {
		t.Errorf("a server that follows nothing: exit code %d\n%s", code, errs)
	}
	before := server.Counts().Requests
	p.must("doctor", "--skip-models")
	if server.Counts().Requests != before {
		t.Error("--skip-models asked the server")
	}
}

// TestFaultsDoNotShowInTheRelease builds through a server of whose answers 30 %
// are spoiled in every way there is.
func TestFaultsDoNotShowInTheRelease(t *testing.T) {
	server := tellServer(t)
	args := []string{"build", "--set", "sources.things.with.count=150"}
	calm := newProject(t, server, "    limits: {requests_per_minute: 60000}\n")
	calm.must(args...)
	wrong := []pipelinetest.ModelFault{
		pipelinetest.Refuse429("retry-after-ms", "2"), pipelinetest.Refuse429("Retry-After", "0"),
		{Kind: pipelinetest.FaultStatus, Status: 500}, {Kind: pipelinetest.FaultStatus, Status: 503, Body: "<html>"},
		{Kind: pipelinetest.FaultReset}, {Kind: pipelinetest.FaultCut}, {Kind: pipelinetest.FaultCutJSON},
		{Kind: pipelinetest.FaultTwice}, {Kind: pipelinetest.FaultBytes}, {Kind: pipelinetest.FaultHTML},
		{Kind: pipelinetest.FaultType}, {Kind: pipelinetest.FaultInside}, {Kind: pipelinetest.FaultEmpty},
		{Kind: pipelinetest.FaultFence}, {Kind: pipelinetest.FaultSlow, Delay: 20 * time.Millisecond},
		{Kind: pipelinetest.FaultSchema, Each: 1}, {Kind: pipelinetest.FaultProse, Each: 1},
	}
	for _, f := range wrong {
		f.Share = 0.021 // one after the other: 30 % in all
		server.AddFault(f)
	}
	server.ResetCounts()
	rough := newProject(t, server, "    limits: {requests_per_minute: 60000}\n")
	rough.must(args...)
	c := server.Counts()
	t.Logf("%d requests, %d of them spoiled, for 151 items", c.Requests, c.Faulted)
	if c.Faulted < 40 {
		t.Errorf("only %d requests were spoiled", c.Faulted)
	}
	sameRelease(t, filepath.Join(calm.dir, "out"), filepath.Join(rough.dir, "out"))
}

func TestExplainNamesTheModel(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	p.must("build")
	p.must("build", "--set", "models.scripted.model=scripted-2", "--set", "models.scripted.sampling.temperature=0.5")
	out := p.must("explain", "--set", "models.scripted.model=scripted-2")
	for _, want := range []string{"model of captioner: scripted-1 -> scripted-2", "sampling of captioner.temperature: absent -> 0.5"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestMisspeltRole(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	// A role that is not asked is no mistake when the one like it has its line.
	p.must("plan", "--set", "roles.authors=scripted", "--set", "roles.judge=scripted")
	if err := os.WriteFile(p.file, []byte(thingPlan+server.YAML("", "author", "captoner")), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, errs := p.run("plan")
	if code != 3 || !strings.Contains(errs, `no node asks the role "captoner"; did you mean "captioner"?`) {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}
