package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// changing is one question about a change, over five rounds: D1:1 is stale, D3:1 holds.
func changing() retrievalBench {
	return newRetrievalBench([]Task{{Name: "T", Rounds: []string{"D1:1", "D1:2", "D2:1", "D3:1", "D3:2"}, Items: []Item{{ID: "q", Y: "Y3", Clues: []string{"D1:1", "D3:1"}}}}})
}

func TestRetrieval(t *testing.T) {
	for name, c := range map[string]struct {
		ranking string
		want    map[string]float64
	}{
		"latest first":          {"D3:1 D1:1", map[string]float64{"any clue": 1, "coverage": 1, "full": 1, "latest": 1, "latest miss": 0, "stale clue first": 0, "stale session first": 0, "inversion": 0}},
		"stale first":           {"D1:1 D3:1", map[string]float64{"full": 1, "latest": 1, "stale clue first": 1, "stale session first": 1, "inversion": 1}},
		"stale alone":           {"D1:1 D2:1", map[string]float64{"coverage": 0.5, "full": 0, "latest": 0, "latest miss": 1, "stale clue first": 1, "stale session first": 1, "inversion": 0}},
		"its session, no clue":  {"D1:2 D3:1", map[string]float64{"coverage": 0.5, "latest": 1, "stale clue first": 0, "stale session first": 1, "inversion": 1}},
		"another session":       {"D2:1 D3:1", map[string]float64{"stale clue first": 0, "stale session first": 0, "inversion": 0}},
		"later than the latest": {"D3:2 D3:1", map[string]float64{"stale session first": 0}},
		"nothing":               {"", map[string]float64{"any clue": 0, "coverage": 0, "latest miss": 1, "stale clue first": 0}},
	} {
		got, err := changing().Score(map[string]string{"q": c.ranking}, score.Options{Variant: "top10"})
		if err != nil {
			t.Fatal(err)
		}
		figures := got.(retrievalScores).Lines[0].Figures
		for measure, want := range c.want {
			if math.Abs(figures[measure].Value-want) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", name, measure, figures[measure].Value, want)
			}
		}
	}
}

