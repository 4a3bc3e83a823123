package format

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// TestTwoRunsSideBySide: run "some" answers q1 and q2 of task t rightly and q3 and q4
// wrongly, so it is right in 2/3 of t and in nothing of u: (2/3 + 0)/2 = 1/3, or 2 of 4
// upstream. Of four facts, resamples without q4 may have right answers alone, and those of q3
// and q4 none. Run "gold" is right in both tasks and has no interval.
func TestTwoRunsSideBySide(t *testing.T) {
	dir := t.TempDir()
	held := `{"session_id":"t/S01","memories":[]}` + "\n" + `{"session_id":"t/S02","memories":[]}` + "\n" + `{"session_id":"u/S01","memories":[]}` + "\n"
	if err := os.WriteFile(filepath.Join(dir, "memories.jsonl"), []byte(held), 0o600); err != nil {
		t.Fatal(err)
	}
	in := tables.Inputs{Contents: twoTasks(), Variant: VariantPaper, Seed: 1, Runs: []tables.Run{
		{Name: "some", File: filepath.Join(dir, "answers.jsonl"), Answers: map[string]string{"q1": "fifteen thousand euros", "q2": "yellow", "q3": "a dog", "q4": "a cat"}},
		{Name: "gold", File: "nowhere/answers.jsonl", Answers: map[string]string{"q1": "fifteen thousand euros", "q2": "yellow", "q3": Unmentioned, "q4": "a parrot"}},
	}}
	made := makeTable(t, "answers", in)
	want := `answers: right and wrong
slice  n  accuracy              wrong                 abstained  F1                    BLEU-1                accuracy, FR          accuracy, DU  accuracy, MB  accuracy, mean of types  QA-C  QA-H  QA-O  FR  DU  MB  mean of types
gold   4  1.000                 0.000                 0.000      1.000                 1.000                 1.000                 1.000         1.000         1.000                    -     -     -     -   -   -   -
some   4  0.333 [0.000, 1.000]  0.667 [0.000, 1.000]  0.000      0.333 [0.000, 1.000]  0.333 [0.000, 1.000]  0.500 [0.000, 1.000]  1.000         0.000         0.333 [0.000, 1.000]     -     -     -     -   -   -   -
`
	var b bytes.Buffer
	if err := tables.PrintLines(&b, made.Lines, made.Columns); err != nil {
		t.Fatal(err)
	}
	if got := made.Name + ": " + made.Title + "\n" + b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if why := made.Lines[0].Missing["QA-C"]; why != "needs the labels of a judge" {
		t.Errorf("QA-C is empty for %q", why)
	}
	in.Variant = VariantUpstream
	if f := makeTable(t, "answers", in).Lines[1].Figures["accuracy"]; f.Value != 0.5 || f.N != 4 {
		t.Errorf("upstream has %+v, want 2 of 4", f)
	}

	// What was held: of one run nothing is known, and the other held nothing.
	in.Variant = VariantPaper
	memory := makeTable(t, "memory", in)
	if len(memory.Lines) != 1 || memory.Lines[0].Figures["points found"].Value != 0 || memory.Notes[0] != "run gold has no memories.jsonl" {
		t.Errorf("memory: %+v", memory)
	}
}

// TestTablesSayWhatTheyLack: no run, and an answer that is missing.
func TestTablesSayWhatTheyLack(t *testing.T) {
	in := tables.Inputs{Contents: twoTasks(), Variant: VariantPaper}
	_, err := Tables().Tables[0].Make(in)
	if err == nil || !strings.Contains(err.Error(), "table answers needs a run") {
		t.Error(err)
	}
	in.Runs = []tables.Run{{Name: "part", Answers: map[string]string{"q1": "x"}}}
	_, err = Tables().Tables[0].Make(in)
	if err == nil || !strings.Contains(err.Error(), "run part: 3 questions have no answer") {
		t.Error(err)
	}
	in.Incomplete = true
	if made := makeTable(t, "answers", in); made.Lines[0].Figures["accuracy"].N != 1 {
		t.Errorf("%+v", made.Lines)
	}
}

// twoTasks has the questions of both.
func twoTasks() (c release.Contents) {
	for _, i := range []func() ([]schemas.Question, []schemas.Session){budget, second} {
		questions, _ := i()
		for _, q := range questions {
			q.Family = "lifelong"
			c.Questions = append(c.Questions, q)
		}
	}
	return c
}

// makeTable makes a table of both tasks. Their sessions are in no table of a release here.
func makeTable(t *testing.T, name string, in tables.Inputs) tables.Table {
	t.Helper()
	m := tables.Methods{Name: "answers", Title: "right and wrong", Scorer: Answers()}
	m.Scorer.Release = func(release.Contents) (score.QuestionSet, error) { return answerScorer{instances: both()}, nil }
	if name == "memory" {
		m = tables.Methods{Name: name, Scorer: Memory(), File: "memories.jsonl"}
		m.Scorer.Release = func(release.Contents) (score.QuestionSet, error) { return newMemoryScorer(both(), nil) }
	}
	made, err := m.Kind().Make(in)
	if err != nil || len(made) != 1 {
		t.Fatalf("%d tables, %v", len(made), err)
	}
	return made[0]
}

