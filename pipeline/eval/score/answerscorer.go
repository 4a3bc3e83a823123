package score

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// AnswerScorer is a scorer that marks each answer to a question of a release by itself, and
// gives means: over all questions, by type, and by the values of labels.
type AnswerScorer struct {
	Name, Help string
	// Takes says which questions of a release are marked.
	Takes benchformat.Selector
	// Mark of an answer, from 0 to 1. It is pure.
	Mark func(q schemas.Question, answer string) float64
	// By are the labels.
	By []string
}

// AddAnswerScorer registers such a scorer. Its answers are those of ReadAnswers.
func AddAnswerScorer(r *pipeline.Registry, m AnswerScorer) {
	Add(r, Scorer{
		Name: m.Name, Help: m.Help, Takes: m.Takes, Answers: ReadAnswers,
		Release: func(c release.Contents) (QuestionSet, error) { return markedQuestions{m, c.Questions}, nil },
	})
}

type markedQuestions struct {
	AnswerScorer
	questions []schemas.Question
}

// IDs implements Asked.
func (m markedQuestions) IDs() []string {
	ids := make([]string, len(m.questions))
	for i, q := range m.questions {
		ids[i] = q.QuestionID
	}
	return WithLabels(ids)
}

// Cases implements Judged: answers to questions that are put openly.
func (m markedQuestions) Cases(answers map[string]string) (out []Case, err error) {
	for _, q := range m.questions {
		if answer, given := answers[q.QuestionID]; given && len(q.Options) == 0 && q.AnswerCall == "" {
			out = append(out, Case{
				IDs: []string{q.QuestionID}, Prompt: JudgeAnswer, Labels: []string{LabelCorrect, LabelHallucination, LabelOmission},
				Question: q.Question, Subjects: []string{answer}, Against: []string{q.AnswerText},
			})
		}
	}
	return out, nil
}

// Score implements Asked.
func (m markedQuestions) Score(answers map[string]string, o Options) (Scores, error) {
	sums := map[group]*mean{}
	var missing []string
	labels := LabelsIn(answers)
	for _, q := range m.questions {
		answer, given := answers[q.QuestionID]
		if !given {
			missing = append(missing, q.QuestionID)
			continue
		}
		mark := m.Mark(q, answer)
		if label, judged := labels[q.QuestionID]; judged {
			if label != LabelCorrect && label != LabelHallucination && label != LabelOmission {
				return nil, fmt.Errorf("the label of a judge for question %s is %q; it has %s, %s or %s", q.QuestionID, label, LabelCorrect, LabelHallucination, LabelOmission)
			}
			mark = benchformat.BoolScore(label == LabelCorrect)
		}
		if math.IsNaN(mark) || mark < 0 || mark > 1 {
			return nil, fmt.Errorf("the scorer %s gives %v for an answer to question %s; a mark is from 0 to 1", m.Name, mark, q.QuestionID)
		}
		for _, g := range m.groups(q) {
			if sums[g] == nil {
				sums[g] = &mean{group: g}
			}
			sums[g].Sum, sums[g].Count = sums[g].Sum+mark, sums[g].Count+1
		}
	}
	if len(missing) > 0 && !o.Incomplete {
		return nil, &MissingError{IDs: missing}
	}
	out := means{unanswered: len(missing), judged: len(labels)}
	for _, s := range sums {
		out.rows = append(out.rows, *s)
	}
	slices.SortFunc(out.rows, func(a, b mean) int {
		return cmp.Or(cmp.Compare(a.place, b.place), cmp.Compare(a.By, b.By), cmp.Compare(a.Value, b.Value))
	})
	return out, nil
}

// group is all questions, or those of one type or value of a label.
type group struct {
	place     int
	By, Value string
}

func (m markedQuestions) groups(q schemas.Question) []group {
	if q.Split == schemas.ControlSplit {
		return []group{{1, "type", q.ReportedType()}}
	}
	out := []group{{0, "all", ""}, {1, "type", q.Type}}
	for i, label := range m.By {
		if value, has := q.Labels[label]; has {
			out = append(out, group{2 + i, label, value})
		}
	}
	return out
}

type mean struct {
	group
	Sum   float64
	Count int
}

func (m mean) percent() float64 { return 100 * m.Sum / float64(m.Count) }

type means struct {
	rows       []mean
	unanswered int
	judged     int
}

// Warnings implements Scores.
func (m means) Warnings() (out []string) {
	if m.unanswered > 0 {
		out = append(out, fmt.Sprintf("%d questions have no answer and are in no mean", m.unanswered))
	}
	if m.judged > 0 {
		out = append(out, fmt.Sprintf("%d answers are marked by a judge instead of the rule", m.judged))
	}
	return out
}

// Print implements Scores.
func (m means) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range m.rows {
		safetext.Fprintf(w, "%s\t%s\t%.2f %%\tof %d\n", r.By, r.Value, r.percent(), r.Count)
	}
	return w.Flush()
}

// MarshalJSON writes the means in percent.
func (m means) MarshalJSON() ([]byte, error) {
	type row struct {
		By    string  `json:"by"`
		Value string  `json:"value,omitempty"`
		Mean  float64 `json:"mean"`
		Count int     `json:"count"`
	}
	rows := []row{}
	for _, r := range m.rows {
		rows = append(rows, row{r.By, r.Value, r.percent(), r.Count})
	}
	return json.Marshal(struct {
		Unit       string `json:"unit"`
		Means      []row  `json:"means"`
		Unanswered int    `json:"unanswered"`
	}{"percent", rows, m.unanswered})
}
