package format

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// Settings: what a method sees in a run, the second part of the run's name.
const (
	setVisual    = "visual"     // pictures
	setDense     = "dense"      // dense captions in their place
	setTaskAware = "task-aware" // captions that tell all that is asked about (D.2)
	setNone      = "none"       // neither (D.3)
	setMinimal   = "minimal"    // what kind of picture each is
	setLatest    = "latest"     // of the clues the latest alone, with its picture (D.5)
	setStale     = "stale"      // the earlier ones alone (D.5)
)

// settingByView returns the setting of each view of a gate.
func settingByView() map[string]string {
	return map[string]string{
		view.Oracle: setVisual, view.AllClues: setVisual, view.DenseCaption: setDense, view.TaskAwareCaption: setTaskAware,
		view.Text: setNone, view.MinimalCaption: setMinimal, view.LatestOnly: setLatest, view.StaleOnly: setStale,
	}
}

// oracleMethod names the method that is given the clues instead of finding them, and
// begins the names of further such methods.
const oracleMethod = "oracle"

func isOracle(method string) bool {
	return method == oracleMethod || strings.HasPrefix(method, oracleMethod+"-")
}

// methodRun has the marks of a method on each subject.
type methodRun struct {
	method, setting string
	marks           []marks
	answers         map[string]string // nil of runs that gates made
}

// checkRun says what is wrong with the name of a run, or "".
func checkRun(name string) string {
	settings := []string{setVisual, setDense, setTaskAware, setNone, setMinimal, setLatest, setStale}
	method, setting := splitRunName(name)
	if base, merged := mergedBase(method); base == "" || strings.Contains(method, "@") && !merged || !slices.Contains(settings, setting) {
		return fmt.Sprintf("want METHOD.SETTING, or METHOD@2.SETTING and METHOD@4.SETTING for merged histories, with one of %s as setting", strings.Join(settings, ", "))
	}
	return ""
}

// splitRunName splits the name of a run at its last dot.
func splitRunName(name string) (method, setting string) {
	dotted := path.Ext(name)
	return strings.TrimSuffix(name, dotted), strings.TrimPrefix(dotted, ".")
}

// subject is a question of the study.
type subject struct {
	scoredQuestion
	question schemas.Question
	scenario string
}

// study compares runs over the questions of a release.
type study struct {
	tables.Inputs
	tasks    []layoutTask
	subjects []subject
	runs     []methodRun
	notes    []string
}

func newStudy(in tables.Inputs) (*study, error) {
	tasks, err := layoutTasks(in.Contents)
	if err != nil {
		return nil, err
	}
	s := &study{Inputs: in, tasks: tasks}
	for _, t := range tasks {
		for i, q := range newBench([]Task{t.asReadTask()}) {
			s.subjects = append(s.subjects, subject{q, t.questions[i].Question, t.scenario})
		}
	}
	for _, r := range in.Runs {
		if err := s.addRun(r); err != nil {
			return nil, fmt.Errorf("run %s: %w", r.Name, err)
		}
	}
	s.addGateRuns()
	return s, nil
}

func (s *study) addRun(r tables.Run) error {
	var b bench
	for _, q := range s.subjects {
		b = append(b, q.scoredQuestion)
	}
	method, setting := splitRunName(r.Name)
	answers, notes, err := r.AddLabels(r.File, b)
	if err != nil {
		return err
	}
	s.notes = append(s.notes, notes...)
	_, merged := mergedBase(method)
	got, err := b.markAnswers(answers, score.Options{Variant: s.Variant, Incomplete: s.Incomplete || merged})
	if err != nil {
		return err
	}
	s.runs = append(s.runs, methodRun{method, setting, got.marks, answers})
	return nil
}

// addGateRuns adds the choices that the release's gates recorded, as runs of the models
// behind them with the clues given. A gate that stopped once its verdict was settled is
// left out: its calls depend on the answers.
func (s *study) addGateRuns() {
	partial, skipped := map[string]bool{}, map[string]bool{}
	for _, v := range s.Contents.Verdicts {
		partial[v.Gate] = partial[v.Gate] || v.CallsMade < v.CallsFull
	}
	at := map[string]int{}
	for i, q := range s.subjects {
		at[q.id] = i
	}
	for _, p := range s.Contents.Probes {
		setting := settingByView()[p.View]
		i, known := at[p.Item]
		isAnswer := func(o schemas.Option) bool { return o.Key == p.Answer }
		if setting == "" || !known || !slices.ContainsFunc(s.subjects[i].question.Options, isAnswer) {
			continue
		}
		if partial[p.Gate] {
			skipped[p.Gate] = true
			continue
		}
		s.gateRun(oracleMethod+"-"+p.Model, setting).marks[i].addProbe(p.Rotation, p.Mark == schemas.MarkRight)
	}
	if stopped := slices.Sorted(maps.Keys(skipped)); len(stopped) > 0 {
		s.notes = append(s.notes, fmt.Sprintf("calls of the gates %s are in no table: the gates stopped where verdicts were settled, so they are a selection; build with full_protocol: true", strings.Join(stopped, ", ")))
	}
}

