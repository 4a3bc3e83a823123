package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit"
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

func TestABudgetOfNothingSpendsNothing(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "    price: {input: 1, output: 10, currency: EUR}\n")
	code, _, errs := p.run("build", "--max-cost", "0")
	if n := server.Counts().Answered; code != 8 || n != 0 || !strings.Contains(errs, "the budget of 0.00 EUR is used up") {
		t.Errorf("exit code %d after %d calls\n%s", code, n, errs)
	}
	code, _, errs = p.run("build", "--set", "run.max_cost=0")
	if n := server.Counts().Answered; code != 8 || n != 0 {
		t.Errorf("run.max_cost: exit code %d after %d calls\n%s", code, n, errs)
	}
	for _, bad := range []string{"NaN", "Inf", "-1", "much"} {
		if code, _, errs := p.run("build", "--max-cost="+bad); code != 2 || !strings.Contains(errs, "no amount of money") {
			t.Errorf("--max-cost=%s: exit code %d\n%s", bad, code, errs)
		}
	}
}

// TestABadMomentMakesNoSmallerRelease: an item that a server failed on is lost for
// the moment only, and a release without it is written when asked for.
func TestABadMomentMakesNoSmallerRelease(t *testing.T) {
	t.Parallel()
	server := tellServer(t)
	p := newProject(t, server, "    limits: {tries: 2}\n")
	calm := newProject(t, server, "    limits: {tries: 2}\n")
	calm.must("build")
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultStatus, Status: 500, Body: "no", Match: "thing number 7"})
	code, _, errs := p.run("build")
	if code != 16 || !strings.Contains(errs, "no release was written") {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	small := filepath.Join(p.dir, "small")
	if code, _, errs := p.run("build", "--allow-partial", "--out", small); code != 0 {
		t.Fatalf("--allow-partial: exit code %d\n%s", code, errs)
	}
	server.ClearFaults()
	p.must("build")
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
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultStatus, Status: 401, Body: `{"error":{"message":"no"}}`})
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
	if out := p.must("ledger", "prune", "--task", "test.tell", "--dry-run"); !strings.Contains(out, "would remove 21 calls with 21000 input") {
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

func TestDoctorProbesModels(t *testing.T) {
	server := tellServer(t)
	sees := func(a testkit.ChatRequest) testkit.ChatReply {
		switch {
		case a.Schema != nil:
			if a.Task != "gate_point_coverage" || !strings.Contains(string(a.Body), `"strict":true`) {
				t.Errorf("doctor asks with the schema of %s: %s", a.Task, a.Body)
			}
			return testkit.ChatReply{Text: `{"statements":[{"number":1,"turn":0,"picture":0,"quote":"red","answer":"yes"}]}`}
		case len(a.Images) > 0:
			return testkit.ChatReply{Text: "Red."}
		}
		return testkit.ChatReply{Text: "ready"}
	}
	server.SetAnswer(sees)
	p := newProject(t, server, "")
	if out := p.must("doctor"); !strings.Contains(out, "for author, captioner: chat yes, json_schema yes, seed yes, images yes, embeddings yes") {
		t.Errorf("a server that can everything:\n%s", out)
	}
	server.SetAnswer(func(a testkit.ChatRequest) testkit.ChatReply {
		return testkit.ChatReply{Text: "It is green, I suppose."}
	})
	code, _, errs := p.run("doctor")
	if code != 9 || !strings.Contains(errs, "capabilities.json_schema is true but does not work") || !strings.Contains(errs, "capabilities.images is true") {
		t.Errorf("a server that follows nothing: exit code %d\n%s", code, errs)
	}
	before := server.Counts().Requests
	p.must("doctor", "--skip-models")
	if server.Counts().Requests != before {
		t.Error("--skip-models asked the server")
	}
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
	if code != 3 || !strings.Contains(errs, `no step asks the role "captoner"; did you mean "captioner"?`) {
		t.Errorf("exit code %d\n%s", code, errs)
	}
}
