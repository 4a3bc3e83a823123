package cli_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/testkit"
)

func TestBatchRoundTripWithoutANetwork(t *testing.T) {
	server := tellServer(t)
	live := newProject(t, server, "")
	live.must("build")
	before := server.Counts().Requests
	p := newProject(t, server, "")
	box := filepath.Join(p.dir, "box")
	server.SpoilBatches(func(id string) string {
		return map[byte]string{'0': "failed", '1': "expired"}[id[0]]
	})
	out := p.must("batch", "export", "-o", box, "--max-lines", "8")
	if !strings.Contains(out, "scripted-0003.jsonl: 4 requests for scripted") || strings.Contains(out, "0004") {
		t.Errorf("20 requests in files of 8:\n%s", out)
	}
	p.answerBatches(server, box, 6)
	if server.Counts().Requests != before {
		t.Error("the network was used")
	}
	p.must("build", "--offline")
	sameRelease(t, filepath.Join(live.dir, "out"), filepath.Join(p.dir, "out"))
}

// TestGatesAreAnsweredByBatches builds the same from files as live: requests with
// the prompts and schemas that memforge brings.
func TestGatesAreAnsweredByBatches(t *testing.T) {
	server := examServer(t)
	plan, models := mixedPlan(3, 12), examModels(server.URL, "")
	live := newExam(t, plan, models)
	live.must("build", "--full-protocol")
	before := server.Counts().Requests
	p := newExam(t, plan, models)
	box := filepath.Join(p.dir, "box")
	p.must("batch", "export", "--full-protocol", "-o", box)
	p.answerBatches(server, box, 12, "--full-protocol")
	if server.Counts().Requests != before {
		t.Error("the network was used")
	}
	p.must("build", "--offline", "--full-protocol")
	sameRelease(t, filepath.Join(live.dir, "out"), filepath.Join(p.dir, "out"))
}

// answerBatches lets a server answer what waits in files, which it imports, and
// exports what waits then, until nothing does. Batches are spoiled in the first
// round only.
func (p *project) answerBatches(server *testkit.ModelServer, box string, rounds int, flags ...string) {
	p.t.Helper()
	for range rounds {
		files, err := filepath.Glob(filepath.Join(box, "*.jsonl"))
		if err != nil {
			p.t.Fatal(err)
		}
		if len(files) == 0 {
			return
		}
		for _, f := range files {
			input, err := os.ReadFile(f)
			if err != nil {
				p.t.Fatal(err)
			}
			good, bad := server.AnswerBatch(input)
			if err := os.WriteFile(f, append(bad, good...), 0o644); err != nil {
				p.t.Fatal(err)
			}
		}
		p.must(append([]string{"batch", "import"}, files...)...)
		if err := os.RemoveAll(box); err != nil {
			p.t.Fatal(err)
		}
		server.SpoilBatches(nil)
		p.must(append([]string{"batch", "export", "-o", box}, flags...)...)
	}
	p.t.Fatalf("requests still wait after %d rounds", rounds)
}

func TestBatchSubmitAndPoll(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "    key_env: THE_KEY\n")
	box := filepath.Join(p.dir, "box")
	p.must("batch", "export", "-o", box)
	file := filepath.Join(box, "scripted-0001.jsonl")
	pipe := filepath.Join(p.dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := p.run("batch", "submit", pipe); code != 4 || !strings.Contains(errs, "is a named pipe and no file") {
		t.Errorf("a pipe: exit code %d\n%s", code, errs)
	}
	if code, _, errs := p.run("batch", "submit", file); code != 9 || !strings.Contains(errs, "THE_KEY is not set") {
		t.Errorf("without a key: exit code %d\n%s", code, errs)
	}
	p.env["THE_KEY"] = "sk-1"
	if out := p.must("batch", "submit", file); !strings.Contains(out, "batch batch_1 of 20 requests, validating") {
		t.Errorf("submit:\n%s", out)
	}
	if out := p.must("batch", "poll"); !strings.Contains(out, "20 answered, 0 failed") {
		t.Errorf("poll:\n%s", out)
	}
	if out := p.must("batch", "poll"); !strings.Contains(out, "no batch is pending") {
		t.Errorf("second poll:\n%s", out)
	}
	if out := p.must("batch", "export", "-o", box); !strings.Contains(out, "1 requests for scripted") {
		t.Errorf("the fold's request should wait now:\n%s", out)
	}
	if out := p.must("ledger", "stats"); !strings.Contains(out, "scripted-1  test.tell  ok       20") || !strings.Contains(out, "1 requests wait") {
		t.Errorf("stats:\n%s", out)
	}
}

