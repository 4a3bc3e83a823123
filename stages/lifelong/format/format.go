// Package format lays releases out as WorldMemArena's loader reads them, and
// scores memory systems as it does (B): what they answer, what they retrieve, and what
// they hold. Of a release it reads sessions,
// memory points, checkpoints and questions; any release that has questions can be
// scored for answers, and one with sessions for retrieval. Where the paper and the code
// that came with it differ, both are offered as variants (Variants).
package format

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/score/textmatch"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/schemas"
)

// Register adds the export and the scorers.
func Register(r *pipeline.Registry) {
	export.Add(r, Format())
	score.Add(r, Answers())
	score.Add(r, Retrieval())
	score.Add(r, Memory())
	tables.Add(r, Tables())
}

// takes says which questions of a release are of the benchmark: those of lives and runs,
// and others with an answer in words.
func takes() benchformat.Selector {
	return benchformat.Selector{Families: []string{"lifelong"}, Fits: func(q schemas.Question) string {
		if q.AnswerText == "" {
			return "they have no answer in words"
		}
		return ""
	}}
}

// Labels of a question that are read, where it has them.
const (
	// LabelAxis is the short name of its type, one of Axes or a further one.
	LabelAxis = "axis"
	// LabelPoints are the ids of the memory points that its answer rests on, parted by
	// spaces. Without it they follow from the turns and pictures that it cites.
	LabelPoints = "points"
)

// Variants: figures as the paper defines them, or as its code computes them.
const (
	VariantPaper    = "paper"
	VariantUpstream = "upstream"
)

// Axis is one of the types of question.
type Axis struct{ Short, Name, Group string }

// Axes returns the eleven types (table 4), in its order. The paper's section 4.4 speaks of
// twelve and names eleven.
func Axes() []Axis {
	return []Axis{
		{"FR", "Fact Recall", "Basic"},
		{"DU", "Dynamic Update", "Robustness"},
		{AxisBoundary, "Memory Boundary", "Robustness"},
		{"MC", "Memory Conflict", "Robustness"},
		{"TR", "Temporal Reasoning", "Reasoning"},
		{"KR", "Knowledge Reasoning", "Reasoning"},
		{"TTL", "Test-Time Learning", "Reasoning"},
		{"VFR", "Visual Fact Recall", "Multimodal"},
		{"VS", "Visual Search", "Multimodal"},
		{"VU", "Visual Update", "Multimodal"},
		{"CMR", "Cross-modal Reasoning", "Multimodal"},
	}
}

// AxisBoundary is the type whose answer is that nothing was said of it.
const AxisBoundary = "MB"

// Unmentioned is the answer to a question of AxisBoundary.
const Unmentioned = "Not mentioned in memory."

// tally has the items of a figure in one instance, each with the fact that it is about.
type tally []agreement.Score

func (t *tally) add(fact string, v float64) {
	*t = append(*t, agreement.Score{Cluster: fact, Value: v})
}

// addShare adds parts of one item: their weights add up to one.
func (t *tally) addShare(parts []agreement.Score) {
	all := 0.0
	for _, p := range parts {
		all += p.Weight
	}
	for _, p := range parts {
		if p.Weight > 0 {
			*t = append(*t, agreement.Score{Cluster: p.Cluster, Value: p.Value, Weight: p.Weight / all})
		}
	}
}

// mean returns the mean of the items and their number.
func (t tally) mean() (mean, n float64) {
	for _, s := range t {
		weight := cmp.Or(s.Weight, 1)
		mean, n = mean+float64(weight*s.Value), n+weight
	}
	return mean / n, n
}

// means collects a figure over instances.
type means struct{ per []tally }

// groups returns what the figure is a mean of means over: in the paper the instances that
// have items; its code pools all items (E1.4).
func (m means) groups(variant string) [][]agreement.Score {
	if variant == VariantUpstream {
		return [][]agreement.Score{slices.Concat(m.per...)}
	}
	var out [][]agreement.Score
	for _, t := range m.per {
		if len(t) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// value returns the figure and the number of items.
func (m means) value(variant string) (value float64, n int) {
	var groups tally
	all := 0.0
	for _, g := range m.groups(variant) {
		mean, items := tally(g).mean()
		if items > 0 {
			groups.add("", mean)
		}
		all += items
	}
	if len(groups) == 0 {
		return 0, 0
	}
	value, _ = groups.mean()
	return value, int(math.Round(all))
}

type figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	// Count is how many items the value is over.
	Count int `json:"count"`
	per   means
}

// figures are Scores made of lines.
type figures struct {
	Variant string `json:"variant"`
	// Judge says whether the labels of a judge were given.
	Judge string   `json:"judge"`
	Lines []figure `json:"figures"`
	// Empty are the figures of the paper that no rule can give.
	Empty  []emptyFigure `json:"empty,omitempty"`
	warned []string
}

// emptyFigure is a figure of the paper without a value, with the reason.
type emptyFigure struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// The judges of figures.
const (
	judgeNone   = "none"
	judgeLabels = "labels that were given"
)

func judgeOf(labels score.JudgeLabels) string {
	if len(labels) > 0 {
		return judgeLabels
	}
	return judgeNone
}

// needsJudge leaves figures of the paper empty.
func (f *figures) needsJudge(names ...string) {
	for _, name := range names {
		f.Empty = append(f.Empty, emptyFigure{name, "needs the labels of a judge"})
	}
}

// add appends a figure unless it has no items.
func (f *figures) add(name string, m means) {
	if value, n := m.value(f.Variant); n > 0 {
		f.Lines = append(f.Lines, figure{name, value, n, m})
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
	if err := w.Flush(); err != nil {
		return err
	}
	names := map[string][]string{}
	for _, e := range f.Empty {
		names[e.Why] = append(names[e.Why], e.Name)
	}
	for _, why := range sortedKeys(names) {
		safetext.Fprintf(out, "%s: %s\n", strings.Join(names[why], ", "), why)
	}
	return nil
}

// nearly is the share of the words of a gold text that another one must have to say the
// same (B.4). A text that differs from the gold in one word of four passes: updates
// should differ from what they replace in more than one.
const nearly = 0.75

// textSays reports whether a text contains the gold, or nearly all of its words.
func textSays(said, gold string) bool {
	said, gold = normalise(said), normalise(gold)
	return gold != "" && (strings.Contains(said, gold) || wordShare(gold, said) >= nearly)
}

// pointSymbols returns what a text must name to state a point: its value and the parts of
// its subject. It is nil for points without both.
func pointSymbols(p schemas.MemoryPoint) []string {
	value := p.Attributes["value"]
	if value == "" || p.Subject == "" {
		return nil
	}
	return append(strings.Split(p.Subject, "/"), value)
}

// textStates reports whether a text states a point: by its symbols, or else by the words
// of its content.
func textStates(said string, p schemas.MemoryPoint) bool {
	named := pointSymbols(p)
	if named == nil {
		return textSays(said, p.Content)
	}
	said = normalise(said)
	for _, symbol := range named {
		if words := normalise(symbol); words != "" && !containsWords(said, words) {
			return false
		}
	}
	return true
}

// wordShare returns the share of the words of one text that occur in the other, with
// multiplicity.
func wordShare(of, in string) float64 {
	words := strings.Fields(of)
	if len(words) == 0 {
		return 0
	}
	has := map[string]int{}
	for _, w := range strings.Fields(in) {
		has[w]++
	}
	found := 0
	for _, w := range words {
		if has[w] > 0 {
			has[w]--
			found++
		}
	}
	return float64(found) / float64(len(words))
}

func normalise(s string) string { return textmatch.WorldMemArena(s) }
