package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/testkit"
)

// recorded finds the call that a ledger has for an item.
func (p *project) recorded(item string) ledger.Entry {
	p.t.Helper()
	for line := range strings.Lines(p.must("ledger", "export")) {
		var e ledger.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			p.t.Fatal(err)
		}
		if e.Item == item {
			return e
		}
	}
	p.t.Fatalf("no call for %s is recorded", item)
	return ledger.Entry{}
}

// told is what the newest release says of a thing.
func (p *project) told(id string) string {
	p.t.Helper()
	c, err := release.Read(p.t.Context(), strings.TrimSpace(p.must("release", "latest")))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, q := range c.Questions {
		if q.TaskID == id {
			return q.AnswerText
		}
	}
	p.t.Fatalf("the release has no %s", id)
	return ""
}

// results writes a file of batch results.
func (p *project) results(name string, e ledger.Entry, text string) string {
	p.t.Helper()
	content, _ := json.Marshal(text)
	line := fmt.Sprintf(`{"custom_id":%q,"response":{"status_code":200,"body":{"choices":[{"message":{"content":%s},"finish_reason":"stop"}]}}}`, e.Key, content)
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path, []byte(line+"\n"), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

// TestACorrectedAnswerTakesEffect: one answer of twenty is corrected, by another
// one or by asking again, and the next build, and no later one, works with it.
func TestACorrectedAnswerTakesEffect(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	p.must("build")
	e := p.recorded("thing-0003")
	file := p.results("better.jsonl", e, `{"text":"a kettle"}`)
	if out := p.must("batch", "import", file); !strings.Contains(out, "1 answer requests with another recorded answer") {
		t.Errorf("import without --replace:\n%s", out)
	}
	if out := p.must("build"); !strings.Contains(out, "nothing to do") {
		t.Errorf("nothing was replaced:\n%s", out)
	}
	if out := p.must("batch", "import", "--replace", file); !strings.Contains(out, "1 replaced another answer") {
		t.Errorf("import with --replace:\n%s", out)
	}
	build := func(asked int, want string) {
		t.Helper()
		before := server.Counts().Requests
		p.must("build")
		if n := server.Counts().Requests - before; n != asked {
			t.Errorf("%d requests were put, want %d", n, asked)
		}
		if got := p.told("thing-0003"); got != want {
			t.Errorf("the release says %q, want %q", got, want)
		}
		if out := p.must("build"); !strings.Contains(out, "nothing to do") {
			t.Errorf("the same once more:\n%s", out)
		}
	}
	build(0, "a kettle")
	server.SetAnswer(func(a testkit.ChatRequest) testkit.ChatReply {
		s := tellAnswer(a)
		s.Text = strings.Replace(s.Text, "this is", "this is still", 1)
		return s
	})
	if code, _, errs := p.run("ledger", "forget", strings.Repeat("a", 64)); code != 4 || !strings.Contains(errs, "no answer is recorded") {
		t.Errorf("a key that is not recorded: exit code %d\n%s", code, errs)
	}
	p.must("ledger", "forget", string(e.Key))
	build(1, "this is still thing number 3")
	if out := p.must("explain"); !strings.Contains(out, "corrected answers") {
		t.Errorf("explain:\n%s", out)
	}
}

// TestRefusalsThatArePrunedAreAskedAgain: what docs/models.md promises.
func TestRefusalsThatArePrunedAreAskedAgain(t *testing.T) {
	server := tellServer(t)
	p := newProject(t, server, "")
	server.AddFault(testkit.ModelFault{Kind: testkit.FaultRefusal, Times: 1, Match: "thing number 5"})
	p.must("build")
	p.must("ledger", "prune", "--outcome", "refusal")
	p.must("build")
	if got := p.told("thing-0005"); got != "this is thing number 5" {
		t.Errorf("the release says %q", got)
	}
}
