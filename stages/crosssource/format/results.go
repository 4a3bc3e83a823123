package format

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/safetext"
)

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

// figures are those of the distributed questions by task and overall, by sources, and
// of the twins.
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

// taskFigures are the figures of each task and their mean, in which each task weighs the same
// (table 5).
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

// means are the means of some marks in each run.
func (r results) means(in []itemScore) []float64 {
	out := make([]float64, len(r.runs))
	for i, run := range r.runs {
		var list []float64
		for _, m := range in {
			if ok, given := m.byRun[run]; given {
				list = append(list, boolScore(ok))
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

// interval is that of a mean over facts; none where there is one fact only.
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

func boolScore(b bool) float64 {
	if b {
		return 1
	}
	return 0
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
