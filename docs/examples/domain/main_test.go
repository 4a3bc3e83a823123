package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.com/kitchen/kitchen"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// run is a command of the program that main builds, or with stock of memforge.
func run(t *testing.T, stock bool, args ...string) (code int, out string) {
	t.Helper()
	registry := plugins.Registry()
	if !stock {
		kitchen.Register(registry)
	}
	var b bytes.Buffer
	code = cli.Main(registry, args, strings.NewReader(""), &b, &b, func(string) string { return "" })
	return code, b.String()
}

// own is a command that must end well.
func own(t *testing.T, args ...string) string {
	t.Helper()
	code, out := run(t, false, args...)
	if code != 0 {
		t.Fatalf("%s ends with code %d:\n%s", strings.Join(args, " "), code, out)
	}
	return out
}

// built is the release of pipeline.yaml.
func built(t *testing.T) release.Contents {
	t.Helper()
	plan, err := os.ReadFile("pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "pipeline.yaml")
	if err := os.WriteFile(file, plan, 0o644); err != nil {
		t.Fatal(err)
	}
	own(t, "build", "--file", file)
	c, err := release.Read(t.Context(), strings.TrimSpace(own(t, "release", "latest", "--file", file)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestEverythingReachesARelease: schema and table, question type, gate, export and
// score, and what memforge itself makes of the release.
func TestEverythingReachesARelease(t *testing.T) {
	c := built(t)
	t.Run("table", func(t *testing.T) { checkTable(t, c) })
	t.Run("question type", func(t *testing.T) { checkType(t, c) })
	t.Run("gate", func(t *testing.T) { checkGate(t, c) })
	t.Run("export", func(t *testing.T) { checkExport(t, c) })
	t.Run("score", func(t *testing.T) { checkScore(t, c) })
	t.Run("audit", func(t *testing.T) { checkAudit(t, c) })
}

// checkTable: a clue for each question, its columns told in the footer, and those of
// dropped questions among the rejections.
func checkTable(t *testing.T, c release.Contents) {
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
	if withheld != len(c.Flagged) || withheld+len(clues) != 120 {
		t.Errorf("%d clues are released, %d withheld, and %d questions dropped, of 120", len(clues), withheld, len(c.Flagged))
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

// checkType: the make-up that the type declares is what option-roles held questions to.
func checkType(t *testing.T, c release.Contents) {
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
	if passed != 120 {
		t.Errorf("%d of 120 questions passed", passed)
	}
}

// checkGate: dropped is what was at its last place before, and nothing else.
func checkGate(t *testing.T, c release.Contents) {
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
		if v.Gate != "stale" {
			continue
		}
		outcomes[v.Outcome]++
		if (v.Outcome == schemas.Fail) != before[v.Item] || v.CallsMade != 1 || v.Outcome == schemas.Fail && !strings.HasPrefix(v.Reason, "stale-tells: ") {
			t.Errorf("%+v; it was there before: %t", v, before[v.Item])
		}
	}
	if outcomes[schemas.Fail] != len(c.Flagged) || outcomes[schemas.Pass] != len(c.Questions) || len(c.Flagged) == 0 {
		t.Errorf("outcomes %v, %d released and %d flagged", outcomes, len(c.Questions), len(c.Flagged))
	}
}

func checkExport(t *testing.T, c release.Contents) {
	out := t.TempDir()
	own(t, "export", "--format", "kitchen", c.Dir, out)
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

// checkScore answers all questions, the first of them wrong.
func checkScore(t *testing.T, c release.Contents) {
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
	got := strings.Join(strings.Fields(own(t, "score", "--format", "kitchen", c.Dir, file)), " ")
	if want := fmt.Sprintf("all %.2f %% of %d type last_place", 100*float64(n-1)/float64(n), n); !strings.HasPrefix(got, want) || !strings.Contains(got, "moved 3 ") {
		t.Errorf("scores %s, want %s", got, want)
	}
}

// checkAudit: the program with the domain works everything out again; memforge alone
// verifies the release, and says which gate it does not have.
func checkAudit(t *testing.T, c release.Contents) {
	own(t, "verify", c.Dir)
	if out := own(t, "audit", c.Dir); !strings.Contains(out, "\nclean: ") {
		t.Errorf("the audit says\n%s", out)
	}
	if code, out := run(t, true, "verify", c.Dir); code != 0 {
		t.Errorf("memforge verifies with code %d:\n%s", code, out)
	}
	if code, out := run(t, true, "audit", c.Dir); code != 13 || !strings.Contains(out, "kitchen.stale") || strings.Contains(out, "differs") {
		t.Errorf("memforge audits with code %d:\n%s", code, out)
	}
	if code, out := run(t, true, "score", "--format", "kitchen", c.Dir, "none.jsonl"); code != 2 || !strings.Contains(out, "--format must be one of m3eval") {
		t.Errorf("memforge scores with code %d:\n%s", code, out)
	}
}

// TestTheDomainIsShort: what a contributor writes for all this.
func TestTheDomainIsShort(t *testing.T) {
	lines := 0
	for _, pattern := range []string{"*.go", "kitchen/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(f, "_test.go") {
				lines += bytes.Count(data, []byte("\n"))
			}
		}
	}
	if lines > 250 || lines < 100 {
		t.Errorf("%d lines of Go, tests not counted; want at most 250", lines)
	}
}
