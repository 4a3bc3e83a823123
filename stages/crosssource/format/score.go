package format

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// item is a question as scorers need it.
type item struct {
	Sample
	task task
	// twin says that the evidence was brought into one source.
	twin bool
	// gold is the letter of the right option, or the canonical call, whose plan is plan.
	gold     string
	plan     plan
	defaults defaults
}

func newItem(s Sample, d defaults) (item, error) {
	t, _ := taskOf(s.Task)
	i := item{Sample: s, task: t, twin: s.Arrangement == concentrated, defaults: d}
	i.Fact = cmp.Or(i.Fact, i.ID)
	var err error
	if t.label != schemas.TaskFunctionCall {
		err = json.Unmarshal(s.Answer, &i.gold)
	} else if i.gold, err = schemas.CanonicalCall(string(s.Answer)); err == nil {
		i.plan, err = d.parsePlan(i.gold, VariantPaper)
	}
	if err != nil {
		return item{}, fmt.Errorf("question %s: its gold: %w", s.ID, err)
	}
	return i, nil
}

// items are the questions of a release or an export.
type items []item

// IDs implements score.QuestionSet.
func (all items) IDs() []string {
	out := make([]string, len(all))
	for n, i := range all {
		out[n] = i.ID
	}
	return out
}

func loadRelease(c release.Contents) (items, error) {
	asked := questions(c)
	if len(asked) == 0 {
		return nil, fmt.Errorf("release %s has no question of the five tasks of SMMBench", c.Manifest.ID)
	}
	return itemsOf(asked)
}

