package structural

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

func choice(change func(q *schemas.Question)) schemas.Question {
	q := schemas.Question{QuestionID: "q", Type: "choice", Labels: map[string]string{"target": "one"}}
	q.SetOptions(schemas.Option{Text: "red", Role: "correct"}, schemas.Option{Text: "blue", Role: "distractor"}, schemas.Option{Text: "green", Role: "distractor"})
	if change != nil {
		change(&q)
	}
	return q
}

// TestRoles holds what the gate of options' roles says of questions.
func TestRoles(t *testing.T) {
	makeUps := []MakeUp{{Type: "choice", Roles: map[string]int{"correct": 1, "distractor": 2}}, {Type: "denial", Roles: map[string]int{"correct": 1}, Marks: map[string]string{"target": "neither"}}}
	r := pipeline.NewRegistry()
	for _, m := range makeUps {
		r.AddQuestionType(pipeline.QuestionType{Name: m.Type, Options: m.Roles, Marks: m.Marks})
	}
	r.AddQuestionType(pipeline.QuestionType{Name: "free"})
	AddRoles(r, "roles", "1", "roles")
	AddRoles(r, "denials", "1", "roles of denials", "denial")
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	var declared []string
	for _, m := range MakeUps(r) {
		declared = append(declared, m.String())
	}
	if got := strings.Join(declared, " | "); got != "choice: 1 correct, 2 distractor | denial: 1 correct; target=neither" {
		t.Errorf("declared: %s", got)
	}
	if b, err := makeUps[1].MarshalText(); err != nil || string(b) != "denial: 1 correct; target=neither" || Tally(nil) != "no options" {
		t.Errorf("%s, %v", b, err)
	}
	option := func(i int, f func(o *schemas.Option)) func(q *schemas.Question) {
		return func(q *schemas.Question) { f(&q.Options[i]) }
	}
	for _, c := range []struct {
		q    schemas.Question
		want string
	}{
		{choice(nil), "pass"},
		{choice(func(q *schemas.Question) { q.Type = "song" }), `not_applicable other-type: it is of type "song" and this gate judges ["choice" "denial"]`},
		{choice(option(1, func(o *schemas.Option) { o.Role = "lure" })), "fail wrong-roles: it has 1 correct, 1 distractor, 1 lure; want 1 correct, 2 distractor"},
		{choice(option(1, func(o *schemas.Option) { o.Text = " GREEN" })), "fail same-options: two options have one key or text, or a text is empty"},
		{choice(option(1, func(o *schemas.Option) { o.Text = " " })), "fail same-options: two options have one key or text, or a text is empty"},
		{choice(option(1, func(o *schemas.Option) { o.Key = "C" })), "fail same-options: two options have one key or text, or a text is empty"},
		{choice(func(q *schemas.Question) { q.AnswerKey = "B" }), `fail wrong-answer: the answer is B "red" and the correct option A "red"`},
		{choice(func(q *schemas.Question) { q.AnswerText = "Red" }), `fail wrong-answer: the answer is A "Red" and the correct option A "red"`},
		{choice(func(q *schemas.Question) { q.Labels = map[string]string{"target": "neither"} }), `fail wrong-label: it is of type choice and its target is "neither"; "neither" marks questions of type denial, all of them and no others`},
		{choice(func(q *schemas.Question) { q.Type = "denial"; q.Options = q.Options[:1] }), `fail wrong-label: it is of type denial and its target is "one"; "neither" marks questions of type denial, all of them and no others`},
		{choice(func(q *schemas.Question) {
			q.Type, q.Options, q.Labels = "denial", q.Options[:1], map[string]string{"target": "neither"}
		}), "pass"},
	} {
		rec, err := pipeline.NewRecord(schemas.NameQuestion, "q", c.q)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := r.Plugin(pipeline.KindGate, "roles")
		built, err := p.Build(p.NewConfig())
		if err != nil {
			t.Fatal(err)
		}
		got, err := built.(pipeline.Gate).Judge(t.Context(), nil, []pipeline.Record{rec})
		if err != nil {
			t.Fatal(err)
		}
		if text := strings.TrimSpace(fmt.Sprintf("%s %s", got[0].Outcome, got[0].Reason)); text != c.want {
			t.Errorf("%+v: %s, want %s", c.q, text, c.want)
		}
	}
	if spec, ok := r.DefaultSpec(pipeline.KindGate, "denials"); !ok || fmt.Sprint(spec.Types) != "[denial]" || spec.Whole {
		t.Errorf("the gate of denials: %+v", spec)
	}
	g := NewForSchema("thing", "", func(list []string) []pipeline.Judgement { return SameForAll(len(list), Pass()) })
	f := g.(pipeline.Forecaster).Forecast(pipeline.Volume{"thing": {Records: 10, Rough: true}})
	if f.Out["thing"].Records != 10 || !f.Out["thing"].Rough || f.Out[schemas.NameVerdict].Records != 10 || f.Out[schemas.NameVerdict].Rough || f.CPU < 9.9*RuleCPU || f.CPU > 10.1*RuleCPU {
		t.Errorf("forecast: %+v", f)
	}
	if j := SameForAll(3, Pass()); len(j) != 3 || j[2].Outcome != pipeline.Pass {
		t.Errorf("three judgements: %+v", j)
	}
}