// gateRun returns the run of gates for a method and a setting.
func (s *study) gateRun(method, setting string) *methodRun {
	own := func(r methodRun) bool { return r.method == method && r.setting == setting && r.answers == nil }
	if !slices.ContainsFunc(s.runs, own) {
		r := methodRun{method: method, setting: setting}
		for _, q := range s.subjects {
			r.marks = append(r.marks, marks{scoredQuestion: q.scoredQuestion, em: math.NaN()})
		}
		s.runs = append(s.runs, r)
	}
	return &s.runs[slices.IndexFunc(s.runs, own)]
}

// addProbe adds a choice that a gate asked for. Rotations are averaged, each over its
// samples.
func (m *marks) addProbe(rotation int32, right bool) {
	if m.probed == nil {
		m.probed = map[int32][2]float64{}
	}
	p := m.probed[rotation]
	m.probed[rotation] = [2]float64{p[0] + benchformat.BoolScore(right), p[1] + 1}
	m.em = 0
	for _, r := range slices.Sorted(maps.Keys(m.probed)) {
		m.em += m.probed[r][0] / m.probed[r][1] / float64(len(m.probed))
	}
}

// findRun returns the first run of a method in a setting.
func (s *study) findRun(method, setting string) (methodRun, bool) {
	i := slices.IndexFunc(s.runs, func(r methodRun) bool { return r.method == method && r.setting == setting })
	if i < 0 {
		return methodRun{}, false
	}
	return s.runs[i], true
}

func (s *study) hasRun(method, setting string) bool {
	_, has := s.findRun(method, setting)
	return has
}

// methodsWith returns the methods that have a run in each setting, sorted.
func (s *study) methodsWith(given func(method string) bool, settings ...string) (out []string) {
	for _, r := range s.runs {
		if given(r.method) && !slices.Contains(out, r.method) && !slices.ContainsFunc(settings, func(setting string) bool { return !s.hasRun(r.method, setting) }) {
			out = append(out, r.method)
		}
	}
	slices.Sort(out)
	return out
}

func isMethod(method string) bool {
	_, merged := mergedBase(method)
	return !isOracle(method) && !merged
}

// mergedBase returns the method of a run over merged histories: METHOD@2 or METHOD@4.
func mergedBase(method string) (base string, ok bool) {
	base, n, ok := strings.Cut(method, "@")
	return base, ok && (n == "2" || n == "4")
}

// column is a column of a table: a value for each subject, NaN for none.
type column struct {
	name  string
	value func(i int) float64
}

// values returns a metric of the runs of a method in settings, for the subjects that
// have it in all of them.
func (s *study) values(method, metric string, settings ...string) []func(int) float64 {
	var out []func(int) float64
	for _, setting := range settings {
		r, _ := s.findRun(method, setting)
		out = append(out, func(i int) float64 { return r.marks[i].metric(metric) })
	}
	return whereAll(out...)
}

// whereAll restricts values to the subjects that have all of them.
func whereAll(values ...func(int) float64) []func(int) float64 {
	out := make([]func(int) float64, len(values))
	for k, value := range values {
		out[k] = func(i int) float64 {
			if slices.ContainsFunc(values, func(v func(int) float64) bool { return math.IsNaN(v(i)) }) {
				return math.NaN()
			}
			return value(i)
		}
	}
	return out
}

// difference subtracts per subject, so that resamples are paired.
func difference(a, b func(int) float64) func(int) float64 {
	return func(i int) float64 { return a(i) - b(i) }
}

// slice is a part of the subjects. With byCell, figures are means over the cells of the
// grid, equally weighted (figure 6).
type slice struct {
	name   string
	in     func(subject) bool
	byCell bool
}

func allSubjects(subject) bool { return true }

func isCoarse(q subject) bool { return q.x == schemas.GrainScene || q.x == schemas.GrainRegion }
func isFine(q subject) bool   { return !isCoarse(q) }

func axisX() []string {
	return []string{schemas.GrainScene, schemas.GrainRegion, schemas.GrainInstance, schemas.GrainPixel}
}
func axisY() []string {
	return []string{schemas.ReasonSingle, schemas.ReasonJoined, schemas.ReasonEvolving}
}

// withCellMean returns a slice twice: with its mean over questions, and over cells.
func withCellMean(name string, in func(subject) bool) []slice {
	return []slice{{name, in, false}, {name + ", mean of cells", in, true}}
}

func byX() []slice    { return byCells(axisX(), nil) }
func byY() []slice    { return byCells(nil, axisY()) }
func byCell() []slice { return byCells(axisX(), axisY()) }