// TestPartsOfAnswers: by how many sessions were over, and by setting and scenario.
func TestPartsOfAnswers(t *testing.T) {
	all := both()
	all[0].scenario = "lifelong/personal"
	for n := range all[0].questions {
		all[0].questions[n].after = min(n+1, 2)
	}
	all[1].questions[0].after = 1
	answers := map[string]string{"q1": "fifteen thousand euros", "q2": "yellow", "q3": "a dog", "q4": "a cat"}
	for name, tc := range map[string]struct {
		parts func([]instance) func(instance, evalQuestion) []string
		want  string
	}{
		"sessions":  {sessionParts, "accuracy 0.3333 of 4, after 1 0.5000 of 2, after 2 0.5000 of 2"},
		"scenarios": {scenarioParts, "accuracy 0.3333 of 4, Lifelong Evolution 0.6667 of 3, lifelong/personal 0.6667 of 3, without scenario 0.0000 of 1"},
	} {
		got, err := answerScorer{all, tc.parts(all)}.Score(answers, score.Options{Variant: VariantPaper})
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		for _, l := range got.(figures).Lines {
			shown = append(shown, fmt.Sprintf("%s %.4f of %d", l.Name, l.Value, l.Count))
		}
		if s := strings.Join(shown, ", "); s != tc.want {
			t.Errorf("%s: %s, want %s", name, s, tc.want)
		}
	}
	many := sessionParts([]instance{{sessions: make([]schemas.Session, 38)}})
	for after, want := range map[int]string{1: "after 1 to 4", 4: "after 1 to 4", 5: "after 5 to 8", 38: "after 37 to 40"} {
		if got := many(instance{}, evalQuestion{after: after}); got[0] != want {
			t.Errorf("after %d: %q, want %q", after, got, want)
		}
	}
}

// TestComposition: a memory that appends, revises and drops, held against the points of the
// release, of which one is an update.
func TestComposition(t *testing.T) {
	q, s := budget()
	s[0].Points[0].Modality, s[0].Points[1].Modality, s[1].Points[0].Modality = schemas.ModalityText, schemas.ModalityImage, schemas.ModalityText
	asked := compositionScorer{memoryScorer{groupInstances(q, s)}}
	answers, err := readMemories(strings.NewReader(`{"session_id":"t/S01","memories":[{"id":"1","text":"The budget is ten thousand euros."},{"id":"2","text":"hall"}]}
{"session_id":"t/S02","memories":[{"id":"1","text":"Fifteen thousand may be spent."}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := asked.Score(answers, score.Options{Variant: VariantPaper})
	if err != nil {
		t.Fatal(err)
	}
	check(t, got, map[string]figure{
		"operations a session": {Value: 2, Count: 2}, "append": {Value: 0.5, Count: 4}, "revise": {Value: 0.25, Count: 4}, "delete": {Value: 0.25, Count: 4}, "merge": {Value: 0, Count: 4},
		"found, in text": {Value: 1, Count: 2}, "found, in image": {Value: 0, Count: 1}, "found, new": {Value: 0.5, Count: 2}, "found, update": {Value: 1, Count: 1}, "found, importance 0.25": {Value: 0, Count: 1},
	})
	var shown []string
	for _, m := range goldOperations(asked, 1) {
		shown = append(shown, fmt.Sprintf("%s %.3f", m.Column, m.Figure.Value))
	}
	if s := strings.Join(shown, ", "); s != "append 0.667, revise 0.333, delete 0.000, merge 0.000" {
		t.Errorf("the points ask for %s", s)
	}
	for name, tc := range map[string]struct {
		h    memoryState
		want string
	}{
		"two into a third":      {memoryState{Memories: []memory{{"3", "Ada likes tea and Ben likes jazz"}}}, "merge"},
		"one into another":      {memoryState{Memories: []memory{{"1", "Ada likes tea, Ben likes jazz"}}}, "merge"},
		"one taken up":          {memoryState{Memories: []memory{{"3", "Ada likes tea"}, {"2", "Ben likes jazz"}}}, "append delete"},
		"both stay":             {memoryState{Memories: []memory{{"1", "Ada likes tea"}, {"2", "Ben likes jazz"}, {"3", "Ada likes tea and Ben likes jazz"}}}, "append"},
		"as changes":            {memoryState{Changes: []change{{"add", memory{"3", "Ada likes tea, Ben likes jazz"}}, {"suppress", memory{ID: "1"}}, {"archive", memory{ID: "2"}}}}, "merge"},
		"as a change of one":    {memoryState{Changes: []change{{"update", memory{"1", "Ada likes tea, Ben likes jazz"}}, {"archive", memory{ID: "2"}}}}, "merge"},
		"a change, and another": {memoryState{Changes: []change{{"update", memory{"1", "Ada likes coffee"}}, {"archive", memory{ID: "2"}}}}, "revise delete"},
	} {
		if ops := strings.Join(tc.h.operations([]memory{{"1", "Ada likes tea"}, {"2", "Ben likes jazz"}}), " "); ops != tc.want {
			t.Errorf("%s: operations %q, want %q", name, ops, tc.want)
		}
	}
	if ops := (memoryState{Changes: []change{{"keep", memory{"1", "a"}}, {"update", memory{"2", "b"}}, {"archive", memory{"3", "c"}}}}).operations(nil); strings.Join(ops, " ") != "revise delete" {
		t.Errorf("operations %q", ops)
	}
}
