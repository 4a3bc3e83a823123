package format

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score/textmatch"
)

// publishedItem is a retrieved item of the published scorer.
type publishedItem struct {
	Rank  int    `json:"rank"`
	ID    string `json:"memory_id"`
	Text  string `json:"text"`
	Other string `json:"raw_backend_id"`
	Image string `json:"image_path"`
}

func (p publishedItem) found(sessions map[string][]string) foundItem {
	return newFoundItem(p.Text, []string{p.ID, p.Other, p.Image}, sessions[strconv.Itoa(p.Rank)])
}

// TestPublishedFunctions: the functions give what those of the published code give.
func TestPublishedFunctions(t *testing.T) {
	data, err := os.ReadFile("testdata/published.json")
	if err != nil {
		t.Fatal(err)
	}
	type texts []struct{ Text, Want string }
	type pairs []struct {
		Prediction, Reference string
		Want                  float64
	}
	var cases struct {
		Normalize texts `json:"normalize"`
		MatchNorm texts `json:"match_norm"`
		F1        pairs `json:"f1"`
		BLEU      pairs `json:"bleu1"`
		DCG       []struct {
			Relevances []float64
			K          int
			Want       float64
		}
		Match []struct {
			Item     publishedItem
			ID       string              `json:"gold_id"`
			Content  string              `json:"gold_content"`
			Sessions map[string][]string `json:"sessions_by_rank"`
			Want     bool
		}
		Ranking []struct {
			IDs      []string `json:"gold_ids"`
			Contents []string `json:"gold_contents"`
			Items    []publishedItem
			Sessions map[string][]string `json:"sessions_by_rank"`
			Want     struct {
				Recall map[string]float64 `json:"recall_at"`
				NDCG   map[string]float64 `json:"ndcg_at"`
			}
		}
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	n := 0
	near := func(what string, got, want float64) {
		n++
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
	}
	for _, c := range cases.Normalize {
		if n++; normalise(c.Text) != c.Want {
			t.Errorf("%q becomes %q, want %q", c.Text, normalise(c.Text), c.Want)
		}
	}
	for _, c := range cases.MatchNorm {
		if n++; strings.Join(textmatch.Words(c.Text), " ") != c.Want {
			t.Errorf("the words of %q are %q, want %q", c.Text, strings.Join(textmatch.Words(c.Text), " "), c.Want)
		}
	}
	compare := textmatch.Normaliser(textmatch.WorldMemArena)
	for _, c := range cases.F1 {
		near("F1 of "+c.Prediction+" and "+c.Reference, compare.F1(c.Prediction, c.Reference), c.Want)
	}
	for _, c := range cases.BLEU {
		near("BLEU-1 of "+c.Prediction+" and "+c.Reference, compare.BLEU(c.Prediction, c.Reference, 1), c.Want)
	}
	for _, c := range cases.DCG {
		dcg := 0.0
		for at, r := range c.Relevances[:min(c.K, len(c.Relevances))] {
			dcg += r * discount(at+1, VariantUpstream)
		}
		near("DCG", dcg, c.Want)
	}
	for _, c := range cases.Match {
		if n++; c.Item.found(c.Sessions).matches(goldPiece{name: c.ID, content: c.Content}) != c.Want {
			t.Errorf("%+v matches %s %q: want %v", c.Item, c.ID, c.Content, c.Want)
		}
	}
	for _, c := range cases.Ranking {
		var items []foundItem
		for _, i := range c.Items {
			items = append(items, i.found(c.Sessions))
		}
		var evidence []goldPiece
		for at := range max(len(c.IDs), len(c.Contents)) {
			var g goldPiece
			if at < len(c.IDs) {
				g.name = c.IDs[at]
			}
			if at < len(c.Contents) && (len(c.IDs) == 0 || at < len(c.IDs)) {
				g.content = c.Contents[at]
			}
			evidence = append(evidence, g)
		}
		if len(c.IDs) > 0 {
			evidence = evidence[:len(c.IDs)]
		}
		for _, k := range cutoffs() {
			near("Recall", recallAt(items, evidence, k), c.Want.Recall[strconv.Itoa(k)])
			near("NDCG", ndcg(items, evidence, k, VariantUpstream), c.Want.NDCG[strconv.Itoa(k)])
		}
	}
	if n < 300 {
		t.Errorf("%d cases", n)
	}
}
