package describe

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// TestPositionsAreToldByNumberOfOptions: a question of two options has no C, so
// together with those of four it would make A look frequent.
func TestPositionsAreToldByNumberOfOptions(t *testing.T) {
	var questions []schemas.Question
	for i := range 8 {
		q := schemas.Question{QuestionID: fmt.Sprint(i), Options: make([]schemas.Option, 2+i%2*2), AnswerKey: string(rune('A' + i/2%(2+i%2*2)))}
		questions = append(questions, q)
	}
	questions = append(questions, schemas.Question{QuestionID: "open"})
	rel := Release{Questions: slices.Values(questions), Tasks: none[schemas.Task](), Media: none[schemas.Media]()}
	s := rel.statistics()
	got := map[string]int{}
	for _, p := range s.Positions {
		for _, b := range p.Bars {
			got[p.Label+" "+b.Name] = b.Count
		}
	}
	want := map[string]int{}
	for _, key := range []string{"A", "B", "C", "D"} {
		want["position of the correct option, of 4 "+key] = 1
	}
	want["position of the correct option, of 2 A"], want["position of the correct option, of 2 B"] = 2, 2
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	card := cardPart(t, "statistics", summary{Stats: s})
	if !strings.Contains(card, "| position of the correct option, of 2 | questions | share |\n| --- | ---: | ---: |\n| A | 2 | 50.0 % |\n") {
		t.Errorf("%s", card)
	}
}

// TestLabelsThatNobodyReadsAreCounted: digests and the like, and what has too many
// values, are counted and not listed.
func TestLabelsThatNobodyReadsAreCounted(t *testing.T) {
	many := map[string]int{}
	for i := range 13 {
		many[fmt.Sprint("n", i)] = 1 + i%3
	}
	for name, tc := range map[string]struct {
		counts map[string]int
		want   string
		bars   int
	}{
		"few words":       {map[string]int{"near": 3, "far": 1}, "", 2},
		"digests":         {map[string]int{"fact-0123456789abcdef": 2, "fact-fedcba9876543210": 2}, "2 distinct values, each of 2 questions", 0},
		"one digest":      {map[string]int{"pair-0123456789abcdef": 7, "none": 1}, "", 2},
		"too many values": {many, "13 distinct values, each of 1 to 3 questions", 0},
	} {
		if got := labelValues("x", tc.counts); got.Instead != tc.want || len(got.Bars) != tc.bars {
			t.Errorf("%s: %+v, want %q and %d bars", name, got, tc.want, tc.bars)
		}
	}
}
