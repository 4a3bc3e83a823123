package runner_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/cli/plugins"
	"github.com/memforge/memforge/pipeline/eval/runner"
)

// TestReferences: the gold reference finds all evidence, nothing finds none, a whole
// history at least what a search finds, and a search more than nothing. Nothing answers by
// lot, the others not at all.
func TestReferences(t *testing.T) {
	c := contents(t)
	gold := runner.GoldTurns(c)
	o := runner.ReferenceOptions{Gold: gold, Embedder: &runner.Embedder{Asking: runner.Asking{Registry: plugins.Registry(), Name: "built-in"}}}
	recall := map[string]float64{}
	for _, name := range runner.References() {
		s, err := runner.Reference(name, o)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		sum, err := runner.Run(t.Context(), plugins.Registry(), c, s, dir, runner.Options{TopK: 10, Parallel: 4})
		if err != nil {
			t.Fatal(err)
		}
		recall[name] = recalled(t, read(t, dir, runner.FileRetrieved), gold)
		if answered := sum.Answered == len(c.Questions); answered != (name == runner.ReferenceNothing) || sum.Questions != len(c.Questions) {
			t.Errorf("%s answers %d of %d questions", name, sum.Answered, sum.Questions)
		}
		if !strings.Contains(read(t, dir, runner.FileRun), `"isolation": "state"`) {
			t.Errorf("%s: isolation in %s", name, read(t, dir, runner.FileRun))
		}
	}
	t.Logf("mean recall of evidence: %v", recall)
	if recall["gold"] != 1 || recall["nothing"] != 0 || recall["whole-history"] != 1 || recall["bm25"] <= 0.05 || recall["bm25"] > 1 || recall["dense"] <= 0.05 || recall["dense"] > 1 {
		t.Errorf("recall %v", recall)
	}
	if _, err := runner.Reference("oracle", o); err == nil {
		t.Error("a reference of another name is taken")
	}
	if _, err := runner.Reference("dense", runner.ReferenceOptions{}); err == nil {
		t.Error("dense retrieval without a model that embeds is taken")
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