// TestRecency: ages are 5 for D1:1 and 2 for D3:1. By similarity the stale round is
// ahead by 0.05, by recency the latest by e^-0.04 - e^-0.1 = 0.056: first from half on.
func TestRecency(t *testing.T) {
	got, err := changing().Score(map[string]string{"q": "D1:1=0.80 D3:1=0.75"}, score.Options{Variant: "top5"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"Y3, similarity 1.0": 1, "Y3, similarity 0.9": 1, "Y3, similarity 0.5": 0, "Y3, similarity 0.3": 0}
	for _, l := range got.(retrievalScores).Lines {
		if value, ok := want[l.Slice]; ok && l.Figures["inversion"].Value != value {
			t.Errorf("%s: inversion %v, want %v", l.Slice, l.Figures["inversion"].Value, value)
		}
	}
	var b bytes.Buffer
	data, jsonErr := json.Marshal(got)
	if err := got.Print(&b); err != nil || jsonErr != nil || !strings.Contains(b.String(), "inversion") || !strings.Contains(string(data), `"top":5`) {
		t.Errorf("printed %q and %s, %v, %v", b.String(), data, err, jsonErr)
	}
}

func TestBadRankings(t *testing.T) {
	for _, ranking := range []string{"D9:9", "D1:1 D1:1", "D1:1=high", "D1:1=NaN"} {
		if _, err := changing().Score(map[string]string{"q": ranking}, score.Options{Variant: "top10"}); err == nil {
			t.Errorf("%q is taken", ranking)
		}
	}
	if _, err := changing().Score(nil, score.Options{Variant: "top10"}); err == nil {
		t.Error("a question without an answer is taken")
	}
	if got, err := changing().Score(map[string]string{"q": "D1:1"}, score.Options{Variant: "top10"}); err != nil || len(got.Warnings()) != 1 {
		t.Errorf("without similarities: %v, %v", got, err)
	}
}

// TestAnySufficientSetOfCluesIsFound: two rounds are needed, or the first and a later one.
func TestAnySufficientSetOfCluesIsFound(t *testing.T) {
	bench := newRetrievalBench([]Task{{Name: "T", Rounds: []string{"D1:1", "D2:1", "D3:1"}, Items: []Item{{ID: "q", Y: "Y2", Sets: [][]string{{"D1:1", "D2:1"}, {"D1:1", "D3:1"}}}}}})
	for ranking, want := range map[string]float64{"D1:1 D2:1": 1, "D3:1 D1:1": 1, "D2:1 D3:1": 0.5, "D1:1": 0.5} {
		got, err := bench.Score(map[string]string{"q": ranking}, score.Options{Variant: "top10"})
		if err != nil {
			t.Fatal(err)
		}
		figures := got.(retrievalScores).Lines[0].Figures
		if figures["coverage"].Value != want || (figures["full"].Value == 1) != (want == 1) {
			t.Errorf("%s: %+v, want %v", ranking, figures, want)
		}
	}
}

// TestRoundsOfOtherTasks take a place in a ranking, and are no clues.
func TestRoundsOfOtherTasks(t *testing.T) {
	bench := newRetrievalBench([]Task{{Name: "T", Rounds: []string{"D1:1", "D2:1"}, Items: []Item{{ID: "q", Task: "visual/a b,c", Y: "Y1", Clues: []string{"D1:1"}}}}})
	for name, tc := range map[string]struct {
		turn string
		want float64
	}{"its own": {"visual/a b,c/S01/T02", 1}, "another's": {"visual/a/S01/T02", 0}} {
		answers, err := readRetrieved(strings.NewReader(`{"id":"q","items":[{"turn_ids":["` + tc.turn + `"],"score":0.5}]}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := bench.Score(answers, score.Options{Variant: "top10"})
		if err != nil {
			t.Fatal(err)
		}
		if f := got.(retrievalScores).Lines[0].Figures["any clue"]; f.Value != tc.want || (len(got.Warnings()) == 0) != (tc.want == 1) {
			t.Errorf("%s: %+v, %q, want %v", name, f, got.Warnings(), tc.want)
		}
	}
}

// TestTasksThatMemEyeMerges are the first of each scenario, in groups that are complete; the
// export has the same.
func TestTasksThatMemEyeMerges(t *testing.T) {
	var c release.Contents
	var tasks []layoutTask
	for _, scenario := range []string{"social_chat", "health_dashboard", "brand_memory", "social_chat", "card_playlog", "cartoon_companion", "outdoor_navigation"} {
		id := fmt.Sprintf("v/%d", len(tasks))
		tasks = append(tasks, layoutTask{name: id, scenario: scenario})
		c.Tasks = append(c.Tasks, schemas.Task{TaskID: id, Scenario: scenario})
		c.Questions = append(c.Questions, schemas.Question{TaskID: id, Labels: map[string]string{schemas.LabelGranularity: "X1", schemas.LabelReasoning: "Y1"}})
	}
	c.Tasks = append([]schemas.Task{{TaskID: "other", Scenario: "brand_memory"}}, c.Tasks...)
	if got := mergedTasks(c, 3); got != nil {
		t.Errorf("of three tasks are merged %v", got)
	}
	got := [2][][]string{mergedTasks(c, 2), mergedTasks(c, 4)}
	want := [2][][]string{{{"v/2", "v/0"}, {"v/5", "v/4"}}, {{"v/2", "v/0", "v/5", "v/4"}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("merged %v, want %v", got, want)
	}
	var names []string
	for _, m := range mergeHistories(tasks) {
		names = append(names, m.name)
	}
	if !slices.Equal(names, []string{"concat_v/2_v/0", "concat_v/5_v/4", "concat_v/2_v/0_v/5_v/4"}) {
		t.Errorf("exported %v", names)
	}
}
