package score_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// TestLabelsOfCases: each subject has its label and reason, a share one of all, and what has none says why.
func TestLabelsOfCases(t *testing.T) {
	c := score.Case{IDs: []string{"a", "b"}, Labels: []string{"Yes", "No"}, Subjects: []string{"x", "y"}}
	of := func(c score.Case, labels, whys []string) (out []string) {
		got, err := c.LabelsOf(labels, whys, "refused", score.Label{Model: "m", Prompt: "p"})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range got {
			if l.Model != "m" || l.Prompt != "p" || l.Case != got[0].Case || len(l.Case) != 64 {
				t.Errorf("%+v", l)
			}
			out = append(out, fmt.Sprintf("%s=%s/%s/%s", l.ID, l.Prediction, l.Unjudged, l.Why))
		}
		return out
	}
	if got, want := of(c, []string{"Yes", ""}, []string{"it is"}), []string{"a#judge=Yes//it is", "b#judge=/refused/"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	shared := score.Case{IDs: []string{"a"}, Labels: c.Labels, Subjects: []string{"x", "y", "z", "w"}, Share: true}
	for want, labels := range map[string][]string{
		"a#judge=0.75//so it is": {"Yes", "No", "Yes", "Yes"}, "a#judge=0//so it is": {"No", "No", "No", "No"}, "a#judge=/refused/so it is": {"Yes", "", "Yes", "Yes"},
	} {
		if got := of(shared, labels, []string{"so", "it", "is"}); got[0] != want {
			t.Errorf("%q: %q, want %q", labels, got, want)
		}
	}
	shared.Known = []string{"0.5"}
	if got := of(shared, shared.Known, []string{"nothing was stored"}); got[0] != "a#judge=0.5//nothing was stored" {
		t.Errorf("what is known: %q", got)
	}
}

// TestCasesAreSplitAtTheBound into parts of 25, where subjects are judged each by itself.
func TestCasesAreSplitAtTheBound(t *testing.T) {
	of := func(n int) score.Case { return score.Case{IDs: make([]string, n), Subjects: make([]string, n)} }
	known := of(26)
	known.Known = []string{"x"}
	for want, c := range map[string]score.Case{"[25]": of(25), "[25 1]": of(26), "[25 25]": of(50), "[25 25 1]": of(51), "[26]": known} {
		var parts []int
		for _, p := range c.Split() {
			parts = append(parts, len(p.IDs))
		}
		if fmt.Sprint(parts) != want {
			t.Errorf("parts %v, want %s", parts, want)
		}
	}
}

// TestLabelsOfOtherAnswersAreRefused, and those of these, or of no case, are not.
func TestLabelsOfOtherAnswersAreRefused(t *testing.T) {
	cases := []score.Case{{IDs: []string{"a", "b"}, Subjects: []string{"x", "y"}}, {IDs: []string{"c"}, Subjects: []string{"z"}}}
	labels := map[string]score.Label{}
	for _, c := range cases {
		got, err := c.LabelsOf([]string{"Yes", "Yes"}, nil, "", score.Label{})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range got {
			labels[l.ID] = l
		}
	}
	labels["d#judge"] = score.Label{ID: "d#judge"}
	if err := score.CheckLabels(labels, cases); err != nil {
		t.Error(err)
	}
	cases[0].Subjects[1] = "another"
	if err := score.CheckLabels(labels, cases); err == nil || !strings.HasPrefix(err.Error(), "2 labels are of other answers or questions than these (a#judge, b#judge): ") {
		t.Error(err)
	}
	delete(labels, "a#judge")
	labels["b#judge"] = score.Label{ID: "b#judge", Prediction: "Yes"} // written by hand
	if err := score.CheckLabels(labels, cases); err != nil {
		t.Error(err)
	}
}

// TestReadLabels names the line of what is none.
func TestReadLabels(t *testing.T) {
	got, err := score.ReadLabels(strings.NewReader("{\"id\":\"a#judge\",\"prediction\":\"Correct\"}\n\n{\"id\":\"b#judge\",\"unjudged\":\"refused\"}\n"))
	if err != nil || len(got) != 2 || got["a#judge"].Prediction != "Correct" || got["b#judge"].Unjudged != "refused" {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{`{"id":"a","prediction":"x"}`, `{"id":"a#judge"}`, `{`, "{\"id\":\"a#judge\",\"prediction\":\"x\"}\n{\"id\":\"a#judge\",\"prediction\":\"x\"}"} {
		if _, err := score.ReadLabels(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), "labels") {
			t.Errorf("%s: %v", bad, err)
		}
	}
	if got := score.LabelsIn(map[string]string{"a": "A", "a#judge": "Correct", "#judge": "x"}); len(got) != 2 || got["a"] != "Correct" || got[""] != "x" {
		t.Errorf("labels %v", got)
	}
	if got := score.WithLabels([]string{"a", "b"}); fmt.Sprint(got) != "[a a#judge b b#judge]" {
		t.Errorf("ids %v", got)
	}
}

// TestReadRetrieved reads what was retrieved, the labels of it, or answers of any form.
func TestReadRetrieved(t *testing.T) {
	spell := func(items []score.Retrieved) string { return fmt.Sprintf("%d items", len(items)) }
	for text, want := range map[string]string{
		`{"id":"a","items":[{"id":"m"},{"id":"n"}]}` + "\n" + `{"id":"b","items":[]}` + "\n" + `{"id":"a#judge","items":null,"prediction":"0.5"}`: "map[a:2 items a#judge:0.5 b:0 items]",
		`{"id":"a","prediction":"x"}`:            "map[a:x]",
		`{"id":"a","items":[],"prediction":"x"}`: "map[a:0 items]",
		"":                                       "map[]",
	} {
		got, err := score.ReadRetrieved(strings.NewReader(text), spell)
		if err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s: %v, %v, want %s", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"id":"a","items":[]}` + "\n" + `{"id":"a","items":[]}`: `line 2: question "a" has no id, or is there twice`,
		`{"items":[]}`:            `line 1: question "" has no id`,
		`{"id":"a","items":[]} {`: "line 2: ",
	} {
		if _, err := score.ReadRetrieved(strings.NewReader(text), spell); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestVariantsAndLists: a variant is one of those there are, and of long lists three are shown.
func TestVariantsAndLists(t *testing.T) {
	s := score.Scorer{Name: "s", Variants: []string{"paper", "code"}}
	for name, want := range map[string]string{"": "paper", "code": "code"} {
		if got, err := s.ChooseVariant(name); got != want || err != nil {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	if _, err := s.ChooseVariant("other"); err == nil {
		t.Error("another variant is taken")
	}
	if got, err := (score.Scorer{}).ChooseVariant(""); got != "" || err != nil {
		t.Errorf("without variants: %q, %v", got, err)
	}
	if _, err := (score.Scorer{}).ChooseVariant("x"); err == nil {
		t.Error("a variant of none is taken")
	}
	for want, list := range map[string][]string{"": nil, "a, b, c": {"a", "b", "c"}, "a, b, c and 1 more": {"a", "b", "c", "d"}} {
		if got := score.FirstFew(list); got != want {
			t.Errorf("%q: %q", list, got)
		}
	}
	answers := map[string]string{"b": ""}
	for _, incomplete := range []bool{false, true} {
		missing, err := score.FindMissing([]string{"a", "b", "c"}, answers, score.Options{Incomplete: incomplete})
		var lacks *score.MissingError
		if errors.As(err, &lacks) == incomplete || incomplete && fmt.Sprint(missing) != "[a c]" || !incomplete && fmt.Sprint(lacks.IDs) != "[a c]" {
			t.Errorf("incomplete %t: %v, %v", incomplete, missing, err)
		}
	}
	if missing, err := score.FindMissing([]string{"b"}, answers, score.Options{}); missing != nil || err != nil {
		t.Errorf("%v, %v", missing, err)
	}
}

// TestMeansAsJSON writes what is printed, and what has no answer.
func TestMeansAsJSON(t *testing.T) {
	r := pipeline.NewRegistry()
	score.AddAnswerScorer(r, score.AnswerScorer{Name: "m", By: []string{"level"}, Mark: func(_ schemas.Question, answer string) float64 { return float64(len(answer)) / 4 }})
	asked, err := score.Scorers(r)[0].Release(release.Contents{Questions: []schemas.Question{
		{QuestionID: "a", Type: "x", Labels: map[string]string{"level": "2"}}, {QuestionID: "b", Type: "x"}, {QuestionID: "c", Type: "y"}, {QuestionID: "d", Type: "y"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(asked.IDs()); got != "[a a#judge b b#judge c c#judge d d#judge]" {
		t.Errorf("ids %s", got)
	}
	scores, err := asked.Score(map[string]string{"a": "1234", "b": "", "c": "12"}, score.Options{Incomplete: true})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(scores)
	const want = `{"unit":"percent","means":[{"by":"all","mean":50,"count":3},{"by":"type","value":"x","mean":50,"count":2},{"by":"type","value":"y","mean":50,"count":1},{"by":"level","value":"2","mean":100,"count":1}],"unanswered":1}`
	if err != nil || string(got) != want || fmt.Sprint(scores.Warnings()) != "[1 questions have no answer and are in no mean]" {
		t.Errorf("%s, %v, %q", got, err, scores.Warnings())
	}
}
