package format

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/score/textmatch"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Labels that a judge gives an answer (B.3).
const (
	Correct       = score.LabelCorrect
	Hallucination = score.LabelHallucination
	Omission      = score.LabelOmission
)

// minOverlap is the F1 from which the rule takes an answer for the gold.
const minOverlap = 0.8

// Answers scores answers in words (B.3, B.5).
func Answers() score.Scorer {
	return score.Scorer{
		Name: "worldmemarena", Takes: takes(), Variants: []string{VariantPaper, VariantUpstream}, Answers: score.ReadAnswers,
		Help: "Answers are keys of options, or in words. A question with options is right if the answer names the right one: by its key, by its words, or in words in which those of no other option stand. Without options it is right if the answer is the gold, holds it, or has an F1 of 0.8 or more with it. " +
			"QA-C, QA-H and QA-O need a judge: the id of its label (Correct, Hallucination or Omission) is the question's and #judge. " +
			"upstream pools the questions of all tasks, and a question that its judge gave no label stays in the denominators.",
		Load: func(dir string) (score.QuestionSet, error) {
			all, err := loadInstances(dir)
			return answerScorer{instances: all}, err
		},
		Release: func(c release.Contents) (score.QuestionSet, error) {
			all, err := instances(c)
			return answerScorer{instances: all}, err
		},
	}
}

type answerScorer struct {
	instances []instance
	// parts returns which parts of the questions one is in; nil: its type.
	parts func(instance, evalQuestion) []string
}

// answersBy scores answers by parts of the questions other than their types.
func answersBy(parts func([]instance) func(instance, evalQuestion) []string) score.Scorer {
	s := Answers()
	s.Release = func(c release.Contents) (score.QuestionSet, error) {
		all, err := instances(c)
		return answerScorer{all, parts(all)}, err
	}
	return s
}

// IDs implements score.Asked.
func (b answerScorer) IDs() []string { return score.WithLabels(questionIDs(b.instances)) }

