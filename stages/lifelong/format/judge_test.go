package format

import (
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/schemas"
)

// TestCasesOfAMemory: a judge sees all that the figures of the paper need, and labels of all cases
// give all these figures.
func TestCasesOfAMemory(t *testing.T) {
	q, s := budget()
	asked := memoryScorer{groupInstances(q, s)}
	answers, err := readMemories(strings.NewReader(runOf(t, map[string][]string{"t/S01": {"a", "b"}, "t/S02": {"b", "c"}})))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := asked.Cases(answers)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range cases {
		ids = append(ids, c.IDs...)
		if len(c.IDs) != len(c.Subjects) || len(c.Known) > 0 || len(c.Against) == 0 {
			t.Errorf("case %+v", c)
		}
		for _, id := range c.IDs {
			answers[id+score.JudgeSuffix] = c.Labels[0]
		}
	}
	want := []string{"mp_S01_001", "mp_S01_002", "mp_S01_003", "t/S01#1", "t/S01#2", "mp_S02_001", "mp_S02_001#update", "t/S02#1"}
	if !slices.Equal(ids, want) {
		t.Errorf("cases of %q", ids)
	}
	if update := cases[4]; !strings.Contains(update.Subjects[0], "now: Fifteen") || !strings.Contains(update.Subjects[0], "replaces: The budget is ten") || !slices.Equal(update.Against, []string{"b", "c"}) {
		t.Errorf("the update is %+v", update)
	}
	got, err := asked.Score(answers, score.Options{Variant: VariantPaper})
	if err != nil {
		t.Fatal(err)
	}
	check(t, got, map[string]figure{
		"Recall": {Value: 1, Count: 2}, "Corr": {Value: 1, Count: 2}, "Update": {Value: 1, Count: 1}, "IntRej": {Value: 0, Count: 1},
	})
	if empty := got.(figures).Empty; len(empty) > 0 {
		t.Errorf("these stay empty: %v", empty)
	}
}

// TestAnEmptyMemoryNeedsNoJudge: what nothing is held of is known.
func TestAnEmptyMemoryNeedsNoJudge(t *testing.T) {
	q, s := budget()
	cases, err := memoryScorer{groupInstances(q, s)}.Cases(map[string]string{"t/S01": `{"session_id":"t/S01"}`, "t/S02": `{"session_id":"t/S02"}`})
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for _, c := range cases {
		for n, id := range c.IDs {
			known[id] = c.Known[n]
		}
	}
	if len(known) != 5 || known["mp_S01_001"] != Missing || known["mp_S01_003"] != Rejected || known["mp_S02_001#update"] != Outdated {
		t.Errorf("%v", known)
	}
}

// TestCasesOfAnswers: an answer that names an option is compared by its key, others are judged.
func TestCasesOfAnswers(t *testing.T) {
	options := []schemas.Option{{Key: "A", Text: "red"}, {Key: "B", Text: "blue"}}
	q := []schemas.Question{{QuestionID: "q", TaskID: "t", Question: "Which?", AnswerKey: "B", AnswerText: "blue", Options: options}, {QuestionID: "r", TaskID: "t", Question: "Which?", AnswerText: "blue"}}
	cases, err := answerScorer{instances: groupInstances(q, nil)}.Cases(map[string]string{"q": "A", "r": "like the sea"})
	if err != nil || len(cases) != 2 || !slices.Equal(cases[0].Known, []string{Hallucination}) || cases[1].Known != nil || cases[1].Against[0] != "blue" || cases[1].Question != "Which?" {
		t.Errorf("%+v, %v", cases, err)
	}
}

// TestCasesOfRetrieval: the evidence of a question is one share of the first ten items.
func TestCasesOfRetrieval(t *testing.T) {
	asked := retrievalScorer{both()}
	cases, err := asked.Cases(map[string]string{"q1": retrieved(t, slices.Repeat([]score.Retrieved{{Text: "x"}}, 12)...), "q2": "[]", "q3": "[]"})
	if err != nil || len(cases) != 2 || !cases[0].Share || len(cases[0].Against) != 10 || len(cases[0].Subjects) != 1 || !slices.Equal(cases[1].Known, []string{"0"}) {
		t.Errorf("%+v, %v", cases, err)
	}
}
