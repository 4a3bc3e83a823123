package panel

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// TestRulesReadWhatShips: without a model, words that cannot stand are found, and sound ones let
// through.
func TestRulesReadWhatShips(t *testing.T) {
	three := func(texts ...string) (out []view.Choice) {
		for i, t := range texts {
			out = append(out, view.Choice{Letter: schemas.Letter(i), Text: t})
		}
		return out
	}
	for name, tc := range map[string]struct {
		in   shippedInput
		want string
	}{
		"sound":                 {shippedInput{Question: "Which of the pictures shows a red kettle?", Options: three("the first", "the second", "the third")}, ""},
		"an hour, a one-way":    {shippedInput{Question: "Who waited an hour for a one-way ticket at a university?"}, ""},
		"an elided thought":     {shippedInput{Question: "What comes next?", Passages: []passage{{Text: "Well... I do not know. Remember: the kettle is red."}}}, ""},
		"a letter":              {shippedInput{Question: "What does panel A in the picture show?"}, ""},
		"had had":               {shippedInput{Question: "What had had the most visitors?"}, ""},
		"twice":                 {shippedInput{Question: "What stands in in the hall?"}, "ungrammatical"},
		"article":               {shippedInput{Question: "What lies on a orange box?"}, "ungrammatical"},
		"other article":         {shippedInput{Question: "What lies on an kettle?"}, "ungrammatical"},
		"cut":                   {shippedInput{Question: "What lies on the"}, "ungrammatical"},
		"placeholder":           {shippedInput{Question: "What colour has {{thing}}?"}, "ungrammatical"},
		"quote":                 {shippedInput{Question: `What follows "Go?`}, "ungrammatical"},
		"no words":              {shippedInput{}, "ungrammatical"},
		"one value twice":       {shippedInput{Question: "How many?", Options: three("3", "three", "4")}, "ambiguous"},
		"one name twice":        {shippedInput{Question: "Where?", Options: three("the hall", "Hall.", "kitchen")}, "ambiguous"},
		"nobody there":          {shippedInput{Question: "What does this person like best?"}, "not-self-contained"},
		"a picture above":       {shippedInput{Question: "What colour is the kettle in the picture above?"}, "not-self-contained"},
		"a profile with a hole": {shippedInput{Question: "What does Ada like?", Passages: []passage{{Text: "name: Ada; work: ; likes: tea"}}}, "not-self-contained"},
		"an empty last field":   {shippedInput{Question: "What does Ada like?", Passages: []passage{{Text: "name: Ada\nlikes:"}}}, "not-self-contained"},
		"a name twice":          {shippedInput{Question: "Who flew to Bora Bora with a Euro and an mp3 player?"}, ""},
		"a day after":           {shippedInput{Question: "What did Ada paint the following day?"}, ""},
		"of the options":        {shippedInput{Question: "Which of the following hangs in the hall?", Options: three("a coat", "a hat", "a key")}, ""},
		"of nothing":            {shippedInput{Question: "Which of the following hangs in the hall?"}, "not-self-contained"},
		"a list that is not":    {shippedInput{Question: "What colour has the kettle in the following picture?"}, "not-self-contained"},
		"one sound, one wrong":  {shippedInput{Question: "Does a one-way ticket lie on a apple?"}, "ungrammatical"},
		"two faults":            {shippedInput{Question: "What does this person like in in the", Options: three("3", "three")}, "ambiguous, ungrammatical, not-self-contained"},
	} {
		out, err := guessShipped(tc.in, nil)
		faults, usable := out.faults()
		if got := strings.Join(faults, ", "); err != nil || !usable || got != tc.want || out.Why == "" {
			t.Errorf("%s: %q, %v, want %q: %s", name, got, err, tc.want, out.Why)
		}
	}
}

// TestPublishedFormIsJudged: a choice form of other words than the question is what is read.
func TestPublishedFormIsJudged(t *testing.T) {
	q := item("one")
	q.SetOptionsWithStem("Which of these is it?", q.Options...)
	shown := ""
	b := newBench(t)
	b.ask(func(r testkit.ChatRequest) testkit.ChatReply {
		shown = r.User
		return testkit.ReplyJSON(shippedResponse{"Nothing is against it.", "yes", "yes", "yes", "yes"})
	})
	if got := b.judge("as-shipped", "{}", q); got.Outcome != string(pipeline.Pass) || len(got.probes) != 1 || !strings.Contains(shown, "Which of these is it?") || strings.Contains(shown, q.Question) {
		t.Errorf("%s %s, %d calls, shown\n%s", got.Outcome, got.Reason, len(got.probes), shown)
	}
}

// TestLettersThatAreShownAreEnumerated: no other letter fits the schema, and one written in a
// trivial form is taken as it is meant, without a second call.
func TestLettersThatAreShownAreEnumerated(t *testing.T) {
	for given, want := range map[string]string{"b": schemas.MarkRight, "B.": schemas.MarkRight, "(B)": schemas.MarkRight, "Option B": schemas.MarkRight, "Unknown": schemas.MarkWrong, "F": schemas.MarkFailed} {
		b := newBench(t)
		repairs := 0
		b.ask(func(r testkit.ChatRequest) testkit.ChatReply {
			repairs = max(repairs, r.Repairs)
			if schema := string(r.Schema); !strings.Contains(schema, `["A","B","C","D","unknown"]`) {
				t.Errorf("the schema is %s", schema)
			}
			return testkit.ReplyJSON(answerResponse{Why: "So it reads.", Answer: given})
		})
		q := item("one")
		q.AnswerKey, q.AnswerText = q.Options[1].Key, q.Options[1].Text
		got := b.judge("oracle", `{"rotations":1,"roles":["panel_a"]}`, q)
		if len(got.probes) != 1 || got.probes[0].Mark != want || (repairs > 0) != (want == schemas.MarkFailed) {
			t.Errorf("%q: %+v after %d repairs", given, got.probes, repairs)
		}
	}
}