// TestSpread flags what more facts have one answer than chance allows, and no more of them.
func TestSpread(t *testing.T) {
	s := Spread{Code: "lopsided", Message: "%d of %d are %s", Tests: 4, AnswerOf: func(q schemas.Question) string { return q.AnswerKey }}
	judge := func(keys string, size int, fact func(i int) string) string {
		var qs []schemas.Question
		var group []int
		for i, k := range keys {
			qs = append(qs, schemas.Question{QuestionID: fmt.Sprintf("q%03d", i), AnswerKey: string(k), Labels: map[string]string{schemas.LabelFact: fact(i)}})
			group = append(group, i)
		}
		out := make([]pipeline.Judgement, len(qs))
		s.Judge(qs, group, size, out)
		failed, reason := 0, ""
		for _, j := range out {
			if j.Outcome != "" {
				failed++
				reason = string(j.Outcome) + " " + j.Reason
			}
		}
		return fmt.Sprintf("%d %s", failed, reason)
	}
	own := func(i int) string { return fmt.Sprint(i) }
	fair := strings.Repeat("ABCD", 10)
	for _, c := range []struct {
		name, keys string
		size       int
		fact       func(i int) string
		want       string
	}{
		{"even", fair, 4, own, "0 "},
		{"all one", strings.Repeat("A", 40), 4, own, "30 fail lopsided: 40 of 40 are A"},
		{"one option", fair, 1, own, fmt.Sprintf("40 insufficient too-few: 40 distinct facts with 1 options do not show a bias; it takes %d", 2*minPerAnswer)},
		{"few facts", strings.Repeat("A", 40), 4, func(i int) string { return fmt.Sprint(i % 2) }, fmt.Sprintf("40 insufficient too-few: 2 distinct facts with 4 options do not show a bias; it takes %d", 4*minPerAnswer)},
		{"just many enough", strings.Repeat("A", 4*minPerAnswer), 4, own, fmt.Sprintf("%d fail lopsided: %d of %d are A", 3*minPerAnswer, 4*minPerAnswer, 4*minPerAnswer)},
		{"one too few", strings.Repeat("A", 4*minPerAnswer-1), 4, own, fmt.Sprintf("%d insufficient too-few: %d distinct facts with 4 options do not show a bias; it takes %d", 4*minPerAnswer-1, 4*minPerAnswer-1, 4*minPerAnswer)},
	} {
		if got := judge(c.keys, c.size, c.fact); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestFactGroups: a fact counts once, in part for each value that its copies have.
func TestFactGroups(t *testing.T) {
	fact := func(id, f string) schemas.Question {
		return schemas.Question{QuestionID: id, Labels: map[string]string{schemas.LabelFact: f}}
	}
	qs := []schemas.Question{fact("d", "x"), fact("b", "y"), fact("a", "x"), fact("c", "z"), fact("e", "none")}
	groups := GroupByFact(qs, []int{0, 1, 2, 3})
	if got := fmt.Sprint(groups.ByID(qs), len(groups), groups["fact x"]); got != "[fact x fact y fact z] 3 [0 2]" {
		t.Errorf("facts: %s", got)
	}
	shares := groups.Shares(func(i int) string { return []string{"A", "A", "B", "A", "A"}[i] })
	if shares["A"] != 2 || shares["B"] != 0 || len(shares) != 2 {
		t.Errorf("shares: %v", slices.Sorted(maps.Keys(shares)))
	}
}

// TestItemsAreJudgedInTheirGroups: those that have a field in common together, each other
// group by itself, and an item without the field not at all.
func TestItemsAreJudgedInTheirGroups(t *testing.T) {
	type thing struct {
		Task string `json:"task_id"`
		N    int    `json:"n"`
	}
	var groups []string
	g := NewForSchema("thing", "task_id", func(list []thing) []pipeline.Judgement {
		groups = append(groups, fmt.Sprint(list))
		out := SameForAll(len(list), Pass())
		out[0].Reason = list[0].Task
		return out
	})
	if !g.Spec().Whole || fmt.Sprint(g.Spec().Accepts) != "[thing]" || NewForSchema("thing", "", func([]thing) []pipeline.Judgement { return nil }).Spec().Whole {
		t.Errorf("spec: %+v", g.Spec())
	}
	record := func(v any) pipeline.Record {
		r, err := pipeline.NewRecord("thing", "x", v)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	got, err := g.Judge(t.Context(), nil, []pipeline.Record{record(thing{"a", 1}), record(thing{"b", 2}), record(thing{"a", 3})})
	if err != nil || fmt.Sprint(groups) != "[[{a 1} {a 3}] [{b 2}]]" || len(got) != 3 || got[0].Reason != "a" || got[1].Reason != "b" || got[2].Outcome != pipeline.Pass || got[2].Reason != "" {
		t.Errorf("%v, %+v, %v", groups, got, err)
	}
	for _, bad := range []any{map[string]int{"task_id": 3}, map[string]int{"n": 3}, 7} {
		if _, err := g.Judge(t.Context(), nil, []pipeline.Record{record(bad)}); err == nil || !strings.Contains(err.Error(), "its task_id") {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if _, err := g.Judge(t.Context(), nil, []pipeline.Record{record(map[string]string{"task_id": "a", "n": "x"})}); err == nil {
		t.Error("an item that cannot be decoded is judged")
	}
}
