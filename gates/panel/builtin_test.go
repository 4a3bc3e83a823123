package panel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// TestGuesserIsNoBetterThanChance asks the built-in model without any evidence.
// Of 300 items of four options a fixed choice per model would flag some 19; the
// guesser must flag none, and be right about every fourth time.
func TestGuesserIsNoBetterThanChance(t *testing.T) {
	b := newBench(t)
	right, calls := 0, 0
	for i := range 300 {
		q := item(fmt.Sprint("q", i))
		q.Question = fmt.Sprintf("Which colour has thing %d?", i)
		got, err := b.try("option-only", `{"full_protocol": true}`, q)
		if err != nil {
			t.Fatal(err)
		}
		if got.Outcome != schemas.Pass {
			t.Errorf("item %d: %s", i, got.Reason)
		}
		for _, p := range got.probes {
			calls++
			if p.Mark == schemas.MarkRight {
				right++
			}
			if p.Model != pipeline.BuiltInModel || p.Reason != "" {
				t.Fatalf("probe %+v", p)
			}
		}
	}
	if share := float64(right) / float64(calls); calls != 2400 || share < 0.22 || share > 0.28 {
		t.Errorf("%d of %d right", right, calls)
	}
}

func TestGuesserReads(t *testing.T) {
	b := newBench(t)
	alone := func(text string) schemas.Question {
		return edited("q "+text, func(q *schemas.Question) {
			q.Evidence = q.Evidence[:1]
			q.Evidence[0].Text = text
		})
	}
	if got := b.judge("oracle", `{"full_protocol": true}`, alone("It is green and not large.")); got.Outcome != schemas.Pass || got.probes[0].Mark != schemas.MarkRight {
		t.Errorf("the answer is written down: %s", got.Reason)
	}
	if got := b.judge("oracle", `{"full_protocol": true}`, alone("It is red, or so.")); got.Outcome != schemas.Insufficient || got.code() != "guessed" || got.probes[0].Mark != schemas.MarkWrong {
		t.Errorf("a wrong option is written down: %s %s", got.Outcome, got.Reason)
	}
	if got := b.judge("correctness", "", alone("It is green.")); got.Outcome != schemas.Pass {
		t.Errorf("every word of the answer is there: %s", got.Reason)
	}
	if got := b.judge("correctness", "", alone("It is blue.")); got.code() != "not-established" {
		t.Errorf("no word of the answer is there: %s", got.Reason)
	}
}

func TestFavouredOptions(t *testing.T) {
	told := func(s string) []passage { return []passage{{Number: 1, Text: s}} }
	for _, tc := range []struct {
		options  []string
		passages []passage
		want     string
	}{
		{[]string{"red pan", "blue pan"}, told("the BLUE, wide one"), "[1]"},
		{[]string{"red pan", "blue pan"}, told("a pan"), "[0 1]"},
		{[]string{"red pan", "blue pan"}, nil, "[0 1]"},
		{[]string{"red", "red or blue", "blue"}, told("red"), "[0]"},
		{[]string{"", "same", "same"}, told("same"), "[1 2]"},
		{[]string{"青い鍋", "赤い鍋"}, []passage{{Caption: "赤い鍋"}}, "[1]"},
	} {
		if got := fmt.Sprint(favouredOptions(tc.options, tc.passages)); got != tc.want {
			t.Errorf("%q with %v: %s, want %s", tc.options, tc.passages, got, tc.want)
		}
	}
	if got, err := guessAnswer(answerInput{Options: []view.Choice{{Letter: "A", Text: "x"}, {Letter: "B", Text: "y"}}, Passages: told("y")}, rand.New(rand.NewPCG(1, 1))); err != nil || got.Answer != "B" {
		t.Errorf("answer %s", got.Answer)
	}
}

// TestGuessesOfAllAreGuesses: that the built-in guesser alone was asked is told from all
// answers: one of a model, or one that was drawn where nothing was shown, is enough.
func TestGuessesOfAllAreGuesses(t *testing.T) {
	probe := func(model, why string) schemas.Probe {
		return schemas.Probe{Model: model, Response: `{"why": "` + why + `", "answer": "A"}`}
	}
	guess, blind, model := probe(pipeline.BuiltInModel, "Drawn. "+notLookedSuffix), probe(pipeline.BuiltInModel, "Drawn by lot: nothing is shown."), probe("some", "Drawn. "+notLookedSuffix)
	for _, tt := range []struct {
		probes []schemas.Probe
		want   bool
	}{
		{nil, false}, {[]schemas.Probe{guess, guess}, true}, {[]schemas.Probe{guess, model}, false}, {[]schemas.Probe{model}, false}, {[]schemas.Probe{guess, blind}, false},
		{[]schemas.Probe{guess, {Model: pipeline.BuiltInModel, Response: "none"}}, false},
	} {
		if got := allGuessed(tt.probes); got != tt.want {
			t.Errorf("guessed(%+v) is %t", tt.probes, got)
		}
	}
}
