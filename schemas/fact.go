package schemas

import (
	"slices"
	"strings"
)

// LabelFact identifies what a question asks about what, with which answer: rows that
// share it are copies of one fact. Stages that show one question in several ways write
// it.
const LabelFact = "fact"

// Fact identifies the fact that a question asks for. Two questions are copies of one
// fact if they ask the same about the same videos with the same answer, however the
// videos are shown (order, repetition, sides, layout) and whatever the wrong options
// are. Counts of independent questions, intervals, tests and folds go by it.
//
// It is LabelFact if the question has it, else LabelMirror. Otherwise it is made of the
// media (the task, without media), the question and the answer, ignoring case, white
// space and the final punctuation.
func (q Question) Fact() string {
	if f := q.Labels[LabelFact]; f != "" {
		return "fact " + f
	}
	if m := q.Labels[LabelMirror]; m != "" {
		return "mirror group " + m
	}
	about := []string{"task", q.TaskID}
	if len(q.Media) > 0 {
		about = append([]string{"media"}, slices.Sorted(slices.Values(q.Media))...)
	}
	answer := q.AnswerText
	if answer == "" {
		answer = q.AnswerKey
	}
	return strings.Join(append(about, "asks", normaliseText(q.Question), "answer", normaliseText(answer)), "\x00")
}

func normaliseText(s string) string {
	return strings.TrimRight(strings.Join(strings.Fields(strings.ToLower(s)), " "), " .?!:")
}
