package format

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/score/textmatch"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Labels that a judge gives an answer (B.3).
const (
	Correct       = "Correct"
	Hallucination = "Hallucination"
	Omission      = "Omission"
)

// formJudge is the part of an answer's id behind a question's, where a judge's label is
// what is given.
const formJudge = "#judge"

// minOverlap is the F1 from which the rule takes an answer for the gold.
const minOverlap = 0.8

// Answers scores answers in words (B.3, B.5).
func Answers() score.Scorer {
	return score.Scorer{
		Name: "worldmemarena", Takes: takes(), Variants: []string{VariantPaper, VariantUpstream}, Answers: score.ReadAnswers,
		Help: "Answers are in words, or letters of options, which stand for their words. The id of a judge's label (Correct, Hallucination or Omission) is the question's and #judge; without any such label a rule stands in for the judge: Correct where the answer is the gold, holds it, or has an F1 of 0.8 or more with it, Omission where it says that it does not know. " +
			"upstream pools the questions of all tasks, and a question that its judge gave no label stays in the denominators.",
		Forms: func(q schemas.Question) []score.Form { return []score.Form{{ID: q.QuestionID}} },
		Release: func(c release.Contents) (score.QuestionSet, error) {
			all, err := instances(c)
			return answerScorer{all}, err
		},
	}
}

type answerScorer struct{ instances []instance }

// IDs implements score.Asked.
func (b answerScorer) IDs() []string {
	out := questionIDs(b.instances)
	for _, id := range slices.Clone(out) {
		out = append(out, id+formJudge)
	}
	return out
}

// Score implements score.Asked.
func (b answerScorer) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	none, err := countMissing(b.instances, answers, o)
	if err != nil {
		return nil, err
	}
	out := figures{Variant: o.Variant, Judge: judgeRule}
	for _, id := range questionIDs(b.instances) {
		if _, judged := answers[id+formJudge]; judged {
			out.Judge = "labels that were given"
		}
	}
	if none > 0 {
		out.warn("%d questions have no answer and are in no figure", none)
	}
	m := answerScores{given: out.Judge != judgeRule, variant: o.Variant, labels: map[string]*means{}, types: map[string]*means{}}
	for _, i := range b.instances {
		if err := m.addInstance(i, answers); err != nil {
			return nil, err
		}
	}
	if m.unlabelled > 0 {
		out.warn("%d answers have no label of a judge", m.unlabelled)
	}
	m.writeTo(&out)
	return out, nil
}

// answerScores collects the scores of answers.
type answerScores struct {
	given      bool
	variant    string
	unlabelled int
	labels     map[string]*means
	types      map[string]*means
	average    means
	f1, bleu   means
}

// addInstance adds a task. Its average is the mean over its types (B.5).
func (m *answerScores) addInstance(i instance, answers map[string]string) error {
	labels, types := map[string]*tally{}, map[string]*tally{}
	var f1, bleu, average tally
	n := textmatch.Normaliser(textmatch.WorldMemArena)
	for _, q := range i.questions {
		answer, answered := answers[q.id]
		if !answered {
			continue
		}
		answer = q.words(answer)
		f1.add(n.F1(answer, q.answer))
		bleu.add(n.BLEU(answer, q.answer, 1))
		label, err := m.labelAnswer(q, answer, answers)
		if err != nil {
			return err
		}
		if label == "" && m.variant == VariantPaper {
			continue // n counts valid labels alone (B.3)
		}
		for _, l := range []string{Correct, Hallucination, Omission} {
			getOrNew(labels, l).add(benchformat.BoolScore(l == label))
		}
		getOrNew(types, q.axis).add(benchformat.BoolScore(label == Correct))
	}
	for l, t := range labels {
		getOrNew(m.labels, l).per = append(getOrNew(m.labels, l).per, *t)
	}
	for axis, t := range types {
		getOrNew(m.types, axis).per = append(getOrNew(m.types, axis).per, *t)
		average.add(t.sum / t.n)
	}
	m.average.per = append(m.average.per, average)
	m.f1.per, m.bleu.per = append(m.f1.per, f1), append(m.bleu.per, bleu)
	return nil
}

func getOrNew[T any](m map[string]*T, key string) *T {
	if m[key] == nil {
		m[key] = new(T)
	}
	return m[key]
}

// labelAnswer returns the label of the judge, or of the rule if no judge was asked. It is
// empty if the judge gave none.
func (m *answerScores) labelAnswer(q evalQuestion, answer string, answers map[string]string) (string, error) {
	if !m.given {
		return labelByRule(q, answer), nil
	}
	label, judged := answers[q.id+formJudge]
	switch label = strings.TrimSpace(label); {
	case !judged:
		m.unlabelled++
		return "", nil
	case !slices.Contains([]string{Correct, Hallucination, Omission}, label):
		return "", fmt.Errorf("the label of question %s is %q; want %s, %s or %s", q.id, label, Correct, Hallucination, Omission)
	}
	return label, nil
}

// refusals lists openings of answers that decline to answer.
func refusals() []string {
	return []string{"not mentioned", "not specified", "not stated", "unknown", "no information", "i do not know", "i dont know", "cannot be determined", "there is no mention", "none of the memories", "i have no memory"}
}

func labelByRule(q evalQuestion, answer string) string {
	n := textmatch.Normaliser(textmatch.WorldMemArena)
	said := n(answer)
	abstains := said == "" || slices.ContainsFunc(refusals(), func(r string) bool { return strings.HasPrefix(said, n(r)) })
	switch {
	case n.Exact(answer, q.answer) == 1, abstains && q.axis == AxisBoundary:
		return Correct
	case abstains:
		return Omission
	case q.axis != AxisBoundary && (containsWords(said, n(q.answer)) || n.F1(answer, q.answer) >= minOverlap):
		return Correct
	}
	return Hallucination
}

// containsWords reports whether words occur in a text as a consecutive run.
func containsWords(in, words string) bool {
	return words != "" && strings.Contains(" "+in+" ", " "+words+" ")
}

// writeTo writes labels, word scores, then the types in the order of table 4.
func (m *answerScores) writeTo(out *figures) {
	for _, l := range []struct{ label, short string }{{Correct, "QA-C"}, {Hallucination, "QA-H"}, {Omission, "QA-O"}} {
		out.add(l.short, *getOrNew(m.labels, l.label))
	}
	out.add("F1", m.f1)
	out.add("BLEU-1", m.bleu)
	var names []string
	for _, a := range Axes() {
		names = append(names, a.Short)
	}
	var others []string
	for axis := range m.types {
		if !slices.Contains(names, axis) {
			others = append(others, axis)
		}
	}
	slices.Sort(others)
	for _, axis := range append(names, others...) {
		out.add(axis, *getOrNew(m.types, axis))
	}
	out.add("mean of types", m.average)
}
