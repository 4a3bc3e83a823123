package score

import "strings"

// JudgeSuffix ends the id of a judge's label, behind the id of what is judged. Labels are
// lines among the answers.
const JudgeSuffix = "#judge"

// JudgeLabels are what a judge said, by the id of what was judged.
type JudgeLabels map[string]string

// LabelsIn returns the labels among answers. All scorers get theirs here.
func LabelsIn(answers map[string]string) JudgeLabels {
	out := JudgeLabels{}
	for id, label := range answers {
		if of, isLabel := strings.CutSuffix(id, JudgeSuffix); isLabel {
			out[of] = label
		}
	}
	return out
}

// WithLabels adds the ids of labels to those of what may be judged.
func WithLabels(ids []string) []string {
	out := make([]string, 0, 2*len(ids))
	for _, id := range ids {
		out = append(out, id, id+JudgeSuffix)
	}
	return out
}
