package videogates_test

import (
	"fmt"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

func recalled(id, target string) schemas.Question {
	q := schemas.Question{
		QuestionID: id, Type: schemas.TypeSourceMemory, Question: "In which?", AnswerKey: "A", AnswerText: "one",
		Labels: map[string]string{"mirror_group": id, "target": target}, Media: []string{id},
		Options: []schemas.Option{
			{Key: "A", Text: "one", Role: schemas.RoleCorrect}, {Key: "B", Text: "other", Role: schemas.RoleDistractor},
			{Key: "C", Text: "both", Role: schemas.RoleDistractor}, {Key: "D", Text: "neither", Role: schemas.RoleDistractor},
		},
	}
	if target == schemas.TargetNeither {
		q.Type = schemas.TypeFalseMemory
	}
	return q
}

func TestOptionRoles(t *testing.T) {
	tests := []struct {
		name string
		edit func(*schemas.Question)
		want string
	}{
		{"as it should be", func(*schemas.Question) {}, ""},
		{"false memory", func(q *schemas.Question) { *q = recalled("q2", schemas.TargetNeither) }, ""},
		{"interference", func(q *schemas.Question) { *q = interference("q1") }, ""},
		{"intrusion", func(q *schemas.Question) { q.Options[2].Role = schemas.RoleIntrusion }, "wrong-roles"},
		{"two wrong", func(q *schemas.Question) { q.Options = q.Options[:3] }, "wrong-roles"},
		{"false memory of something", func(q *schemas.Question) { q.Type = schemas.TypeFalseMemory }, "wrong-label"},
		{"memory of nothing", func(q *schemas.Question) { q.Labels["target"] = "neither" }, "wrong-label"},
		{"other answer", func(q *schemas.Question) { q.AnswerKey = "B" }, "wrong-answer"},
	}
	for _, tt := range tests {
		q := recalled("q1", "A")
		tt.edit(&q)
		checkCode(t, tt.name, judge(t, "option-roles", q)[0], tt.want)
	}
	r := pipeline.NewRegistry()
	register(r)
	for _, typ := range r.QuestionTypes() {
		q := recalled("q1", "A")
		if q.Type = typ.Name; judge(t, "option-roles", q)[0].Outcome == pipeline.NotApplicable {
			t.Errorf("type %s is not judged", typ.Name)
		}
	}
	q := recalled("q1", "A")
	q.Type = "riddle"
	rec, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
	if err != nil {
		t.Fatal(err)
	}
	p, _ := r.Plugin(pipeline.KindGate, "option-roles")
	g, err := p.BuildRaw(pipeline.RawConfig(`{"types":["riddle"]}`))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := g.(pipeline.Gate).Judge(t.Context(), nil, []pipeline.Record{rec}); err != nil || out[0].Code != "no-make-up" {
		t.Errorf("unknown type: %v, %v", out, err)
	}
}

func TestSourceAnswers(t *testing.T) {
	ask := func(n int, target func(int) string) []schemas.Question {
		var qs []schemas.Question
		for i := range n {
			qs = append(qs, recalled(fmt.Sprintf("q%03d", i), target(i)))
		}
		return qs
	}
	turn := func(i int) string { return []string{"A", "B", "both", "neither"}[i%4] }
	for _, j := range judge(t, "source-answers", ask(80, turn)...) {
		checkCode(t, "even", j, "")
	}
	out := judge(t, "source-answers", ask(80, func(i int) string { return []string{"neither", turn(i)}[i%2] })...)
	if n := failures(out, "answer-bias"); n != 40 {
		t.Errorf("60 of 80 in neither: %d flagged, want the surplus of 40", n)
	}
	if j := judge(t, "source-answers", ask(19, turn)...)[0]; j.Outcome != pipeline.Insufficient {
		t.Errorf("19 questions: %+v", j)
	}
}
