package schemas

import (
	"slices"
	"strings"
)

// LabelFact names what a question asks about what, with which answer: rows
// that share it are copies of one fact. A stage writes it where it shows one
// question in several ways.
const LabelFact = "fact"

// Fact names the fact that a question asks for. Two questions are copies of one
// fact when they ask the same thing of the same videos with the same answer,
// however the videos are shown (order, repetition, sides, layout), and whatever
// wrong options stand beside it. All counts of independent questions, all
// intervals, tests and folds go by it.
//
// It is LabelFact where a question has it, else LabelMirror. A question with
// neither is told by its words: its media (its task, where it has none), the
// question and the answer, without regard to case, white space and the sign at
// the end.
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

// normaliseText is a text as far as it says something.
func normaliseText(s string) string {
	return strings.TrimRight(strings.Join(strings.Fields(strings.ToLower(s)), " "), " .?!:")
}
