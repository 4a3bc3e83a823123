package drive_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/all"
	"github.com/memforge/memforge/pipeline/drive"
)

// TestReferences: the gold reference finds all evidence, nothing finds none, a full
// context at least what BM25 finds, and BM25 more than nothing.
func TestReferences(t *testing.T) {
	c := contents(t)
	gold := drive.Gold(c)
	recall := map[string]float64{}
	for _, name := range drive.References() {
		s, err := drive.Reference(name, gold)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if _, err := drive.Run(t.Context(), all.Registry(), c, s, dir, drive.Options{TopK: 10}); err != nil {
			t.Fatal(err)
		}
		recall[name] = recalled(t, read(t, dir, drive.FileRetrieved), gold)
	}
	t.Logf("mean recall of evidence: %v", recall)
	if recall["gold"] != 1 || recall["nothing"] != 0 || recall["full"] != 1 || recall["bm25"] <= 0.05 || recall["bm25"] > 1 {
		t.Errorf("recall %v", recall)
	}
	if _, err := drive.Reference("oracle", nil); err == nil {
		t.Error("a reference of another name is taken")
	}
}

func recalled(t *testing.T, lines string, gold func(string) []string) float64 {
	t.Helper()
	sum, n := 0.0, 0
	for dec := json.NewDecoder(strings.NewReader(lines)); dec.More(); n++ {
		var l struct {
			ID    string
			Items []drive.Item
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
