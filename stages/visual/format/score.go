package format

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/score/textmatch"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Scorer scores answers to a release or an export of it.
func Scorer() score.Scorer {
	return score.Scorer{
		Name: "memeye", Variants: []string{VariantPaper, VariantUpstream}, Answers: score.ReadAnswers,
		Help: "An answer's id is that of the question, # and the rotation (by the letter that is right: A, B, C or D), open, or judge: the score from 0 to 1 that a judge gave the open answer. " +
			"BERTScore needs a model and is left out.",
		Forms: answerForms,
		Load:  func(dir string) (score.QuestionSet, error) { return loadBench(dir) },
		Release: func(c release.Contents) (score.QuestionSet, error) {
			tasks, err := layoutTasks(c)
			return newBench(tasks), err
		},
	}
}

// answerForms are the four rotations of a question and its open form.
func answerForms(q schemas.Question) []score.Form {
	out := []score.Form{{ID: q.QuestionID + "#" + formOpen}}
	if len(q.Options) != len(letters) {
		return out
	}
	for at := range letters {
		out = append(out, score.Form{ID: q.QuestionID + "#" + letters[at:at+1], Options: rotateOptions(q, at)})
	}
	return out
}

// scoredQuestion is a question as the scorer needs it.
type scoredQuestion struct {
	id, task, x, y, gold string
}

type bench struct{ items []scoredQuestion }

// newBench asks what the tasks of a release ask, in their order.
func newBench(tasks []layoutTask) bench {
	b := bench{}
	for _, t := range tasks {
		for _, q := range t.questions {
			b.items = append(b.items, newScoredQuestion(t.name, q))
		}
	}
	return b
}

func newScoredQuestion(task string, q layoutQuestion) scoredQuestion {
	return scoredQuestion{q.QuestionID, task, q.Labels[schemas.LabelGranularity], q.Labels[schemas.LabelReasoning], q.AnswerText}
}

// loadBench reads what an export asks.
func loadBench(dir string) (score.QuestionSet, error) {
	tasks, err := readUnmergedTasks(dir)
	b := bench{}
	for _, t := range tasks {
		for _, q := range t.Items {
			b.items = append(b.items, scoredQuestion{q.ID, t.Name, q.X, q.Y, q.Rotations[0].Texts["A"]})
		}
	}
	return b, err
}

// readUnmergedTasks are the tasks of an export, in their choice form, without merged histories:
// these ask the same. One that breaks a rule is an error, for its figures would be of
// another benchmark.
func readUnmergedTasks(dir string) ([]Task, error) {
	tasks, faults, err := Read(os.DirFS(dir))
	if err != nil {
		return nil, err
	}
	if err := benchformat.CheckFaults(dir, "MemEye", faults); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(tasks, func(t Task) bool { return t.Open || strings.HasPrefix(t.Name, mergedPrefix) }), nil
}

// The parts of an answer's id behind the question's.
const (
	formOpen  = "open"
	formJudge = "judge"
)

// IDs implements score.Asked: the four rotations and the open form of each question.
func (b bench) IDs() []string {
	var out []string
	for _, q := range b.items {
		for _, form := range append(strings.Split(letters, ""), formOpen) {
			out = append(out, q.id+"#"+form)
		}
	}
	return out
}

// marks are what the answers to one question come to; NaN where there are none.
type marks struct {
	scoredQuestion
	rotations [len(letters)]float64
	chosen    [len(letters)]string // the letter, empty for an invalid choice
	given     int                  // how many rotations were answered
	probed    int                  // how many rotations gates asked about, where the answers are theirs
	em        float64              // mean over the rotations that were answered
	open      map[string]float64
}

// Names of what is measured of open answers, in the order of tables.
func openMetrics() []string { return []string{"EM", "contains", "F1", "BLEU", "BLEU-1", "judge"} }

// Score implements score.Asked. A form that no answer is given to is left out, with
// a warning; one that some are given to must be answered whole.
func (b bench) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	scores, err := b.markAnswers(answers, o)
	if err != nil {
		return nil, err
	}
	return scores, nil
}

func (b bench) markAnswers(answers map[string]string, o score.Options) (results, error) {
	out := results{variant: o.Variant}
	var missing []string
	for _, form := range append(strings.Split(letters, ""), formOpen, formJudge) {
		if !b.anyAnswer(answers, form) {
			out.warned = append(out.warned, "no question has an answer to its form "+form+": it is in no figure")
			continue
		}
		for _, q := range b.items {
			if _, ok := answers[q.id+"#"+form]; !ok {
				missing = append(missing, q.id+"#"+form)
			}
		}
	}
	if len(missing) > 0 && !o.Incomplete {
		return results{}, &score.MissingError{IDs: missing}
	}
	for _, q := range b.items {
		m, err := q.markQuestion(answers, o.Variant)
		if err != nil {
			return results{}, err
		}
		out.marks = append(out.marks, m)
	}
	return out, nil
}

func (b bench) anyAnswer(answers map[string]string, form string) bool {
	return slices.ContainsFunc(b.items, func(q scoredQuestion) bool { _, ok := answers[q.id+"#"+form]; return ok })
}

func (q scoredQuestion) markQuestion(answers map[string]string, variant string) (marks, error) {
	m := marks{scoredQuestion: q, em: math.NaN(), open: map[string]float64{}}
	sum := 0.0
	for i := range letters {
		answer, ok := answers[q.id+"#"+letters[i:i+1]]
		if !ok {
			m.rotations[i] = math.NaN()
			continue
		}
		m.chosen[i] = ParseChoice(answer, variant)
		if m.chosen[i] == letters[i:i+1] {
			m.rotations[i] = 1
		}
		sum += m.rotations[i]
		m.given++
	}
	if m.given > 0 {
		m.em = sum / float64(m.given)
	}
	if answer, ok := answers[q.id+"#"+formOpen]; ok {
		n := textmatch.Normaliser(textmatch.MemEye)
		m.open["EM"], m.open["contains"], m.open["F1"] = n.Exact(answer, q.gold), n.Contains(answer, q.gold), n.F1(answer, q.gold)
		m.open["BLEU"], m.open["BLEU-1"] = n.BLEU(answer, q.gold, 4), n.BLEU(answer, q.gold, 1)
	}
	if said, ok := answers[q.id+"#"+formJudge]; ok {
		s, err := strconv.ParseFloat(strings.TrimSpace(said), 64)
		if err != nil || !(s >= 0 && s <= 1) {
			return m, fmt.Errorf("the answer %s#judge is %q; want a score from 0 to 1", q.id, said)
		}
		m.open["judge"] = roundJudgeScore(s, variant)
	}
	return m, nil
}

// allRight reports whether every rotation is answered, and right.
func (m marks) allRight() bool { return m.given == len(letters) && m.em == 1 }

// results are the Scores.
type results struct {
	variant string
	marks   []marks
	warned  []string
}

// Warnings implements score.Scores.
func (r results) Warnings() []string { return r.warned }

// Print implements score.Scores.
func (r results) Print(out io.Writer) error { return r.table().print(out) }

// MarshalJSON implements score.Scores.
func (r results) MarshalJSON() ([]byte, error) { return r.table().json() }
