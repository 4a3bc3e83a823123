package runner_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/eval/runner"
)

// TestReferences: the gold reference finds all evidence, nothing finds none, a full
// context at least what BM25 finds, and BM25 more than nothing.
func TestReferences(t *testing.T) {
	c := contents(t)
	gold := runner.GoldTurns(c)
	recall := map[string]float64{}
	for _, name := range runner.References() {
		s, err := runner.Reference(name, gold)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if _, err := runner.Run(t.Context(), plugins.Registry(), c, s, dir, runner.Options{TopK: 10}); err != nil {
			t.Fatal(err)
		}
		recall[name] = recalled(t, read(t, dir, runner.FileRetrieved), gold)
	}
	t.Logf("mean recall of evidence: %v", recall)
	if recall["gold"] != 1 || recall["nothing"] != 0 || recall["full"] != 1 || recall["bm25"] <= 0.05 || recall["bm25"] > 1 {
		t.Errorf("recall %v", recall)
	}
	if _, err := runner.Reference("oracle", nil); err == nil {
		t.Error("a reference of another name is taken")
	}
}

func recalled(t *testing.T, lines string, gold func(string) []string) float64 {
	t.Helper()
	sum, n := 0.0, 0
	for dec := json.NewDecoder(strings.NewReader(lines)); dec.More(); n++ {
		var l struct {
			ID    string
			Items []runner.Item
		}
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, want := range gold(l.ID) {
			for _, item := range l.Items {
				if len(item.TurnIDs) == 1 && item.TurnIDs[0] == want {
					found++
				}
			}
		}
		sum += float64(found) / float64(len(gold(l.ID)))
	}
	return sum / float64(n)
}
