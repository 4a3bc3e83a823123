package schemas

import "testing"

// Whether a question is a copy of "What is opened?", answer "the door", over
// medium m.
func TestFact(t *testing.T) {
	first := func() Question {
		return Question{
			QuestionID: "q1", TaskID: "t1", Type: "a", Question: "What is  opened?", AnswerKey: "A", AnswerText: "the door", Media: []string{"m", "n"},
			Options: []Option{{Key: "A", Text: "the door"}, {Key: "B", Text: "the lid"}}, Labels: map[string]string{},
		}
	}
	for name, tc := range map[string]struct {
		edit func(q *Question)
		same bool
	}{
		"another id, task and type":   {func(q *Question) { q.QuestionID, q.TaskID, q.Type = "q2", "t2", "b" }, true},
		"other options":               {func(q *Question) { q.Options, q.AnswerKey = q.Options[:1], "B" }, true},
		"case, space and closing dot": {func(q *Question) { q.Question, q.AnswerText = "what is opened", "The door." }, true},
		"media in another order":      {func(q *Question) { q.Media = []string{"n", "m"} }, true},
		"another answer":              {func(q *Question) { q.AnswerText = "the lid" }, false},
		"an answer that is a sign":    {func(q *Question) { q.AnswerText = "the door+" }, false},
		"another question":            {func(q *Question) { q.Question = "What is shut?" }, false},
		"other media":                 {func(q *Question) { q.Media = []string{"m", "o"} }, false},
		"no media":                    {func(q *Question) { q.Media = nil }, false},
		"a mirror group":              {func(q *Question) { q.Labels[LabelMirror] = "g" }, false},
	} {
		q := first()
		tc.edit(&q)
		if same := q.Fact() == first().Fact(); same != tc.same {
			t.Errorf("%s: the same fact is %v, want %v", name, same, tc.same)
		}
	}
}

func TestFactLabelsComeFirst(t *testing.T) {
	of := func(question, fact, mirror string) string {
		return Question{Question: question, Labels: map[string]string{LabelFact: fact, LabelMirror: mirror}}.Fact()
	}
	if of("one", "f", "g") != of("two", "f", "h") || of("one", "f", "g") == of("one", "e", "g") {
		t.Error("the label fact does not decide")
	}
	if of("one", "", "g") != of("two", "", "g") || of("one", "", "g") == of("one", "", "h") || of("", "g", "") == of("", "", "g") {
		t.Error("without it the mirror group does not decide")
	}
	a, b := Question{TaskID: "t"}, Question{TaskID: "u"}
	if a.Fact() == b.Fact() {
		t.Error("without media the task does not tell questions apart")
	}
}

// Whether a question repeats "What is opened?", with two options, over medium m of task t1.
func TestRepeatKey(t *testing.T) {
	first := func() Question {
		return Question{QuestionID: "q1", TaskID: "t1", Question: "What is opened?", Media: []string{"m"}, Options: []Option{{Key: "A", Text: "the door"}, {Key: "B", Text: "the lid"}}}
	}
	cited := func(q *Question, task string) {
		q.TaskID, q.Evidence = task, []Evidence{{Kind: EvidenceTurn}}
	}
	for name, tc := range map[string]struct {
		edit func(q *Question)
		same bool
	}{
		"another id, type and answer": {func(q *Question) { q.QuestionID, q.Type, q.AnswerText = "q2", "b", "the lid" }, true},
		"options in another order":    {func(q *Question) { q.Options = []Option{{Key: "A", Text: "the lid"}, {Key: "B", Text: "the door"}} }, true},
		"another task, same medium":   {func(q *Question) { q.TaskID = "t2" }, true},
		"another task that is cited":  {func(q *Question) { cited(q, "t2") }, false},
		"its own task, cited":         {func(q *Question) { cited(q, "t1") }, false},
		"no media":                    {func(q *Question) { q.Media = nil }, false},
		"another option":              {func(q *Question) { q.Options[1].Text = "the box" }, false},
		"other words":                 {func(q *Question) { q.Question = "What is shut?" }, false},
		"another checkpoint":          {func(q *Question) { q.CheckpointID = "c2" }, false},
		"another picture to look at":  {func(q *Question) { q.QuestionMedia = []string{"p"} }, false},
	} {
		q := first()
		tc.edit(&q)
		if same := q.RepeatKey() == first().RepeatKey(); same != tc.same {
			t.Errorf("%s: it repeats is %v, want %v", name, same, tc.same)
		}
	}
}
