package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/score/textmatch"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Scorer returns the scorer memeye, for releases and exports.
func Scorer() score.Scorer {
	return score.Reading(score.Scorer{
		Name: "memeye", Takes: takes(), Variants: []string{VariantPaper, VariantUpstream}, Answers: score.ReadAnswers,
		Help: "An answer's id is that of the question, # and the rotation (by the letter that is right: A, B, C or D), open, or judge: the score from 0 to 1 that a judge gave the open answer, or the judge's reply with one. " +
			"BERTScore needs a model and is left out.",
		Forms: answerForms, Merged: mergedTasks,
	}, readUnmergedTasks, releasedTasks, func(tasks []Task) score.QuestionSet { return newBench(tasks) })
}

// releasedTasks returns the tasks of a release as Read returns them of an export.
func releasedTasks(c release.Contents) (out []Task, err error) {
	laidOut, err := layoutTasks(c)
	for _, t := range laidOut {
		out = append(out, t.asReadTask())
	}
	return out, err
}

// answerForms returns the four rotations of a question and its open form.
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

// scoredQuestion is a question of the scorer.
type scoredQuestion struct {
	id, task, x, y, text, gold, fact string
}

type bench []scoredQuestion

func newBench(tasks []Task) (b bench) {
	for _, t := range tasks {
		for _, q := range t.Items {
			b = append(b, scoredQuestion{q.ID, t.Name, q.X, q.Y, q.Question, q.Gold, cmp.Or(q.Fact, q.ID)})
		}
	}
	return b
}

// readUnmergedTasks returns the tasks of an export in choice form, without merged
// histories, which ask the same. A fault is an error: the figures would belong to
// another benchmark.
func readUnmergedTasks(dir string) ([]Task, error) {
	root, err := benchformat.OpenRoot(dir, "memeye")
	if err != nil {
		return nil, err
	}
	tasks, faults, err := Read(root)
	if err == nil {
		err = benchformat.CheckFaults(dir, "MemEye", faults)
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(tasks, func(t Task) bool { return t.Open || strings.HasPrefix(t.Name, mergedPrefix) }), nil
}

// Suffixes of answer ids, after the question's id and #.
const (
	formOpen  = "open"
	formJudge = "judge"
)

// IDs returns the answers of each question: to its rotations and its open form, and the
// judge's to the latter.
func (b bench) IDs() (out []string) {
	for _, form := range forms() {
		out = append(out, b.formIDs(form)...)
	}
	return out
}

func (b bench) formIDs(form string) []string {
	out := make([]string, len(b))
	for i, q := range b {
		out[i] = q.id + "#" + form
	}
	return out
}

// forms lists the suffixes of answer ids.
func forms() []string { return append(strings.Split(letters, ""), formOpen, formJudge) }

// Cases implements score.Judged: open answers are graded by the five steps of C.3.
func (b bench) Cases(answers map[string]string) (out []score.Case, err error) {
	for _, q := range b {
		if answer, ok := answers[q.id+"#"+formOpen]; ok {
			out = append(out, score.Case{
				IDs: []string{q.id}, Prompt: score.JudgeRubric, Labels: []string{"0", "0.25", "0.5", "0.75", "1"},
				Question: q.text, Subjects: []string{answer}, Against: []string{q.gold},
			})
		}
	}
	return out, nil
}

// marks are the results of one question, NaN where it has no answer.
type marks struct {
	scoredQuestion
	rotations [len(letters)]float64
	chosen    [len(letters)]string // the letter, empty for an invalid choice
	given     int                  // how many rotations were answered
	probed    map[int32][2]float64 // where gates asked: right and all samples, by rotation
	em        float64              // mean over the rotations that were answered
	open      map[string]float64
}

// openMetrics lists the metrics of open answers in the order of tables.
func openMetrics() []string {
	return []string{"EM", "contains", "F1", "BLEU", "BLEU-1", "BLEU-2", "judge"}
}

// Score leaves out forms without any answer, with a warning. A form with some answers
// needs all.
func (b bench) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	return b.markAnswers(answers, o)
}

func (b bench) markAnswers(answers map[string]string, o score.Options) (*results, error) {
	out := &results{variant: o.Variant}
	var asked []string
	for _, form := range forms() {
		ids := b.formIDs(form)
		if !slices.ContainsFunc(ids, func(id string) bool { _, ok := answers[id]; return ok }) {
			out.warned = append(out.warned, "no question has an answer to its form "+form+": it is in no figure")
			continue
		}
		if form == formJudge { // a judge may label some alone
			if none := slices.DeleteFunc(ids, func(id string) bool { _, ok := answers[id]; return ok }); len(none) > 0 {
				out.warned = append(out.warned, fmt.Sprintf("%d of %d open answers have no label of a judge and are not in its mean", len(none), len(b)))
			}
			continue
		}
		asked = append(asked, ids...)
	}
	if _, err := score.FindMissing(asked, answers, o); err != nil {
		return nil, err
	}
	for _, q := range b {
		m, err := q.markQuestion(answers, o.Variant)
		if err != nil {
			return nil, err
		}
		out.marks = append(out.marks, m)
	}
	return out, nil
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
		m.open["BLEU"], m.open["BLEU-1"], m.open["BLEU-2"] = q.bleu(answer, 4, variant), q.bleu(answer, 1, variant), q.bleu(answer, 2, variant)
	}
	if said, ok := answers[q.id+"#"+formJudge]; ok {
		s, found := parseJudgeReply(said)
		rounded, ok := roundJudgeScore(s, variant)
		if !found || !ok {
			return m, fmt.Errorf("the answer %s#judge is %q; want a score from 0 to 1, or a judge's reply with one", q.id, said)
		}
		m.open["judge"] = rounded
	}
	return m, nil
}

