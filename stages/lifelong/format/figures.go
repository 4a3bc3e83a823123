package format

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/kit/safetext"
)

// tally gathers what is measured in one instance.
type tally struct{ sum, n float64 }

func (t *tally) add(v float64) { t.sum, t.n = t.sum+v, t.n+1 }

// means gathers a figure over instances.
type means struct{ per []tally }

// value is the figure: in the paper every instance that has it counts alike, its code pools
// what all instances have (E1.4). N is how many items it is over; nothing is over none.
func (m means) value(variant string) (value float64, n int) {
	all, instances := tally{}, tally{}
	for _, t := range m.per {
		if t.n > 0 {
			instances.add(t.sum / t.n)
			all.sum, all.n = all.sum+t.sum, all.n+t.n
		}
	}
	by := instances
	if variant == VariantUpstream {
		by = all
	}
	if by.n == 0 {
		return 0, 0
	}
	return by.sum / by.n, int(all.n)
}

// figure is a line of what is printed.
type figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	// Count is how many items the value is over.
	Count int `json:"count"`
}

// figures are Scores: some lines, each with its count.
type figures struct {
	Variant string `json:"variant"`
	// Judge says who decided what no rule of the paper decides.
	Judge  string   `json:"judge"`
	Lines  []figure `json:"figures"`
	warned []string
}

// add appends a figure; one over nothing is left out.
func (f *figures) add(name string, m means) {
	if value, n := m.value(f.Variant); n > 0 {
		f.Lines = append(f.Lines, figure{name, value, n})
	}
}

func (f *figures) warn(format string, args ...any) {
	f.warned = append(f.warned, fmt.Sprintf(format, args...))
}

// Warnings implements score.Scores.
func (f figures) Warnings() []string { return f.warned }

// Print implements score.Scores.
func (f figures) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	safetext.Fprintf(w, "variant\t%s\t\njudge\t%s\t\n", f.Variant, f.Judge)
	for _, l := range f.Lines {
		safetext.Fprintf(w, "%s\t%.4f\tof %d\n", l.Name, l.Value, l.Count)
	}
	return w.Flush()
}

// MarshalJSON implements score.Scores.
func (f figures) MarshalJSON() ([]byte, error) {
	type bare figures
	return json.Marshal(bare(f))
}
