package score_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// TestMarksAreMeansOfGroups: a half, a whole and no mark, of two types.
func TestMarksAreMeansOfGroups(t *testing.T) {
	marks := map[string]float64{"half": 0.5, "whole": 1, "bad": 2, "none": math.NaN()}
	r := pipeline.NewRegistry()
	score.AddAnswerScorer(r, score.AnswerScorer{Name: "m", By: []string{"moved"}, Mark: func(_ schemas.Question, answer string) float64 { return marks[answer] }})
	asked, err := score.Scorers(r)[0].Release(release.Contents{Questions: []schemas.Question{
		{QuestionID: "a", Type: "x", Labels: map[string]string{"moved": "2"}}, {QuestionID: "b", Type: "x"}, {QuestionID: "c", Type: "y", Labels: map[string]string{"moved": "1"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	scores, err := asked.Score(map[string]string{"a": "half", "b": "whole", "c": "?"}, score.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := scores.Print(&out); err != nil {
		t.Fatal(err)
	}
	want := "all       50.00 %  of 3\ntype   x  75.00 %  of 2\ntype   y  0.00 %   of 1\nmoved  1  0.00 %   of 1\nmoved  2  50.00 %  of 1\n"
	if out.String() != want || len(scores.Warnings()) > 0 {
		t.Errorf("printed\n%swant\n%swarned %q", out.String(), want, scores.Warnings())
	}
	for _, answer := range []string{"bad", "none"} {
		if _, err := asked.Score(map[string]string{"a": answer}, score.Options{Incomplete: true}); err == nil || !strings.Contains(err.Error(), "question a") {
			t.Errorf("a mark %v: error %v", marks[answer], err)
		}
	}
	var missing *score.MissingError
	if _, err := asked.Score(map[string]string{"a": "half"}, score.Options{}); !errors.As(err, &missing) || len(missing.IDs) != 2 {
		t.Errorf("two questions without an answer: %v", err)
	}
}

// TestAJudgeMarksOpenAnswers instead of the rule; options and calls are none of its cases.
func TestAJudgeMarksOpenAnswers(t *testing.T) {
	r := pipeline.NewRegistry()
	score.AddAnswerScorer(r, score.AnswerScorer{Name: "m", Mark: func(schemas.Question, string) float64 { return 0 }})
	asked, err := score.Scorers(r)[0].Release(release.Contents{Questions: []schemas.Question{
		{QuestionID: "a", Question: "where?", AnswerText: "at home"}, {QuestionID: "b", Options: []schemas.Option{{Key: "A"}}}, {QuestionID: "c", AnswerCall: "{}"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{"a": "in the flat", "b": "A", "c": "{}"}
	cases, err := asked.(score.Judged).Cases(answers)
	if err != nil || len(cases) != 1 || cases[0].Question != "where?" || cases[0].Subjects[0] != "in the flat" || cases[0].Against[0] != "at home" {
		t.Fatalf("%+v, %v", cases, err)
	}
	answers["a#judge"] = "Correct"
	var out bytes.Buffer
	scores, err := asked.Score(answers, score.Options{})
	if err == nil {
		err = scores.Print(&out)
	}
	if err != nil || !strings.HasPrefix(out.String(), "all     33.33 %  of 3\n") || !strings.Contains(strings.Join(scores.Warnings(), ""), "1 answers are marked by a judge") {
		t.Errorf("%s%v", out.String(), err)
	}
	answers["a#judge"] = "Covered"
	if _, err := asked.Score(answers, score.Options{}); err == nil {
		t.Error("a label that is none is taken")
	}
}

// TestCasesAreSplit: no subject is lost, and a share stays whole.
func TestCasesAreSplit(t *testing.T) {
	c := score.Case{IDs: make([]string, 60), Subjects: make([]string, 60)}
	n := 0
	for _, part := range c.Split() {
		n += len(part.IDs)
		if len(part.IDs) != len(part.Subjects) || len(part.IDs) > 25 {
			t.Errorf("a part of %d ids and %d subjects", len(part.IDs), len(part.Subjects))
		}
	}
	c.Share = true
	if n != 60 || len(c.Split()) != 1 {
		t.Errorf("%d subjects, %d shares", n, len(c.Split()))
	}
}

func FuzzReadLabels(f *testing.F) {
	f.Add([]byte(`{"id": "a#judge", "prediction": "Correct"}`))
	f.Add([]byte("{\"id\": \"a#judge\", \"unjudged\": \"refused\"}\n{\"id\": \"a\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		labels, err := score.ReadLabels(bytes.NewReader(data))
		for id, l := range labels {
			if err == nil && (!strings.HasSuffix(id, score.JudgeSuffix) || l.Prediction+l.Unjudged == "") {
				t.Fatalf("%q: %+v", id, l)
			}
		}
	})
}

func TestReadAnswers(t *testing.T) {
	got, err := score.ReadAnswers(strings.NewReader(`{"id": "a", "prediction": ""}

{"question_id": "b", "prediction": "x\ny"}
{"doc_id": 3, "doc": {"id": "c"}, "filtered_resps": ["C"], "resps": [["D"]]}
{"doc": {"question_id": "d"}, "resps": [["D", "E"]]}
`))
	if err != nil || len(got) != 4 || got["a"] != "" || got["b"] != "x\ny" || got["c"] != "C" || got["d"] != "D" {
		t.Errorf("%q: %v", got, err)
	}
	for want, text := range map[string]string{
		"line 2: question \"a\" is answered twice": "{\"id\":\"a\",\"prediction\":\"A\"}\n{\"id\":\"a\",\"prediction\":\"A\"}",
		"line 1: it names no question":             `{"prediction": "A"}`,
		"has no answer":                            `{"id": "a", "filtered_resps": []}`,
		"line 1":                                   `nonsense`,
	} {
		if _, err := score.ReadAnswers(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzReadAnswers(f *testing.F) {
	f.Add([]byte(`{"id": "a", "prediction": "A"}`))
	f.Add([]byte("{\"doc\": {\"id\": \"a\"}, \"resps\": [[\"B\"]]}\n\n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		answers, err := score.ReadAnswers(bytes.NewReader(data))
		if _, unnamed := answers[""]; unnamed || err != nil && answers != nil {
			t.Fatalf("%q: %v", answers, err)
		}
	})
}