// byCells returns a slice for each cell of the grid, or for its lines or columns if the
// other axis is nil.
func byCells(xs, ys []string) (out []slice) {
	for _, x := range append(xs, "")[:max(1, len(xs))] {
		for _, y := range append(ys, "")[:max(1, len(ys))] {
			out = append(out, slice{name: strings.TrimSpace(x + " " + y), in: func(q subject) bool { return (x == "" || q.x == x) && (y == "" || q.y == y) }})
		}
	}
	return out
}

// overall returns all subjects, and those with coarse and with fine evidence.
func overall() []slice {
	return slices.Concat(withCellMean("all", allSubjects), withCellMean("low X", isCoarse), withCellMean("high X", isFine))
}

// tableLines returns a line for each slice with a figure.
func (s *study) tableLines(prefix string, parts []slice, columns ...column) (out []tables.Line) {
	for _, p := range parts {
		l := tables.Line{Slice: prefix + p.name, Figures: map[string]tables.Figure{}}
		for _, c := range columns {
			if f, ok := s.figure(p, c.value); ok {
				l.Figures[c.name] = f
			}
		}
		if len(l.Figures) > 0 {
			out = append(out, l)
		}
	}
	return out
}

// figure returns the mean of a value over a slice. Copies of one fact are resampled
// together.
func (s *study) figure(p slice, value func(int) float64) (tables.Figure, bool) {
	var samples []sample
	for i, q := range s.subjects {
		if v := value(i); p.in(q) && !math.IsNaN(v) {
			samples = append(samples, sample{q.fact, q.x + q.y, v})
		}
	}
	if p.byCell {
		return meanOfCells(samples)
	}
	return meanWithInterval(samples)
}

// byMetric returns a table for each metric that has lines, the main metric first.
func (s *study) byMetric(name, title string, columns []string, lines func(metric string) []tables.Line) (out []tables.Table) {
	for _, m := range []struct{ name, title string }{
		{"judge", "judge's score of open answers"}, {"choice", "choices right, rotations averaged"}, {"BLEU-1", "BLEU-1 of open answers"},
	} {
		if l := lines(m.name); len(l) > 0 {
			out = append(out, tables.Table{Name: name, Title: title + ": " + m.title, Columns: columns, Lines: l})
		}
	}
	return out
}

// sampleSeed is the default seed of samples: the paper's only one.
const sampleSeed = bootstrapSeed

// tinyShare makes a sample take no more of a stratum than its minimum.
const tinyShare = 1e-9

// sampleInTurn samples questions from strata in turn, one of each, then a second of
// each, up to total and at most most of one stratum. It samples like reviews do, so
// that a question more or less changes little and a mirror group counts as one.
func (s *study) sampleInTurn(name string, total, most int, stratum func(subject) string, in func(subject) bool) (out []string) {
	d := pipeline.ReviewSample{Name: name, Schema: schemas.NameQuestion, By: []string{"stratum"}, Share: tinyShare, Seed: s.Seed}
	first := map[string]string{} // of each unit
	at := map[string]string{}
	var rows []schemas.Sampled
	for _, q := range s.subjects {
		if !in(q) {
			continue
		}
		e := review.Entry{ID: q.id, Values: map[string]string{"stratum": stratum(q), schemas.LabelMirror: q.question.Labels[schemas.LabelMirror]}}
		rows = append(rows, e.DrawnRow(d))
	}
	slices.SortFunc(rows, func(a, b schemas.Sampled) int { return strings.Compare(a.Item, b.Item) })
	for _, r := range rows {
		if first[r.Unit] == "" {
			first[r.Unit], at[r.Unit] = r.Item, r.Stratum[0]
		}
	}
	taken := map[string]bool{}
	for d.Least = 1; d.Least <= most && len(out) < total && len(taken) < len(first); d.Least++ {
		from := review.NewPopulation(d)
		for _, r := range rows {
			from.Add(r)
		}
		var added []string
		for unit := range from.Drawn() {
			if !taken[unit] {
				taken[unit] = true
				added = append(added, unit)
			}
		}
		slices.SortFunc(added, func(a, b string) int { return cmp.Or(strings.Compare(at[a], at[b]), strings.Compare(a, b)) })
		for _, u := range added {
			out = append(out, first[u])
		}
	}
	return out[:min(total, len(out))]
}

func (s *study) sampleScenarios(n int, in func(subject) bool) map[string]bool {
	out := map[string]bool{}
	for _, id := range s.sampleInTurn(tableRobustness, n, n, func(q subject) string { return q.scenario }, in) {
		out[id] = true
	}
	return out
}

func (s *study) sampleCells(name string, total, most int) []string {
	return s.sampleInTurn(name, total, most, func(q subject) string { return q.x + " " + q.y }, allSubjects)
}