func itemsOf(asked []schemas.Question) (items, error) {
	out := make(items, len(asked))
	for n, q := range asked {
		s, err := newSample(q)
		if err == nil {
			out[n], err = newItem(s, defaultsOf(q.Tools))
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// loadExport reads the questions of an export, or of the published folders.
func loadExport(dir string) (items, error) {
	root, err := benchformat.OpenRoot(dir, "smmbench")
	if err != nil {
		return nil, err
	}
	out, err := readPublished(root)
	if err != nil {
		return nil, fmt.Errorf("read %s as SMMBench is published: %w", dir, err)
	}
	return out, nil
}

// answerScorer scores answers.
type answerScorer struct{ items }

// maxRuns is how often a benchmark may be run (C.1: three times).
const maxRuns = 9

// Scorer scores answers to a release or an export of it.
func Scorer() score.Scorer {
	return score.Reading(score.Scorer{
		Name: "smmbench", Takes: takes(), Variants: []string{VariantPaper, VariantPrinted}, Answers: score.ReadAnswers,
		Help: "An answer is a letter, with or without brackets, or a call as JSON; its id is the question's. For several runs the id ends in # and the number of the run, #1 to #9: means and deviations are over runs then. " +
			"Of calls, the case of letters and arguments that are the tool's defaults do not count. The variant printed also takes calls as NAME(\"key\"=\"value\").",
	}, loadExport, loadRelease, func(all items) score.QuestionSet { return answerScorer{all} })
}

// IDs implements score.QuestionSet: each question, and each with the number of a run.
func (b answerScorer) IDs() []string {
	var out []string
	for run := 0; run <= maxRuns; run++ {
		out = append(out, b.answerIDs(run)...)
	}
	return out
}

// answerIDs returns the ids of the answers of a run; run 0 has ids without a number.
func (b answerScorer) answerIDs(run int) []string {
	out := b.items.IDs()
	for n := range out {
		out[n] = answerID(out[n], run)
	}
	return out
}

// runsIn returns the numbers of the runs that have answers.
func (b answerScorer) runsIn(answers map[string]string) (out []int) {
	for run := 0; run <= maxRuns; run++ {
		if slices.ContainsFunc(b.answerIDs(run), func(id string) bool { _, given := answers[id]; return given }) {
			out = append(out, run)
		}
	}
	return out
}

func answerID(id string, run int) string {
	if run == 0 {
		return id
	}
	return fmt.Sprintf("%s#%d", id, run)
}

// itemScore is what came of an item: in which runs it was right, and how often it was
// answered, refused, and answered in another form than is asked for.
type itemScore struct {
	item
	byRun                      map[int]bool
	answered, refused, invalid int
}

// Score implements score.QuestionSet. A run that has some answers must have all.
func (b answerScorer) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	s := scored{runs: b.runsIn(answers)}
	if len(s.runs) > 1 && s.runs[0] == 0 {
		return nil, fmt.Errorf("some answers name a run (id#1) and others do not; name it in all")
	}
	if len(s.runs) == 0 {
		s.runs = []int{0}
	}
	var asked []string
	for _, run := range s.runs {
		asked = append(asked, b.answerIDs(run)...)
	}
	missing, err := score.FindMissing(asked, answers, o)
	if err != nil {
		return nil, err
	}
	for _, i := range b.items {
		m := itemScore{item: i, byRun: map[int]bool{}}
		for _, run := range s.runs {
			if answer, given := answers[answerID(i.ID, run)]; given {
				m.addAnswer(run, answer, o.Variant)
			}
		}
		if m.answered > 0 {
			s.items = append(s.items, m)
		}
	}
	out := results{Variant: o.Variant, Runs: len(s.runs), Lines: s.lines(), columns: []string{"mean", "deviation", "refused", "no answer"}}
	if len(missing) > 0 {
		out.warned = append(out.warned, fmt.Sprintf("%d answers are missing and are in no mean", len(missing)))
	}
	if n := len(s.where(func(m itemScore) bool { return m.task == task{} })); n > 0 {
		out.warned = append(out.warned, fmt.Sprintf("%d questions are of none of the five tasks and in no figure", n))
	}
	if len(s.runs) < 3 {
		out.warned = append(out.warned, fmt.Sprintf("the paper gives means over three runs; here are %d", len(s.runs)))
	}
	return out, nil
}

func (m *itemScore) addAnswer(run int, answer, variant string) {
	right, valid := m.check(answer, variant)
	m.answered++
	m.byRun[run] = right
	switch {
	case Refuses(answer):
		m.refused++
	case !valid:
		m.invalid++
	}
}

// share returns in which share of its answers an item is right.
func (m itemScore) share() float64 {
	n := 0.0
	for _, right := range m.byRun {
		n += benchformat.BoolScore(right)
	}
	return n / float64(m.answered)
}

// bySources reports tasks that are compared by the number of sources (4.4).
func bySources(t task) bool {
	return strings.Contains(schemas.TaskSingleHop+" "+schemas.TaskMultiHop+" "+schemas.TaskPreference, t.label)
}

// seed of the draws behind intervals and failures.
const seed = 20260501

// scored are the items that were answered.
type scored struct {
	runs  []int
	items []itemScore
}

// lines returns the lines of distributed questions by task and overall, by sources, and
// of the twins.
func (s scored) lines() []tables.Line {
	out := s.taskLines("", func(m itemScore) bool { return !m.twin && m.task != task{} })
	var counts []string
	for _, m := range s.items {
		if m.Required != "" && bySources(m.task) && !slices.Contains(counts, m.Required) {
			counts = append(counts, m.Required)
		}
	}
	slices.Sort(counts)
	for _, n := range counts {
		for _, t := range tasks() {
			if in := s.where(func(m itemScore) bool { return !m.twin && m.Required == n && m.task == t }); bySources(t) && len(in) > 0 {
				l, _ := s.line(fmt.Sprintf("%s, %s sources", t.short, n), in)
				out = append(out, l)
			}
		}
	}
	return append(out, s.taskLines("one source: ", func(m itemScore) bool { return m.twin })...)
}

func (s scored) where(keep func(itemScore) bool) []itemScore {
	return slices.DeleteFunc(slices.Clone(s.items), func(m itemScore) bool { return !keep(m) })
}

// taskLines returns the line of each task and that of their unweighted mean (table 5).
func (s scored) taskLines(prefix string, keep func(itemScore) bool) (out []tables.Line) {
	overall := make([][]float64, len(s.runs)) // by run, the mean of each task
	var groups [][]agreement.Score
	all := s.where(keep)
	for _, t := range tasks() {
		in := slices.DeleteFunc(slices.Clone(all), func(m itemScore) bool { return m.task != t })
		if len(in) == 0 {
			continue
		}
		l, byRun := s.line(prefix+t.short, in)
		out, groups = append(out, l), append(groups, factScores(in))
		for i, v := range byRun {
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
	f, _ := tables.MeanOfGroups(groups, seed)
	f.Value = mean(byRun)
	return append(out, newLine(prefix+"overall", f, byRun, all))
}

// line returns the line of some items, and their means by run.
func (s scored) line(name string, in []itemScore) (tables.Line, []float64) {
	byRun := make([]float64, len(s.runs))
	for i, run := range s.runs {
		var list []float64
		for _, m := range in {
			if right, given := m.byRun[run]; given {
				list = append(list, benchformat.BoolScore(right))
			}
		}
		byRun[i] = mean(list)
	}
	f, _ := tables.Mean(factScores(in), seed)
	f.Value = mean(byRun)
	return newLine(name, f, byRun, in), byRun
}

// factScores returns the shares of right answers with their facts.
func factScores(in []itemScore) []agreement.Score {
	out := make([]agreement.Score, len(in))
	for i, m := range in {
		out[i] = agreement.Score{Cluster: m.Fact, Value: m.share()}
	}
	return out
}

// newLine returns a line with the deviation over runs, where there are several, and the
// counts of what was no answer.
func newLine(name string, f tables.Figure, byRun []float64, in []itemScore) tables.Line {
	refused, invalid := 0, 0
	for _, m := range in {
		refused, invalid = refused+m.refused, invalid+m.invalid
	}
	out := tables.Line{Slice: name, Figures: map[string]tables.Figure{"mean": f, "refused": tables.Count(refused), "no answer": tables.Count(invalid)}}
	if over, ok := deviation(byRun); ok {
		out.Figures["deviation"] = tables.Exactly(over, f.N)
	}
	return out
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

// deviation returns the standard deviation of means, with one less than their number as
// divisor, and false for a single mean.
func deviation(list []float64) (float64, bool) {
	list = slices.DeleteFunc(slices.Clone(list), math.IsNaN)
	m, sum := mean(list), 0.0
	for _, v := range list {
		sum += float64((v - m) * (v - m))
	}
	return math.Sqrt(sum / float64(len(list)-1)), len(list) > 1
}

// results are the Scores, of answers and of what was retrieved.
type results struct {
	Variant string        `json:"variant,omitempty"`
	Runs    int           `json:"runs,omitempty"`
	Lines   []tables.Line `json:"lines"`
	columns []string
	warned  []string
}

// Warnings implements score.Scores.
func (r results) Warnings() []string { return r.warned }

// Print implements score.Scores.
func (r results) Print(out io.Writer) error { return tables.PrintLines(out, r.Lines, r.columns) }
