package plugins_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli"
	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/testkit"
)

const judgedSample = `{"sample_id": "t", "sessions": [{"_v2_session_id": "S01", "dialogue": []}], "memory_points": [], "qa_checkpoints": [
{"checkpoint_id": "QA01", "questions": [{"question": "Which colour has the hall?", "answer": "yellow", "evidence": [], "question_type": "fact", "question_type_abbrev": "FR"}]}]}`

// TestScoreWithAJudge: a model labels answers once; its labels serve again without it, and not for
// other answers.
func TestScoreWithAJudge(t *testing.T) {
	m := testkit.NewModelServer(t, func(testkit.ChatRequest) testkit.ChatReply {
		return testkit.ReplyJSON(map[string]any{"labels": []any{map[string]any{"number": 1, "why": "the same colour", "label": "Correct"}}})
	})
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"models.yaml":                   fmt.Sprintf("version: 1\nmodels:\n  one: {base_url: %s, model: judge-1, price: {input: 1, output: 10, currency: EUR}}\n", m.URL),
		"data/lifelong/personal/t.json": judgedSample,
		"answers.jsonl":                 `{"id": "t/QA01/1", "prediction": "The colour of the sun."}`,
		"others.jsonl":                  `{"id": "t/QA01/1", "prediction": "Green."}`,
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		args  string
		code  int
		says  string
		asked int
	}{
		{"data answers.jsonl", 0, "accuracy", 0},
		{"--judge one --batch outbox data answers.jsonl", 0, "1 questions wait", 0},
		{"--judge one --offline data answers.jsonl", -1, "score.answer", 0},
		{"--judge one --max-cost 1 data answers.jsonl", 0, "QA-C", 1},
		{"--judge one --offline data answers.jsonl", 0, "models: 0 calls, 1 replayed", 1},
		{"--labels answers.judge.jsonl data answers.jsonl", 0, "note: 1 labels by judge-1", 1},
		{"--labels answers.judge.jsonl data others.jsonl", 4, "1 labels are of other answers", 1},
		{"--judge built-in data answers.jsonl", 2, "no rule to judge by", 1},
		{"--judge two data answers.jsonl", 2, `no panel and no model is called "two"`, 1},
	} {
		var said bytes.Buffer
		args := append([]string{"score", "-f", "models.yaml", "--format", "worldmemarena"}, strings.Fields(tc.args)...)
		code := cli.Main(plugins.Registry(), args, strings.NewReader(""), &said, &said, os.Getenv)
		if code != tc.code && (tc.code >= 0 || code == 0) || !strings.Contains(said.String(), tc.says) || m.Counts().Answered != tc.asked {
			t.Errorf("%s: code %d after %d answers\n%s", tc.args, code, m.Counts().Answered, said.String())
		}
	}
}
