package schemas

import (
	"fmt"
	"slices"
	"strings"
)

// LabelFact identifies what a question asks about what, with which answer: rows that
// share it are copies of one fact. Stages that show one question in several ways write
// it.
const LabelFact = "fact"

// Fact identifies the fact that a question asks for. Two questions are copies of one
// fact if they ask the same about the same media with the same answer, however the
// media are shown (order, repetition, sides, layout) and whatever the wrong options
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

// RepeatKey returns what two questions of a release may not share, because one would ask
// the other again: the checkpoint, the words and pictures, the options in any order, and the
// media that they are about, or the task without any. A question that cites turns is about its task
// too: the same pictures may be shown in others, as in two arrangements of one (SMMBench 4.3).
func (q Question) RepeatKey() string {
	about := slices.Clone(q.Media)
	if len(about) == 0 || slices.ContainsFunc(q.Evidence, func(e Evidence) bool { return e.Kind == EvidenceTurn }) {
		about = append(about, q.TaskID)
	}
	options := make([]string, len(q.Options))
	for i, o := range q.Options {
		options[i] = o.Text
	}
	slices.Sort(options)
	return fmt.Sprintf("%q %q %q %q %q", q.CheckpointID, q.Question, q.QuestionMedia, about, options)
}
