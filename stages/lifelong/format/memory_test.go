package format

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/schemas"
)

// runOf is a memories.jsonl of a system that holds these texts after each session.
func runOf(t *testing.T, after map[string][]string) string {
	t.Helper()
	var out strings.Builder
	for _, session := range []string{"t/S01", "t/S02", "u/S01"} {
		h := memoryState{Session: session}
		for _, text := range after[session] {
			h.Memories = append(h.Memories, memory{text, text})
		}
		data, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(append(data, '\n'))
	}
	return out.String()
}

func TestStoresAreScored(t *testing.T) {
	const ten, fifteen, hall, joke = "The budget is ten thousand euros.", "Fifteen thousand may be spent.", "Mara paints the hall yellow.", "Mara paints her boss green."
	for name, tc := range map[string]struct {
		after map[string][]string
		want  map[string]map[string]figure
	}{
		"gold": {map[string][]string{"t/S01": {ten, hall}, "t/S02": {hall, fifteen}}, map[string]map[string]figure{
			VariantPaper:    {"points found": {Value: 1, Count: 2}, "updates told": {Value: 1, Count: 1}, "interference not held": {Value: 1, Count: 1}},
			VariantUpstream: {"points found": {Value: 1, Count: 2}, "points found, weighted": {Value: 1, Count: 2}},
		}},
		// It never learns the new budget: half of the sessions' points by weight, none of
		// the update; what it made up of a parrot is no part of the dialogue.
		"stale": {map[string][]string{"t/S01": {ten}, "t/S02": {ten, "parrots sing opera nightly"}}, map[string]map[string]figure{
			VariantPaper:    {"points found": {Value: (0.75 + 0) / 2, Count: 2}, "updates told": {Value: 0, Count: 1}, "updates told, outdated": {Value: 1, Count: 1}},
			VariantUpstream: {"points found": {Value: (0.5 + 0) / 2, Count: 2}, "points found, weighted": {Value: 0.375, Count: 2}},
		}},
		"indiscriminate": {map[string][]string{"t/S01": {ten, hall, joke}, "t/S02": {ten, hall, joke, fifteen}}, map[string]map[string]figure{
			VariantPaper: {"points found": {Value: 1, Count: 2}, "updates told": {Value: 0.5, Count: 1}, "updates told, both": {Value: 1, Count: 1}, "interference not held": {Value: 0, Count: 1}},
		}},
	} {
		for variant, want := range tc.want {
			t.Run(name+" "+variant, func(t *testing.T) {
				answers, err := readMemories(strings.NewReader(runOf(t, tc.after)))
				if err != nil {
					t.Fatal(err)
				}
				got, err := memoryScorer{both()}.Score(answers, score.Options{Variant: variant})
				if err != nil {
					t.Fatal(err)
				}
				check(t, got, want)
			})
		}
	}
}

// TestChangesCountWhereTheyAreTold: what a system says that it stored goes before what
// follows from its snapshots, and keeping is no storing.
func TestChangesCountWhereTheyAreTold(t *testing.T) {
	h := memoryState{Changes: []change{{"keep", memory{"1", "a"}}, {"update", memory{"2", "b"}}, {"archive", memory{"3", "c"}}}, Memories: []memory{{"1", "a"}, {"2", "b"}}}
	if got := h.storedTexts(nil); len(got) != 1 || got[0] != "b" {
		t.Errorf("stored %q", got)
	}
	h.Changes = nil
	if got := h.storedTexts([]memory{{"1", "a"}, {"2", "old"}}); len(got) != 1 || got[0] != "b" {
		t.Errorf("stored %q", got)
	}
}

// TestAMemoryOfAChangeIsFresh: one that says what was replaced beside what replaces it
// is no memory of the old.
func TestAMemoryOfAChangeIsFresh(t *testing.T) {
	p := schemas.MemoryPoint{Content: "Ilya Novak leads the survey.", Supersedes: []string{"old"}}
	texts := map[string]schemas.MemoryPoint{"old": {Content: "Ada Dorn leads the survey."}}
	for text, want := range map[string]float64{"Ilya Novak, not Ada Dorn, leads the survey now.": 1, "Ada Dorn leads the survey.": 0, "Nobody.": 0} {
		if got := new(memoryScores).scoreUpdate([]memory{{"1", text}}, p, texts); got != want {
			t.Errorf("%q gets %v, want %v", text, got, want)
		}
	}
}

// TestPointsAreStatedByTheirSymbols, whatever words stand around them.
func TestPointsAreStatedByTheirSymbols(t *testing.T) {
	p := schemas.MemoryPoint{Content: "13 took the place of 45 as the hours in May of the Harbour run", Subject: "the Harbour run/hours in May", Attributes: map[string]string{"value": "13"}}
	for text, want := range map[string]bool{
		`A chart, titled "Harbour run". It reads: hours in May: 13; hours in June: 45.`: true,
		"For the Harbour run there were 130 hours in May.":                              false,
		"13 hours in May for another run":                                               false,
	} {
		if got := textStates(text, p); got != want {
			t.Errorf("%q states it: %v", text, got)
		}
	}
	old := p
	old.Attributes = map[string]string{"value": "45"}
	if m := (memory{"1", "Harbour run, hours in May: 45, then 13"}); tellsApart(m, old, p) || !textStates(m.Text, p) {
		t.Error("a memory that names both is one of the old")
	}
}

// TestChangesMakeTheSnapshot where a system gives none.
func TestChangesMakeTheSnapshot(t *testing.T) {
	before := []memory{{"1", "a"}, {"2", "b"}, {"3", "c"}}
	h := memoryState{Changes: []change{{"keep", memory{"1", "a"}}, {"update", memory{"2", "new"}}, {"archive", memory{"3", "c"}}, {"add", memory{"4", "d"}}}}
	if got, want := h.apply(before), []memory{{"1", "a"}, {"2", "new"}, {"4", "d"}}; !slices.Equal(got, want) {
		t.Errorf("held %v, want %v", got, want)
	}
	if got := (memoryState{}).apply(before); len(got) != 0 {
		t.Errorf("an empty snapshot holds %v", got)
	}
}

func TestBrokenRunsAreRefused(t *testing.T) {
	for name, tc := range map[string]struct{ data, want string }{
		"no JSON":    {"{", "line 1"},
		"no session": {`{"memories":[]}`, "has no id"},
		"twice":      {"{\"session_id\":\"s\"}\n{\"session_id\":\"s\"}", "line 2"},
	} {
		if _, err := readMemories(strings.NewReader(tc.data)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzReadMemories(f *testing.F) {
	f.Add(`{"session_id":"s","changes":[{"op":"add","id":"1","text":"a"}],"memories":[{"id":"1","text":"a"}]}`)
	f.Fuzz(func(t *testing.T, data string) {
		got, err := readMemories(strings.NewReader(data))
		if err != nil {
			return
		}
		for session, line := range got {
			var h memoryState
			if err := json.Unmarshal([]byte(line), &h); err != nil || h.Session != session {
				t.Fatalf("line %q is kept under %q: %v", line, session, err)
			}
		}
	})
}
