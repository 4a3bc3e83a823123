package format

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// item is a question as scorers need it.
type item struct {
	id   string
	task task
	fact string
	// twin says that the evidence was brought into one source, sources in how many it
	// stands: in one where it was.
	twin     bool
	sources  string
	implicit bool
	// gold is the letter of the right option, or the canonical call.
	gold    string
	options map[string]string
	text    string
	pieces  []piece
}

// piece is one of evidence.
type piece struct{ turn, role, text string }

// answerScorer are the items of a release or an export.
type answerScorer struct{ items []item }

// maxRuns is how often a benchmark may be run (C.1: three times).
const maxRuns = 9

// Scorer scores answers to a release or an export of it.
func Scorer() score.Scorer {
	return score.Scorer{
		Name: "smmbench", Takes: takes(), Variants: []string{VariantPaper, VariantPrinted}, Answers: score.ReadAnswers,
		Help: "An answer is a letter, with or without brackets, or a call as JSON; its id is the question's. For several runs the id ends in # and the number of the run, #1 to #9: means and deviations are over runs then. " +
			"The variant printed also takes calls as NAME(\"key\"=\"value\").",
		Load: func(dir string) (score.QuestionSet, error) { return loadExport(dir) },
		Release: func(c release.Contents) (score.QuestionSet, error) {
			return loadRelease(c)
		},
	}
}

func loadRelease(c release.Contents) (answerScorer, error) {
	var b answerScorer
	for _, q := range questions(c) {
		if err := b.question(q); err != nil {
			return answerScorer{}, err
		}
	}
	if len(b.items) == 0 {
		return answerScorer{}, fmt.Errorf("release %s has no question of the five tasks of SMMBench", c.Manifest.ID)
	}
	return b, nil
}

func (b *answerScorer) question(q schemas.Question) error {
	t, _ := taskOf(q.Labels[labelTask])
	i := item{
		id: q.QuestionID, task: t, fact: q.Labels[schemas.LabelFact], twin: q.Labels[labelArrangement] == concentrated, sources: q.Labels[labelSources],
		implicit: q.Labels[labelPreference] == "implicit", gold: q.AnswerKey, text: q.Question, options: map[string]string{},
	}
	for _, o := range q.Options {
		i.options[o.Key] = o.Text
	}
	for _, e := range q.Needed() {
		i.pieces = append(i.pieces, piece{e.Ref, e.Role, e.Text})
	}
	return b.add(i, q.AnswerCall)
}

func (b *answerScorer) add(i item, call string) (err error) {
	if i.task.label == schemas.TaskFunctionCall {
		if i.gold, err = schemas.CanonicalCall(call); err != nil {
			return fmt.Errorf("question %s: its gold: %w", i.id, err)
		}
	}
	if i.fact == "" {
		i.fact = i.id
	}
	b.items = append(b.items, i)
	return nil
}

// loadExport reads the questions of an export. A fault in its layout is an error, since
// figures over it would be of another benchmark.
func loadExport(dir string) (answerScorer, error) {
	found, faults, err := Read(os.DirFS(dir))
	if err != nil {
		return answerScorer{}, err
	}
	if err := benchformat.CheckFaults(dir, "SMMBench", faults); err != nil {
		return answerScorer{}, err
	}
	var b answerScorer
	for _, s := range found.Samples {
		t, _ := taskOf(s.Task)
		i := item{id: s.ID, task: t, fact: s.Fact, twin: s.Arrangement == concentrated, sources: s.Required, implicit: s.Preference == "implicit", text: s.Question, options: s.Options}
		for _, e := range s.Evidence {
			i.pieces = append(i.pieces, piece{e.Turn, e.Role, e.Text})
		}
		if t.label != schemas.TaskFunctionCall {
			if err := json.Unmarshal(s.Answer, &i.gold); err != nil {
				return answerScorer{}, fmt.Errorf("sample %s: its answer: %w", s.ID, err)
			}
		}
		if err := b.add(i, string(s.Answer)); err != nil {
			return answerScorer{}, err
		}
	}
	return b, nil
}

// IDs implements score.Asked: each question, and each with the number of a run.
func (b answerScorer) IDs() []string {
	var out []string
	for _, i := range b.items {
		out = append(out, i.id)
		for run := 1; run <= maxRuns; run++ {
			out = append(out, sampleID(i.id, run))
		}
	}
	return out
}

