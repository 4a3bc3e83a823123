package choices_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/pipelinetest"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/choices"
)

// open is an open question about a task.
func open(t *testing.T, id, task, kind, answer string, wrong ...string) pipeline.Record {
	t.Helper()
	q := schemas.Question{QuestionID: id, Family: "talk", TaskID: task, Type: kind, Question: "What about " + id + "?", AnswerText: answer, Split: "test"}
	for i, w := range wrong {
		q.Options = append(q.Options, schemas.Option{Key: string(rune('A' + i)), Text: w, Role: schemas.RoleIntrusion})
	}
	if len(wrong) > 0 {
		q.AnswerKey = string(rune('A' + len(wrong)))
		q.Options = append(q.Options, schemas.Option{Key: q.AnswerKey, Text: answer, Role: schemas.RoleCorrect})
	}
	rec, err := pipeline.NewRecord(schemas.NameQuestion, id, q)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func subject(t *testing.T) pipelinetest.Subject {
	t.Helper()
	s := pipelinetest.Subject{Register: choices.Register, Use: "choices", Golden: "1 51ed31d1cab4e5fc1ca186f58ef5f26d76c74b6be6761cc7785395b47b743ad6"}
	for i, answer := range []string{"7 May 2023", "9 May", "2022", "June 2021", "the 3rd of July"} {
		s.Inputs = append(s.Inputs, open(t, fmt.Sprint("when-", i), "a", "temporal", answer))
	}
	for i, answer := range []string{"Oslo", "in Oslo", "Rome", "rome.", "Lima", "a small harbour by the sea", "Cairo"} {
		s.Inputs = append(s.Inputs, open(t, fmt.Sprint("where-", i), "a", "place", answer))
	}
	s.Inputs = append(s.Inputs,
		open(t, "trap", "a", "adversarial", "Not mentioned", "Oslo"),
		open(t, "lonely", "b", "place", "Bern"),
		open(t, "call", "a", "place", ""),
	)
	return s
}

func TestConformance(t *testing.T) { pipelinetest.Stage(t, subject(t)) }

func TestOptions(t *testing.T) {
	given, _, err := subject(t).Run(t)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range given {
		q, err := pipeline.Decode[schemas.Question](rec)
		if err != nil {
			t.Fatal(err)
		}
		if q.QuestionID == "lonely" || q.QuestionID == "call" {
			if len(q.Options) != 0 {
				t.Errorf("%s has options %v", q.QuestionID, q.Options)
			}
			continue
		}
		var texts []string
		right := 0
		for i, o := range q.Options {
			if o.Key != string(rune('A'+i)) {
				t.Errorf("%s: option %d is called %s", q.QuestionID, i, o.Key)
			}
			if o.Key == q.AnswerKey {
				right++
				if o.Text != q.AnswerText || o.Role != schemas.RoleCorrect {
					t.Errorf("%s: the answer %q is option %+v", q.QuestionID, q.AnswerText, o)
				}
			}
			texts = append(texts, o.Text)
		}
		if len(q.Options) != 4 || right != 1 || q.QuestionMCQ != schemas.MCQ(q.Question, q.Options) {
			t.Errorf("%s: %+v", q.QuestionID, q)
		}
		// What says the same, or holds the answer, is no wrong option.
		for _, pair := range [][2]string{{"Oslo", "in Oslo"}, {"Rome", "rome."}} {
			if slices.Contains(texts, pair[0]) && slices.Contains(texts, pair[1]) && slices.Contains(pair[:], q.AnswerText) {
				t.Errorf("%s: %v", q.QuestionID, texts)
			}
		}
		if q.QuestionID == "trap" && !slices.ContainsFunc(q.Options, func(o schemas.Option) bool { return o.Text == "Oslo" && o.Role == schemas.RoleIntrusion }) {
			t.Errorf("the trap is lost: %v", q.Options)
		}
		if q.Type == "temporal" && slices.Contains(texts, "Oslo") {
			t.Errorf("%s: a place among dates: %v", q.QuestionID, texts)
		}
	}
}

func TestConfigurations(t *testing.T) {
	r := pipeline.NewRegistry()
	choices.Register(r)
	plugin, _ := r.Plugin(pipeline.KindStage, "choices")
	for _, c := range []choices.Config{{Options: 1, Among: 8}, {Options: 27, Among: 40}, {Options: 4, Among: 3}} {
		if _, err := plugin.Build(&c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
