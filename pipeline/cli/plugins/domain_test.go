package plugins_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/cli/templates/kitchen"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// runDomain runs a command of memforge with the domain that `memforge new domain` writes, or
// with stock of memforge alone.
func runDomain(t *testing.T, stock bool, args ...string) (code int, out string) {
	t.Helper()
	registry := plugins.Registry()
	if !stock {
		kitchen.Register(registry)
	}
	var b bytes.Buffer
	code = cli.Main(registry, args, strings.NewReader(""), &b, &b, func(string) string { return "" })
	return code, b.String()
}

// mustDomain is a command that must end well.
func mustDomain(t *testing.T, args ...string) string {
	t.Helper()
	code, out := runDomain(t, false, args...)
	if code != 0 {
		t.Fatalf("%s ends with code %d:\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

// domainFolder is a copy of the domain's configuration with its files.
func domainFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("../templates/kitchen")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// builtDomain is the release of the domain's configuration.
func builtDomain(t *testing.T) release.Contents {
	t.Helper()
	file := filepath.Join(domainFolder(t), "pipeline.yaml")
	mustDomain(t, "build", "--file", file)
	c, err := release.Read(t.Context(), strings.TrimSpace(mustDomain(t, "release", "latest", "--file", file)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// asked is how many questions the files of the domain lead to: of 28 days with 3 things.
const asked = 84

// TestEverythingOfADomainReachesARelease: schema and table, question type, gate, export and
// score, and what memforge itself makes of the release.
func TestEverythingOfADomainReachesARelease(t *testing.T) {
	c := builtDomain(t)
	t.Run("table", func(t *testing.T) { checkDomainTable(t, c) })
	t.Run("question type", func(t *testing.T) { checkDomainType(t, c) })
	t.Run("gate", func(t *testing.T) { checkDomainGate(t, c) })
	t.Run("export", func(t *testing.T) { checkDomainExport(t, c) })
	t.Run("score", func(t *testing.T) { checkDomainScore(t, c) })
	t.Run("audit", func(t *testing.T) { checkDomainAudit(t, c) })
}

// checkDomainTable: a clue for each question, its columns told in the footer, and those of
// dropped questions among the rejections.
func checkDomainTable(t *testing.T, c release.Contents) {
	clues, err := release.DecodeTable[kitchen.Clue](c, kitchen.ClueTable)
	if err != nil || len(clues) != len(c.Questions) || len(clues) == 0 {
		t.Fatalf("%d clues of %d questions, %v", len(clues), len(c.Questions), err)
	}
	for i, clue := range clues {
		if q := c.Questions[i]; clue.QuestionID != q.QuestionID || clue.Places[len(clue.Places)-1] != q.AnswerText || !strings.HasSuffix(q.QuestionID, clue.Thing) {
			t.Errorf("question %s, %q: clue %+v", q.QuestionID, q.AnswerText, clue)
		}
	}
	withheld := 0
	for _, r := range c.Rejections {
		if r.Code == "withheld-record" && strings.HasSuffix(r.ID, "-clue") {
			withheld++
		}
	}
	if withheld != len(c.Flagged) || withheld+len(clues) != asked {
		t.Errorf("%d clues are released, %d withheld, and %d questions dropped, of %d", len(clues), withheld, len(c.Flagged), asked)
	}
	data, err := os.ReadFile(filepath.Join(c.Dir, "data", kitchen.ClueTable, "train-00000-of-00001.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, feature := range []string{`"question_id":{"dtype":"string"`, `"thing":{"dtype":"string"`, `"places":`} {
		if !bytes.Contains(data, []byte(feature)) {
			t.Errorf("the footer does not tell %s", feature)
		}
	}
}

// checkDomainType: the make-up that the type declares is what option-roles held questions to.
func checkDomainType(t *testing.T, c release.Contents) {
	i := slices.IndexFunc(c.Manifest.Gates, func(g manifest.GateInfo) bool { return g.Name == "roles" })
	config, err := json.Marshal(c.Manifest.Gates[i].Config)
	if err != nil || !strings.Contains(string(config), kitchen.LastPlace) {
		t.Errorf("the gate was configured with %s, %v", config, err)
	}
	passed := 0
	for _, v := range c.Verdicts {
		if v.Gate == "roles" && v.Outcome == schemas.Pass {
			passed++
		}
	}
	if passed != asked {
		t.Errorf("%d of %d questions passed", passed, asked)
	}
}

// checkDomainGate: dropped is what was at its last place before, and nothing else.
func checkDomainGate(t *testing.T, c release.Contents) {
	before := map[string]bool{}
	note := func(q schemas.Question) {
		for _, e := range q.Evidence {
			if e.Role == schemas.RoleSuperseded && strings.Contains(e.Text, " "+q.AnswerText+".") {
				before[q.QuestionID] = true
			}
		}
	}
	for _, q := range c.Questions {
		note(q)
	}
	for _, f := range c.Flagged {
		note(f.Question)
	}
	outcomes := map[string]int{}
	for _, v := range c.Verdicts {
		if v.Gate != "moved" {
			continue
		}
		outcomes[v.Outcome]++
		if (v.Outcome == schemas.Fail) != before[v.Item] || v.Outcome == schemas.Fail && !strings.HasPrefix(v.Reason, "came-back: ") {
			t.Errorf("%+v; it was there before: %t", v, before[v.Item])
		}
	}
	if outcomes[schemas.Fail] != len(c.Flagged) || outcomes[schemas.Pass] != len(c.Questions) || len(c.Flagged) == 0 {
		t.Errorf("outcomes %v, %d released and %d flagged", outcomes, len(c.Questions), len(c.Flagged))
	}
}

func checkDomainExport(t *testing.T, c release.Contents) {
	out := t.TempDir()
	mustDomain(t, "export", "--format", "kitchen", c.Dir, out)
	data, err := os.ReadFile(filepath.Join(out, "kitchen", "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	var first struct {
		QuestionID, Question, Answer string
		Places                       []string
	}
	if err := json.Unmarshal(bytes.ReplaceAll([]byte(lines[0]), []byte("question_id"), []byte("QuestionID")), &first); err != nil {
		t.Fatal(err)
	}
	q := c.Questions[0]
	if len(lines) != len(c.Questions) || first.QuestionID != q.QuestionID || first.Question != q.Question || first.Answer != q.AnswerText || first.Places[len(first.Places)-1] != q.AnswerText {
		t.Errorf("%d lines of %d questions; the first is %+v", len(lines), len(c.Questions), first)
	}
}

// checkDomainScore answers all questions, the first of them wrong.
func checkDomainScore(t *testing.T, c release.Contents) {
	var b strings.Builder
	for i, q := range c.Questions {
		answer := strings.ToUpper(q.AnswerText)
		if i == 0 {
			answer = "nowhere"
		}
		fmt.Fprintf(&b, "{\"id\": %q, \"prediction\": %q}\n", q.QuestionID, answer)
	}
	file := filepath.Join(t.TempDir(), "answers.jsonl")
	if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	n := len(c.Questions)
	got := strings.Join(strings.Fields(mustDomain(t, "score", "--format", "kitchen", c.Dir, file)), " ")
	if want := fmt.Sprintf("all %.2f %% of %d type last_place", 100*float64(n-1)/float64(n), n); !strings.HasPrefix(got, want) || !strings.Contains(got, "moved 3 ") {
		t.Errorf("scores %s, want %s", got, want)
	}
}

// checkDomainAudit: the program with the domain works everything out again; memforge alone
// verifies the release, and says which gate it does not have.
func checkDomainAudit(t *testing.T, c release.Contents) {
	mustDomain(t, "verify", c.Dir)
	if out := mustDomain(t, "audit", c.Dir); !strings.Contains(out, "\nclean: ") {
		t.Errorf("the audit says\n%s", out)
	}
	if code, out := runDomain(t, true, "verify", c.Dir); code != 0 {
		t.Errorf("memforge verifies with code %d:\n%s", code, out)
	}
	if code, out := runDomain(t, true, "audit", c.Dir); code != 13 || !strings.Contains(out, "kitchen.moved") || strings.Contains(out, "differs") {
		t.Errorf("memforge audits with code %d:\n%s", code, out)
	}
	if code, out := runDomain(t, true, "score", "--format", "kitchen", c.Dir, "none.jsonl"); code != 2 || !strings.Contains(out, "--format must be one of m3eval") {
		t.Errorf("memforge scores with code %d:\n%s", code, out)
	}
}