func sampleID(id string, run int) string { return fmt.Sprintf("%s#%d", id, run) }

// samplesIn returns the sample numbers that have answers; 0 stands for ids without a
// number.
func (b answerScorer) samplesIn(answers map[string]string) (out []int) {
	for run := 0; run <= maxRuns; run++ {
		if slices.ContainsFunc(b.items, func(i item) bool { _, ok := answers[answerID(i.id, run)]; return ok }) {
			out = append(out, run)
		}
	}
	return out
}

func answerID(id string, run int) string {
	if run == 0 {
		return id
	}
	return sampleID(id, run)
}

// itemScore is what came of an item: in how many runs it was answered, was right, refused,
// and was no answer of the form that is asked for.
type itemScore struct {
	item
	byRun                    map[int]bool
	refused, invalid, answer int
}

// Score implements score.Asked. A run that has some answers must have all.
func (b answerScorer) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	runs := b.samplesIn(answers)
	if len(runs) > 1 && runs[0] == 0 {
		return nil, fmt.Errorf("some answers name a run (id#1) and others do not; name it in all")
	}
	if len(runs) == 0 {
		runs = []int{0}
	}
	out := results{Variant: o.Variant, runs: runs}
	var missing []string
	for _, i := range b.items {
		m := itemScore{item: i, byRun: map[int]bool{}}
		for _, run := range runs {
			answer, given := answers[answerID(i.id, run)]
			if !given {
				missing = append(missing, answerID(i.id, run))
				continue
			}
			m.addAnswer(run, answer, o.Variant)
		}
		if m.answer > 0 {
			out.items = append(out.items, m)
		}
	}
	if len(missing) > 0 && !o.Incomplete {
		return nil, &score.MissingError{IDs: missing}
	}
	if len(missing) > 0 {
		out.warned = append(out.warned, fmt.Sprintf("%d answers are missing and are in no mean", len(missing)))
	}
	if len(runs) < 3 {
		out.warned = append(out.warned, fmt.Sprintf("the paper gives means over three runs; here are %d", len(runs)))
	}
	return out, nil
}

func (m *itemScore) addAnswer(run int, answer, variant string) {
	m.answer++
	m.byRun[run] = m.isRight(answer, variant)
	if m.byRun[run] {
		return
	}
	switch {
	case Refuses(answer):
		m.refused++
	case m.task.label != schemas.TaskFunctionCall && Choice(answer) == "":
		m.invalid++
	case m.task.label == schemas.TaskFunctionCall:
		if _, err := Call(answer, variant); err != nil {
			m.invalid++
		}
	}
}

func (m itemScore) share() float64 {
	n := 0
	for _, ok := range m.byRun {
		if ok {
			n++
		}
	}
	return float64(n) / float64(m.answer)
}

// bySources reports tasks that are compared by the number of sources (4.4).
func bySources(t task) bool {
	return strings.Contains(schemas.TaskSingleHop+" "+schemas.TaskMultiHop+" "+schemas.TaskPreference, t.label)
}

// seed of the draws behind intervals and failures.
const seed = 20260501

// figure is a mean with its deviation over runs and its interval over facts.
type figure struct {
	Name string  `json:"name"`
	Mean float64 `json:"mean"`
	// Deviation is that of the runs' means, with one less than the runs as divisor;
	// absent with one run.
	Deviation *float64 `json:"deviation,omitempty"`
	Low       *float64 `json:"low,omitempty"`
	High      *float64 `json:"high,omitempty"`
	Count     int      `json:"count"`
	Refused   int      `json:"refused"`
	Invalid   int      `json:"invalid"`
}

// results are the Scores.
type results struct {
	Variant string
	runs    []int
	items   []itemScore
	warned  []string
}

// Warnings implements score.Scores.
func (r results) Warnings() []string { return r.warned }

// figures returns the figures of distributed questions by task and overall, by sources,
// and of the twins.
func (r results) figures() (out []figure) {
	out = append(out, r.taskFigures("", func(m itemScore) bool { return !m.twin })...)
	var counts []string
	for _, m := range r.items {
		if m.sources != "" && bySources(m.task) && !slices.Contains(counts, m.sources) {
			counts = append(counts, m.sources)
		}
	}
	slices.Sort(counts)
	for _, n := range counts {
		for _, t := range tasks() {
			if !bySources(t) {
				continue
			}
			in := r.itemsWhere(func(m itemScore) bool { return !m.twin && m.sources == n && m.task == t })
			if len(in) > 0 {
				out = append(out, r.figure(fmt.Sprintf("%s, %s sources", t.short, n), in))
			}
		}
	}
	return append(out, r.taskFigures("one source: ", func(m itemScore) bool { return m.twin })...)
}

