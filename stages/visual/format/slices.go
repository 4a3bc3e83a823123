package format

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/schemas"
)

// column is what a table has of each subject, by its place; NaN where it has nothing.
type column struct {
	name  string
	value func(i int) float64
}

// metric is a metric of a run.
func (r methodRun) metric(metric string) func(int) float64 {
	return func(i int) float64 { return r.marks[i].metric(metric) }
}

// whereAll restricts what it returns to the subjects of which all values are there.
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

// difference is a gain: a minus b of each subject, so that a resample of subjects is paired.
func difference(a, b func(int) float64) func(int) float64 {
	return func(i int) float64 { return a(i) - b(i) }
}

// slice is a part of the subjects. Where byCell is set, its figures are means over the
// cells of the grid, each as much as any other (figure 6).
type slice struct {
	name   string
	in     func(subject) bool
	byCell bool
}

func allSubjects(subject) bool { return true }

func isCoarse(q subject) bool { return q.x == schemas.GrainScene || q.x == schemas.GrainRegion }
func isFine(q subject) bool   { return !isCoarse(q) }

func isX(x string) func(subject) bool { return func(q subject) bool { return q.x == x } }
func isY(y string) func(subject) bool { return func(q subject) bool { return q.y == y } }

// Values of the axes.
func axisX() []string {
	return []string{schemas.GrainScene, schemas.GrainRegion, schemas.GrainInstance, schemas.GrainPixel}
}
func axisY() []string {
	return []string{schemas.ReasonSingle, schemas.ReasonJoined, schemas.ReasonEvolving}
}

// withCellMean is a part with its mean over questions, and over cells.
func withCellMean(name string, in func(subject) bool) []slice {
	return []slice{{name, in, false}, {name + ", mean of cells", in, true}}
}

// byX and byY are the levels of an axis, byCell the cells.
func byX() (out []slice) {
	for _, x := range axisX() {
		out = append(out, slice{name: x, in: isX(x)})
	}
	return out
}

func byY() (out []slice) {
	for _, y := range axisY() {
		out = append(out, slice{name: y, in: isY(y)})
	}
	return out
}

func byCell() (out []slice) {
	for _, x := range axisX() {
		for _, y := range axisY() {
			out = append(out, slice{name: x + " " + y, in: func(q subject) bool { return q.x == x && q.y == y }})
		}
	}
	return out
}

// overall is all, and the regions of coarse and fine evidence.
func overall() []slice {
	return slices.Concat(withCellMean("all", allSubjects), withCellMean("low X", isCoarse), withCellMean("high X", isFine))
}

// tableLines gives a row for each part that has any figure, its name behind a prefix.
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

// figure is the mean of a value over a part. Questions are resampled, each with its
// rotations averaged first (C.4); the copies of one fact are drawn together.
func (s *study) figure(p slice, value func(int) float64) (tables.Figure, bool) {
	var samples []agreement.Score
	cells := map[string][2]float64{}
	for i, q := range s.subjects {
		v := value(i)
		if !p.in(q) || math.IsNaN(v) {
			continue
		}
		samples = append(samples, agreement.Score{Cluster: q.question.Fact(), Value: v})
		sum := cells[q.x+q.y]
		cells[q.x+q.y] = [2]float64{sum[0] + v, sum[1] + 1}
	}
	if p.byCell {
		mean := 0.0
		for _, name := range slices.Sorted(maps.Keys(cells)) {
			mean += cells[name][0] / cells[name][1] / float64(len(cells))
		}
		return tables.Exactly(mean, len(samples)), len(samples) > 0
	}
	got, err := agreement.MeanInterval(samples, rand.New(rand.NewPCG(bootstrapSeed, 0)))
	return tables.FigureOf(got, len(samples)), err == nil
}

// comparedMetrics are the metrics that tables compare runs by, the first the main one.
func comparedMetrics() []string { return []string{"judge", "choice", "BLEU-1"} }

// byMetric makes a part of a table for each metric that any line has.
func (s *study) byMetric(name, title string, columns []string, lines func(metric string) []tables.Line) (out []tables.Table) {
	for _, m := range comparedMetrics() {
		if l := lines(m); len(l) > 0 {
			out = append(out, tables.Table{Name: name, Title: title + ": " + metricTitle(m), Columns: columns, Lines: l})
		}
	}
	return out
}

// metricTitle says what a metric is.
func metricTitle(metric string) string {
	return cmp.Or(map[string]string{"judge": "judge's score of open answers", "choice": "choices right, rotations averaged", "BLEU-1": "BLEU-1 of open answers"}[metric], metric)
}
