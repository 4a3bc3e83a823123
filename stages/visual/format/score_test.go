package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
)

func TestChoice(t *testing.T) {
	for _, c := range []struct{ answer, paper, upstream string }{
		{"A", "A", "A"}, {" (b) ", "", "B"}, {"(C).", "C", "C"}, {"D:", "D", "D"},
		{"a cat", "", "A"}, {"not A but B", "", "A"}, {"It is a cat, so C", "", "A"}, {"d'accord", "", "D"},
		{"BC", "", ""}, {"Yes.", "", ""}, {"I cannot tell", "", ""}, {"", "", ""},
	} {
		if got := ParseChoice(c.answer, VariantPaper); got != c.paper {
			t.Errorf("by the paper %q is %q, want %q", c.answer, got, c.paper)
		}
		if got := ParseChoice(c.answer, VariantUpstream); got != c.upstream {
			t.Errorf("by the code %q is %q, want %q", c.answer, got, c.upstream)
		}
	}
}

func TestJudgeSteps(t *testing.T) {
	for _, c := range []struct{ said, paper, upstream float64 }{{0, 0, 0}, {0.25, 0.25, 0.5}, {0.2, 0.25, 0}, {0.5, 0.5, 0.5}, {0.7, 0.75, 0.5}, {0.75, 0.75, 1}, {1, 1, 1}} {
		if got, _ := roundJudgeScore(c.said, VariantPaper); got != c.paper {
			t.Errorf("by the paper %v is %v, want %v", c.said, got, c.paper)
		}
		if got, _ := roundJudgeScore(c.said, VariantUpstream); got != c.upstream {
			t.Errorf("by the code %v is %v, want %v", c.said, got, c.upstream)
		}
	}
}

// three questions in two cells.
func three() bench {
	return bench{{"q1", "T", "X1", "Y1", "what stands there?", "a red sofa", "q1"}, {"q2", "T", "X4", "Y3", "how many?", "7", "q2"}, {"q3", "U", "X4", "Y3", "how many?", "8", "q3"}}
}

func tableOf(t *testing.T, variant string, answers map[string]string) table {
	t.Helper()
	got, err := three().Score(answers, score.Options{Variant: variant, Incomplete: true})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var out table
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := got.Print(&b); err != nil || !strings.Contains(b.String(), "mean of cells") {
		t.Errorf("printed %q, %v", b.String(), err)
	}
	return out
}

// TestScores: q1 is right in all rotations (1), q2 in two of four (1/2, always
// saying A or B), q3 in none of which one is invalid (0).
func TestScores(t *testing.T) {
	got := tableOf(t, VariantPaper, map[string]string{
		"q1#A": "A", "q1#B": "B", "q1#C": "C", "q1#D": "D", "q1#open": "The red sofa", "q1#judge": "1",
		"q2#A": "A", "q2#B": "B", "q2#C": "A", "q2#D": "B", "q2#open": "six", "q2#judge": "0.3",
		"q3#A": "B", "q3#B": "C", "q3#C": "well", "q3#D": "A", "q3#open": "It is 8", "q3#judge": "0",
	})
	want := map[string]map[string]float64{
		"all": {"choice": 0.5, "all four": 1.0 / 3, "EM": 1.0 / 3, "contains": 2.0 / 3, "judge": (1 + 0.25) / 3},
		// X1 Y1 has 1; X4 Y3 has (1/2 + 0) / 2.
		"mean of cells": {"choice": (1 + 0.25) / 2, "all four": 0.5, "EM": 0.5, "contains": 0.75, "judge": (1 + 0.125) / 2},
		"X4 Y3":         {"choice": 0.25, "all four": 0, "EM": 0},
		"T":             {"choice": 0.75},
	}
	for _, l := range got.Lines {
		for metric, value := range want[l.Slice] {
			if f := l.Figures[metric]; math.Abs(f.Value-value) > 1e-9 {
				t.Errorf("%s, %s: %v, want %v", l.Slice, metric, f.Value, value)
			}
		}
		delete(want, l.Slice)
	}
	if len(want) > 0 {
		t.Errorf("no line for %v", want)
	}
	if got.Chosen["A"] != 4 || got.Chosen["B"] != 4 || got.Chosen["C"] != 2 || got.Chosen["D"] != 1 || got.Chosen["invalid"] != 1 {
		t.Errorf("chosen %v", got.Chosen)
	}
	if math.Abs(got.Rotations["A"]-2.0/3) > 1e-9 || math.Abs(got.Rotations["D"]-1.0/3) > 1e-9 {
		t.Errorf("right by place %v", got.Rotations)
	}
}

func TestMissingAnswers(t *testing.T) {
	_, err := three().Score(map[string]string{"q1#A": "A"}, score.Options{})
	var missing *score.MissingError
	if !errors.As(err, &missing) || len(missing.IDs) != 2 {
		t.Errorf("%v; want the two other questions' rotation A", err)
	}
	got, err := three().Score(map[string]string{"q1#A": "A", "q2#A": "A", "q3#A": "B"}, score.Options{})
	if err != nil || len(got.Warnings()) != 5 {
		t.Errorf("%v, warned %q", err, got.Warnings())
	}
	for _, reply := range []string{"good", "NaN", "1.5", `{"score": -1}`} {
		if _, err := three().Score(map[string]string{"q1#judge": reply}, score.Options{Variant: VariantPaper, Incomplete: true}); err == nil {
			t.Errorf("the judge's %q is taken", reply)
		}
	}
	all, err := three().Score(map[string]string{"q1#judge": `Well. {"score": "0.5", "reasoning": "half"}`}, score.Options{Variant: VariantPaper, Incomplete: true})
	if err != nil || all.(*results).marks[0].open["judge"] != 0.5 {
		t.Errorf("a judge's reply: %v", err)
	}
}

// TestOpenAnswersAreGraded: each open answer is a case of five grades, and an answer that has none
// is in no mean and hides no other.
func TestOpenAnswersAreGraded(t *testing.T) {
	answers := map[string]string{"q1#open": "a sofa", "q2#open": "7", "q3#open": ""}
	cases, err := three().Cases(answers)
	if err != nil || len(cases) != 3 || cases[0].Question != "what stands there?" || cases[0].Against[0] != "a red sofa" || cases[2].Subjects[0] != "" || len(cases[0].Labels) != 5 {
		t.Fatalf("%+v, %v", cases, err)
	}
	answers["q1#judge"], answers["q2#judge"] = "0.75", "1"
	got, err := three().Score(answers, score.Options{Variant: VariantPaper})
	if err != nil {
		t.Fatal(err)
	}
	if f := got.(*results).table().Lines[0].Figures["judge"]; f.Value != 0.875 || f.N != 2 || !strings.Contains(strings.Join(got.Warnings(), " "), "1 of 3 open answers have no label") {
		t.Errorf("%+v, %q", f, got.Warnings())
	}
}