func (r results) itemsWhere(keep func(itemScore) bool) (out []itemScore) {
	for _, m := range r.items {
		if keep(m) {
			out = append(out, m)
		}
	}
	return out
}

// taskFigures returns the figure of each task and their unweighted mean (table 5).
func (r results) taskFigures(prefix string, keep func(itemScore) bool) (out []figure) {
	overall := make([][]float64, len(r.runs)) // by run, the mean of each task
	total := figure{Name: prefix + "overall"}
	for _, t := range tasks() {
		in := r.itemsWhere(func(m itemScore) bool { return keep(m) && m.task == t })
		if len(in) == 0 {
			continue
		}
		f := r.figure(prefix+t.short, in)
		out = append(out, f)
		total.Count, total.Refused, total.Invalid = total.Count+f.Count, total.Refused+f.Refused, total.Invalid+f.Invalid
		for i, v := range r.means(in) {
			overall[i] = append(overall[i], v)
		}
	}
	if len(out) == 0 {
		return nil
	}
	byRun := make([]float64, len(overall))
	for i, list := range overall {
		byRun[i] = mean(list)
	}
	total.Mean, total.Deviation = mean(byRun), deviation(byRun)
	return append(out, total)
}

func (r results) means(in []itemScore) []float64 {
	out := make([]float64, len(r.runs))
	for i, run := range r.runs {
		var list []float64
		for _, m := range in {
			if ok, given := m.byRun[run]; given {
				list = append(list, benchformat.BoolScore(ok))
			}
		}
		out[i] = mean(list)
	}
	return out
}

func (r results) figure(name string, in []itemScore) figure {
	byRun := r.means(in)
	f := figure{Name: name, Mean: mean(byRun), Deviation: deviation(byRun), Count: len(in)}
	samples := make([]agreement.Score, len(in))
	for i, m := range in {
		f.Refused, f.Invalid = f.Refused+m.refused, f.Invalid+m.invalid
		samples[i] = agreement.Score{Cluster: m.fact, Value: m.share()}
	}
	f.Low, f.High = interval(samples)
	return f
}

// interval returns the confidence interval of a mean over facts, nil for a single fact.
func interval(samples []agreement.Score) (low, high *float64) {
	if !slices.ContainsFunc(samples, func(s agreement.Score) bool { return s.Cluster != samples[0].Cluster }) {
		return nil, nil
	}
	got, err := agreement.MeanInterval(samples, rand.New(rand.NewPCG(seed, 0)))
	if err != nil {
		return nil, nil
	}
	return &got.Low, &got.High
}

func mean(list []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range list {
		if !math.IsNaN(v) {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return sum / float64(n)
}

func deviation(list []float64) *float64 {
	list = slices.DeleteFunc(slices.Clone(list), math.IsNaN)
	if len(list) < 2 {
		return nil
	}
	m, sum := mean(list), 0.0
	for _, v := range list {
		sum += float64((v - m) * (v - m))
	}
	out := math.Sqrt(sum / float64(len(list)-1))
	return &out
}

// Print implements score.Scores.
func (r results) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	safetext.Fprintf(w, "\tmean\tdeviation\t95 %%\tquestions\trefused\tno answer\n")
	for _, f := range r.figures() {
		between := "-"
		if f.Low != nil {
			between = fmt.Sprintf("[%.4f, %.4f]", *f.Low, *f.High)
		}
		over := "-"
		if f.Deviation != nil {
			over = fmt.Sprintf("%.4f", *f.Deviation)
		}
		safetext.Fprintf(w, "%s\t%.4f\t%s\t%s\t%d\t%d\t%d\n", f.Name, f.Mean, over, between, f.Count, f.Refused, f.Invalid)
	}
	return w.Flush()
}

// MarshalJSON implements score.Scores.
func (r results) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Variant string   `json:"variant"`
		Runs    int      `json:"runs"`
		Figures []figure `json:"figures"`
	}{r.Variant, len(r.runs), r.figures()})
}