// bleu returns BLEU of an open answer. The code counts every order, so that a gold of
// one word gets 0.178 of itself; here orders end with the words of the gold.
func (q scoredQuestion) bleu(answer string, order int, variant string) float64 {
	if variant == VariantPaper {
		order = min(order, len(strings.Fields(textmatch.MemEye(q.gold))))
	}
	return textmatch.Normaliser(textmatch.MemEye).BLEU(answer, q.gold, order)
}

type results struct {
	variant string
	marks   []marks
	warned  []string
}

// Warnings implements score.Scores.
func (r results) Warnings() []string { return r.warned }

func (r results) MarshalJSON() ([]byte, error) { return json.Marshal(r.table()) }

func (r results) Print(out io.Writer) error {
	t := r.table()
	if err := tables.PrintLines(out, t.Lines, metrics()); err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, letter := range strings.Split(letters, "") {
		safetext.Fprintf(w, "right at %s\t%.3f\tchosen\t%d\n", letter, t.Rotations[letter], t.Chosen[letter])
	}
	safetext.Fprintf(w, "no valid choice\t\t\t%d\n", t.Chosen["invalid"])
	return w.Flush()
}

// bootstrapSeed is the paper's (C.4).
const bootstrapSeed = 20260430

// table has means by slice, and how the letters were chosen.
type table struct {
	Variant string `json:"variant"`
	// Lines: all (micro), the mean of cells (macro), by X, by Y, by cell and by task.
	Lines []tables.Line `json:"lines"`
	// Chosen counts the letters, with "invalid" for no letter. Rotations has the share
	// of right answers by place of the right option.
	Chosen    map[string]int     `json:"chosen"`
	Rotations map[string]float64 `json:"rotations"`
}

// metrics lists the metrics in the order of tables: choice averaged over rotations, all
// four right, then those of open answers.
func metrics() []string { return append([]string{"choice", "all four"}, openMetrics()...) }

// metric returns a metric of the question, or NaN.
func (m marks) metric(metric string) float64 {
	switch metric {
	case "choice":
		return m.em
	case "all four":
		if m.given < len(letters) {
			return math.NaN()
		}
		return benchformat.BoolScore(m.em == 1)
	}
	if v, ok := m.open[metric]; ok {
		return v
	}
	return math.NaN()
}

func (r results) table() table {
	t := table{Variant: r.variant, Chosen: map[string]int{}, Rotations: map[string]float64{}}
	all := func(marks) bool { return true }
	t.Lines = append(t.Lines, r.line("all", meanWithInterval, all), r.line("mean of cells", meanOfCells, all))
	slice := func(name func(marks) string) {
		var names []string
		for _, m := range r.marks {
			if n := name(m); !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		for _, n := range names {
			t.Lines = append(t.Lines, r.line(n, meanWithInterval, func(m marks) bool { return name(m) == n }))
		}
	}
	slice(func(m marks) string { return m.x })
	slice(func(m marks) string { return m.y })
	slice(func(m marks) string { return m.x + " " + m.y })
	slice(func(m marks) string { return m.task })
	for i := range letters {
		right, n := 0.0, 0
		for _, m := range r.marks {
			if math.IsNaN(m.rotations[i]) {
				continue
			}
			right, n = right+m.rotations[i], n+1
			if m.chosen[i] == "" {
				t.Chosen["invalid"]++
			} else {
				t.Chosen[m.chosen[i]]++
			}
		}
		if n > 0 {
			t.Rotations[letters[i:i+1]] = right / float64(n)
		}
	}
	return t
}

// line returns the line of a slice.
func (r results) line(name string, mean func([]sample) (tables.Figure, bool), in func(marks) bool) tables.Line {
	out := tables.Line{Slice: name, Figures: map[string]tables.Figure{}}
	for _, metric := range metrics() {
		var samples []sample
		for _, m := range r.marks {
			if v := m.metric(metric); in(m) && !math.IsNaN(v) {
				samples = append(samples, sample{m.fact, m.x + m.y, v})
			}
		}
		if f, ok := mean(samples); ok {
			out.Figures[metric] = f
		}
	}
	return out
}

// sample is the value of one question. Questions of one cluster are resampled together.
type sample struct {
	cluster, cell string
	value         float64
}

// meanWithInterval returns a mean with its interval by the bootstrap, and false without
// samples. Questions are resampled with their rotations averaged (C.4).
func meanWithInterval(samples []sample) (tables.Figure, bool) {
	var scores []agreement.Score
	for _, s := range samples {
		scores = append(scores, agreement.Score{Cluster: s.cluster, Value: s.value})
	}
	return tables.Mean(scores, bootstrapSeed)
}

// meanOfCells averages the cells of the grid with equal weight (figure 6).
func meanOfCells(samples []sample) (tables.Figure, bool) {
	cells := map[string][]agreement.Score{}
	for _, s := range samples {
		cells[s.cell] = append(cells[s.cell], agreement.Score{Cluster: s.cluster, Value: s.value})
	}
	groups := make([][]agreement.Score, 0, len(cells))
	for _, cell := range slices.Sorted(maps.Keys(cells)) {
		groups = append(groups, cells[cell])
	}
	return tables.MeanOfGroups(groups, bootstrapSeed)
}