// Score implements score.Asked.
func (b answerScorer) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	none, err := score.FindMissing(questionIDs(b.instances), answers, o)
	if err != nil {
		return nil, err
	}
	m := answerScores{judge: score.LabelsIn(answers), variant: o.Variant, parts: b.parts, labels: map[string]*means{}, types: map[string]*means{}}
	out := figures{Variant: o.Variant, Judge: judgeOf(m.judge)}
	if len(none) > 0 {
		out.warn("%d questions have no answer and are in no figure", len(none))
	}
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
	judge      score.JudgeLabels
	variant    string
	parts      func(instance, evalQuestion) []string
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
		given, answered := answers[q.id]
		if !answered {
			continue
		}
		answer := q.words(given)
		f1.add(q.fact, n.F1(answer, q.answer))
		bleu.add(q.fact, n.BLEU(answer, q.answer, 1))
		label, err := m.labelAnswer(q, given)
		if err != nil {
			return err
		}
		if label == "" && m.variant == VariantPaper {
			continue // n counts valid labels alone (B.3)
		}
		for _, l := range []string{Correct, Hallucination, Omission} {
			getOrNew(labels, l).add(q.fact, benchformat.BoolScore(l == label))
		}
		in := []string{q.axis}
		if m.parts != nil {
			in = m.parts(i, q)
		}
		for _, part := range in {
			getOrNew(types, part).add(q.fact, benchformat.BoolScore(label == Correct))
		}
	}
	for l, t := range labels {
		getOrNew(m.labels, l).per = append(getOrNew(m.labels, l).per, *t)
	}
	for _, axis := range slices.Sorted(maps.Keys(types)) {
		t := types[axis]
		getOrNew(m.types, axis).per = append(getOrNew(m.types, axis).per, *t)
		for _, one := range *t {
			average = append(average, agreement.Score{Cluster: one.Cluster, Value: one.Value, Weight: 1 / float64(len(*t))})
		}
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
func (m *answerScores) labelAnswer(q evalQuestion, answer string) (string, error) {
	if len(m.judge) == 0 {
		return labelByRule(q, answer), nil
	}
	label := m.judge[q.id]
	if label == "" {
		m.unlabelled++
	} else if label != Correct && label != Hallucination && label != Omission {
		return "", fmt.Errorf("the label of a judge for question %s is %q; it has %s, %s or %s", q.id, label, Correct, Hallucination, Omission)
	}
	return label, nil
}

// words returns the text of an answer: a key stands for the words of its option, and the
// right key for the gold.
func (q evalQuestion) words(answer string) string {
	for _, o := range q.options {
		switch {
		case o.Key != keyIn(answer):
		case o.Key == q.key:
			return q.answer
		default:
			return o.Text
		}
	}
	return answer
}

// keyIn returns an answer without the signs that models put around a key.
func keyIn(answer string) string { return strings.Trim(strings.TrimSpace(answer), "().:*") }

// chosen returns the option that an answer names, by its key or its words. Words of an option that
// stand within those of a longer one that is named do not count.
func (q evalQuestion) chosen(answer string) (out schemas.Option, ok bool) {
	said := normalise(answer)
	var named []schemas.Option
	for _, o := range q.options {
		text := normalise(o.Text)
		switch {
		case o.Key == keyIn(answer), strings.TrimSpace(answer) == o.Line(), text != "" && text == said:
			return o, true
		case containsWords(said, text):
			named = append(named, o)
		}
	}
	named = slices.DeleteFunc(slices.Clone(named), func(o schemas.Option) bool {
		return slices.ContainsFunc(named, func(longer schemas.Option) bool {
			return longer.Key != o.Key && len(longer.Text) > len(o.Text) && containsWords(normalise(longer.Text), normalise(o.Text))
		})
	})
	if len(named) != 1 {
		return out, false
	}
	return named[0], true
}

// refusals lists openings of answers that decline to answer.
func refusals() []string {
	return []string{"not mentioned", "not specified", "not stated", "unknown", "no information", "i do not know", "i don't know", "i dont know", "cannot be determined", "there is no mention", "none of the memories", "i have no memory"}
}

func abstains(said string) bool {
	return said == "" || slices.ContainsFunc(refusals(), func(r string) bool { return strings.HasPrefix(said, normalise(r)) })
}

// labelByRule compares the option that an answer names with the right one, and words only
// where there are no options.
func labelByRule(q evalQuestion, answer string) string {
	n := textmatch.Normaliser(textmatch.WorldMemArena)
	said := n(answer)
	right := said == n(q.answer) && said != "" || q.axis == AxisBoundary && said != "" && abstains(said)
	if len(q.options) > 0 && q.key != "" {
		option, named := q.chosen(answer)
		right = right && !named || named && option.Key == q.key
		if named {
			said = n(option.Text)
		}
	} else if q.axis != AxisBoundary && !abstains(said) {
		right = right || containsWords(said, n(q.answer)) || n.F1(answer, q.answer) >= minOverlap
	}
	switch {
	case right:
		return Correct
	case abstains(said):
		return Omission
	}
	return Hallucination
}

// containsWords reports whether words occur in a text as a consecutive run.
func containsWords(in, words string) bool {
	return words != "" && strings.Contains(" "+in+" ", " "+words+" ")
}

// writeTo writes labels, word scores, then the types in the order of table 4. Figures that
// no judge decided have names of their own, and the paper's stay empty.
func (m *answerScores) writeTo(out *figures) {
	judged := len(m.judge) > 0
	name := func(paper, ours string) string {
		if judged {
			return paper
		}
		out.needsJudge(paper)
		return ours
	}
	if m.parts != nil {
		whole := name("QA-C", "accuracy")
		out.add(whole, *getOrNew(m.labels, Correct))
		for _, part := range sortedKeys(m.types) {
			out.add(part, *m.types[part])
		}
		return
	}
	for _, l := range []struct{ label, paper, ours string }{{Correct, "QA-C", "accuracy"}, {Hallucination, "QA-H", "wrong"}, {Omission, "QA-O", "abstained"}} {
		out.add(name(l.paper, l.ours), *getOrNew(m.labels, l.label))
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
		if m.types[axis] != nil {
			out.add(name(axis, "accuracy, "+axis), *m.types[axis])
		}
	}
	out.add(name("mean of types", "accuracy, mean of types"), m.average)
}

// sortedKeys returns keys sorted, numbers in them by their value.
func sortedKeys[T any](of map[string]T) []string {
	pad := func(s string) string {
		return digits.ReplaceAllStringFunc(s, func(n string) string { return fmt.Sprintf("%9s", n) })
	}
	return slices.SortedFunc(maps.Keys(of), func(a, b string) int { return strings.Compare(pad(a), pad(b)) })
}

var digits = regexp.MustCompile(`\d+`)
