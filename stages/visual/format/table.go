package format

import (
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/safetext"
)

// bootstrapSeed is the paper's (C.4).
const bootstrapSeed = 20260430

// table is what is printed: means by slice, and how the letters were chosen.
type table struct {
	Variant string `json:"variant"`
	// Lines: all (micro), the macro average over the cells, by X, by Y, by cell and
	// by task.
	Lines []tables.Line `json:"lines"`
	// Chosen is how often each letter was chosen, invalid ones under "invalid", and
	// Rotations the share right by where the right option stood.
	Chosen    map[string]int     `json:"chosen"`
	Rotations map[string]float64 `json:"rotations"`
}

// metrics of a table, in order: choice EM averaged over rotations, all four right,
// then those of open answers.
func metrics() []string { return append([]string{"choice", "all four"}, openMetrics()...) }

// metric is one metric of one question; NaN where it has none.
func (m marks) metric(metric string) float64 {
	switch metric {
	case "choice":
		return m.em
	case "all four":
		if m.given < len(letters) {
			return math.NaN()
		}
		if m.allRight() {
			return 1
		}
		return 0
	}
	if v, ok := m.open[metric]; ok {
		return v
	}
	return math.NaN()
}

func (r results) table() table {
	t := table{Variant: r.variant, Chosen: map[string]int{}, Rotations: map[string]float64{}}
	t.Lines = append(t.Lines, r.line("all", func(marks) bool { return true }), r.macro())
	slice := func(name func(marks) string) {
		var names []string
		for _, m := range r.marks {
			if n := name(m); !slices.Contains(names, n) {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		for _, n := range names {
			t.Lines = append(t.Lines, r.line(n, func(m marks) bool { return name(m) == n }))
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

// line is a slice's row. Questions are resampled, each with its rotations averaged
// first (C.4).
func (r results) line(name string, in func(marks) bool) tables.Line {
	out := tables.Line{Slice: name, Figures: map[string]tables.Figure{}}
	for _, metric := range metrics() {
		var samples []agreement.Score
		for _, m := range r.marks {
			if v := m.metric(metric); in(m) && !math.IsNaN(v) {
				samples = append(samples, agreement.Score{Cluster: m.id, Value: v})
			}
		}
		if len(samples) == 0 {
			continue
		}
		got, err := agreement.MeanInterval(samples, rand.New(rand.NewPCG(bootstrapSeed, 0)))
		if err == nil {
			out.Figures[metric] = tables.FigureOf(got, len(samples))
		}
	}
	return out
}

// macro averages the cells, each as much as any other (figure 6). It has no interval:
// small cells would give none.
func (r results) macro() tables.Line {
	out := tables.Line{Slice: "mean of cells", Figures: map[string]tables.Figure{}}
	for _, metric := range metrics() {
		sum, n := map[string]float64{}, map[string]int{}
		for _, m := range r.marks {
			if v := m.metric(metric); !math.IsNaN(v) {
				sum[m.x+m.y] += v
				n[m.x+m.y]++
			}
		}
		var cells []string
		for cell := range n {
			cells = append(cells, cell)
		}
		slices.Sort(cells)
		mean := 0.0
		for _, cell := range cells {
			mean += sum[cell] / float64(n[cell]) / float64(len(cells))
		}
		if len(cells) > 0 {
			out.Figures[metric] = tables.Exactly(mean, len(cells))
		}
	}
	return out
}

func (t table) json() ([]byte, error) { return json.Marshal(t) }

func (t table) print(out io.Writer) error {
	if err := tables.PrintLines(out, t.Lines, metrics()); err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, letter := range []string{"A", "B", "C", "D"} {
		safetext.Fprintf(w, "right at %s\t%.3f\tchosen\t%d\n", letter, t.Rotations[letter], t.Chosen[letter])
	}
	safetext.Fprintf(w, "no valid choice\t\t\t%d\n", t.Chosen["invalid"])
	return w.Flush()
}
