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
	if recall["recency"] > recall["whole-history"] || recall["gold"] != 1 || recall["nothing"] != 0 || recall["whole-history"] != 1 || recall["bm25"] <= 0.05 || recall["bm25"] > 1 || recall["dense"] <= 0.05 || recall["dense"] > 1 {
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

// told is a reference system that was told turns, each with a text.
func told(t *testing.T, rule string, o runner.ReferenceOptions, texts ...string) runner.System {
	t.Helper()
	s, err := runner.Reference(rule, o)
	if err == nil {
		err = s.Reset(t.Context(), "t")
	}
	for i, text := range texts {
		if err == nil {
			err = s.Ingest(t.Context(), runner.Turn{TurnID: string(rune('a' + i)), Role: "user", Text: text})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func retrievedIDs(t *testing.T, s runner.System, question string, k int) (ids string) {
	t.Helper()
	items, err := s.Retrieve(t.Context(), runner.Query{Question: question, TopK: k})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range items {
		ids += i.ID
	}
	return ids
}

// TestRecencyTakesTheNewestTurnsThatFit, the newest first: as many as count, in as many tokens
// as are shown. A turn is "user: " and five letters, that is 11 characters.
func TestRecencyTakesTheNewestTurnsThatFit(t *testing.T) {
	for _, tc := range []struct {
		context, top int
		want         string
	}{{0, 2, "ed"}, {0, 10, "edcba"}, {6, 10, "ed"}, {9, 10, "edc"}, {2, 10, ""}} {
		s := told(t, "recency", runner.ReferenceOptions{Context: tc.context}, "first", "other", "third", "again", "sixth")
		if got := retrievedIDs(t, s, "first", tc.top); got != tc.want {
			t.Errorf("%d tokens, the first %d: %q, want %q", tc.context, tc.top, got, tc.want)
		}
	}
}

// TestRanksMixRecency: of turns that say the same the newest is first; with all the weight
// the newest of the candidates are, and a turn that is no candidate stays out.
func TestRanksMixRecency(t *testing.T) {
	o := runner.ReferenceOptions{Embedder: &runner.Embedder{Asking: runner.Asking{Registry: plugins.Registry(), Name: "built-in"}}}
	texts := []string{"the cat sleeps", "the cat sleeps today", "a dog barks", "two boats sail"}
	plain := retrievedIDs(t, told(t, "dense", o, texts...), "the cat sleeps", 1)
	o.Recency = 1
	if got := retrievedIDs(t, told(t, "dense", o, texts...), "the cat sleeps", 1); plain != "a" || got != "b" {
		t.Errorf("%q by similarity and %q by recency, want a and b", plain, got)
	}
	for rule, share := range map[string]float64{"dense": 1.5, "bm25": 0.5, "recency": 0.3} {
		o.Recency = share
		if _, err := runner.Reference(rule, o); err == nil {
			t.Errorf("%s takes a share of %v", rule, share)
		}
	}
}