func TestCallsOfAPlanWithoutModels(t *testing.T) {
	p := newProject(t, tellServer(t), "")
	plain := thingPlan[:strings.Index(thingPlan, "stages:")]
	if err := os.WriteFile(p.file, []byte(strings.NewReplacer("[tell, sum]", "[things]", "use: things", "use: exam").Replace(plain)), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := p.must("plan", "--calls"); !strings.Contains(out, "no step asks a language model") {
		t.Error(out)
	}
	if code, _, _ := p.run("batch", "export"); code != 4 {
		t.Errorf("batch export: exit code %d", code)
	}
}

func TestPlanSaysWhoIsAsked(t *testing.T) {
	server := tellServer(t)
	out := newProject(t, server, "").must("plan")
	host := strings.TrimSuffix(strings.TrimPrefix(server.URL, "http://"), "/v1")
	for _, want := range []string{"tell  captioner  test.tell  scripted (scripted-1 at " + host + ")", "sum   author     test.tell"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	p := newProject(t, server, "    price: {input: 1, output: 10, currency: EUR}\n    sampling: {max_tokens: 100}\n")
	out = p.must("plan", "--calls")
	if !regexp.MustCompile(`tell  test.tell  scripted  20     \d+    2000    0\.02\d+ EUR`).MatchString(out) {
		t.Errorf("estimate before anything is known:\n%s", out)
	}
	if server.Counts().Requests > 0 {
		t.Error("plan asked the server")
	}
	p.must("build")
	out = p.must("plan", "--calls", "--set", "sources.things.with.count=30")
	// The fold is asked when its input is complete.
	if !strings.Contains(out, "tell  test.tell  scripted  10     10000  1000    0.0200 EUR") || strings.Contains(out, "sum  test.tell") {
		t.Errorf("estimate from what was answered:\n%s", out)
	}
	if out := p.must("plan", "--calls"); !strings.Contains(out, "no call is left") {
		t.Errorf("after the build:\n%s", out)
	}
}

// TestADeadBatchBlocksNoOther: a batch that its server does not know (any more) is
// named, others are taken in, and it can be dropped.
func TestADeadBatchBlocksNoOther(t *testing.T) {
	p := newProject(t, tellServer(t), "")
	box := filepath.Join(p.dir, "box")
	p.must("batch", "export", "-o", box)
	l, err := ledger.Open(t.Context(), filepath.Join(p.dir, "out", "ledger"))
	if err != nil {
		t.Fatal(err)
	}
	// Its id sorts before that of the real one.
	if err := errors.Join(l.SaveBatch(t.Context(), ledger.Batch{ID: "a_dead_batch", Name: "scripted", State: "validating", Requests: 3}), l.Close()); err != nil {
		t.Fatal(err)
	}
	p.must("batch", "submit", filepath.Join(box, "scripted-0001.jsonl"))
	code, out, errs := p.run("batch", "poll")
	if code == 0 || !strings.Contains(out, "20 answered, 0 failed") || !strings.Contains(errs, "batch drop a_dead_batch") {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
	if out := p.must("batch", "list"); !strings.Contains(out, "a_dead_batch") || strings.Contains(out, "batch_1") {
		t.Errorf("list:\n%s", out)
	}
	if code, _, errs := p.run("batch", "drop", "another"); code != 4 || !strings.Contains(errs, `no batch "another"`) {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	p.must("batch", "drop", "a_dead_batch")
	if out := p.must("batch", "list"); !strings.Contains(out, "no batch is pending") {
		t.Errorf("list:\n%s", out)
	}
}
