package format

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/score/textmatch"
)

// TestPublishedCases: testdata/published.json has inputs of MemEye's published scorer
// (MinghoKwok/MemEye at 0358e70) and what it gives. The variant upstream gives the same.
func TestPublishedCases(t *testing.T) {
	data, err := os.ReadFile("testdata/published.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases struct {
		Normalize [][2]string
		Open      [][8]any // answer, gold, and the six metrics
		Choice    [][3]string
		Judge     [][2]any
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases.Normalize {
		if got := textmatch.MemEye(c[0]); got != c[1] {
			t.Errorf("normalised %q is %q, want %q", c[0], got, c[1])
		}
	}
	for _, c := range cases.Open {
		q := scoredQuestion{id: "q", gold: c[1].(string)}
		m, err := q.markQuestion(map[string]string{"q#open": c[0].(string)}, VariantUpstream)
		if err != nil {
			t.Fatal(err)
		}
		for i, metric := range []string{"EM", "contains", "F1", "BLEU", "BLEU-1", "BLEU-2"} {
			if got := m.open[metric]; math.Abs(got-c[i+2].(float64)) > 1e-12 {
				t.Errorf("%s of %q for %q is %v, want %v", metric, c[0], c[1], got, c[i+2])
			}
		}
	}
	for _, c := range cases.Choice {
		keys, want := c[1], c[2]
		if keys == "" {
			keys = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		}
		if want == "INVALID" {
			want = ""
		}
		if got := firstLoneLetter(c[0], keys); got != want {
			t.Errorf("of %s, %q is %q, want %q", keys, c[0], got, want)
		}
	}
	for _, c := range cases.Judge {
		said, found := parseJudgeReply(c[0].(string))
		want, any := c[1].(float64)
		got, _ := roundJudgeScore(said, VariantUpstream)
		if found != any || found && got != want {
			t.Errorf("the judge's %q is %v, %v, want %v", c[0], got, found, c[1])
		}
	}
	if n := len(cases.Normalize) + len(cases.Open) + len(cases.Choice) + len(cases.Judge); n < 350 {
		t.Errorf("%d cases, want all", n)
	}
}

// TestGoldIsRight: nothing gets 0 in every metric and gold 1, but for BLEU as the code has
// it, where the gold has fewer words than BLEU has orders.
func TestGoldIsRight(t *testing.T) {
	for _, gold := range []string{"7", "12.5", "img_01", "a red sofa", "left of the red door", "x-ray no. 3"} {
		for _, variant := range []string{VariantPaper, VariantUpstream} {
			b := bench{{"q", "T", "X1", "Y1", "what?", gold, "q"}}
			if ids := b.IDs(); !slices.Equal(ids, []string{"q#A", "q#B", "q#C", "q#D", "q#open", "q#judge"}) {
				t.Fatalf("%q is scored", ids)
			}
			got, err := b.markAnswers(map[string]string{"q#open": gold, "q#judge": "1", "q#A": "A", "q#B": "B", "q#C": "C", "q#D": "D"}, score.Options{Variant: variant})
			if err != nil {
				t.Fatal(err)
			}
			empty, err := b.markAnswers(map[string]string{"q#open": "", "q#judge": "0", "q#A": "", "q#B": "", "q#C": "", "q#D": ""}, score.Options{Variant: variant})
			if err != nil {
				t.Fatal(err)
			}
			for _, metric := range metrics() {
				if v := empty.marks[0].metric(metric); v != 0 {
					t.Errorf("%s: %s of nothing for %q is %v", variant, metric, gold, v)
				}
				if v := got.marks[0].metric(metric); math.Abs(v-1) > 1e-12 && (variant == VariantPaper || metric != "BLEU" && metric != "BLEU-2") {
					t.Errorf("%s: %s of the gold %q is %v", variant, metric, gold, v)
				}
			}
		}
	}
}
