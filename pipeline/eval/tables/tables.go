// Package tables names the tables and sheets of a benchmark: what follows from a
// release and from logs of answers to it, beside the scores of one run. Plugins bring
// them; the command line offers what is registered.
package tables

import (
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// A Set is what one benchmark has of tables and sheets.
type Set struct {
	Name string
	// Help says in a few sentences how runs are named and what their answers look like.
	Help string
	// Variants are whose rules there are where these differ, the default first.
	Variants []string
	// Seed of draws unless another is asked for.
	Seed   uint64
	Tables []TableKind
	Sheets []Sheet
	// Warnings tells what a reader of the tables should know of the release.
	Warnings func(Inputs) ([]string, error)
	// Check says what is wrong with the name of a run; empty where nothing is.
	Check func(run string) string
}

// TableKind is one kind of table.
type TableKind struct {
	Name, Help string
	// Make gives the table, in several parts where it has such. What it cannot be made
	// without is a *MissingInputError.
	Make func(Inputs) ([]Table, error)
	// GateCalls names gates whose calls the table is made from, and the questions to put
	// them to where the release's own builder did not: a panel can be asked on the spot.
	GateCalls func(Inputs) (gates, questions []string, err error)
}

// Sheet is a list of what people are to decide, a JSON object each.
type Sheet struct {
	Name, Help string
	Make       func(Inputs) ([]any, error)
}

// Inputs is what tables and sheets are made from.
type Inputs struct {
	Contents release.Contents
	// Runs are logs of answers, by name; their questions are those of the scorer of
	// the same benchmark.
	Runs []Run
	// Reviews are what people decided about a sheet.
	Reviews []schemas.Review
	Variant string
	// Claims are the formats that families have (benchformat.Choice).
	Claims map[string]string
	// Incomplete leaves questions that a run does not answer out of what is made of it.
	Incomplete bool
	Seed       uint64
}

// Run is one log of answers by question.
type Run struct {
	Name string
	// File is where the answers are; further files of a run are beside it.
	File    string
	Answers map[string]string
}

// MissingInputError says what a table cannot be made without.
type MissingInputError struct{ Table, Missing string }

func (e *MissingInputError) Error() string {
	return fmt.Sprintf("table %s needs %s", e.Table, e.Missing)
}

// kind of these extensions of a registry.
const kind = "tables"

// Add registers a set.
func Add(r *pipeline.Registry, s Set) { r.Extend(kind, s.Name, s) }

// Sets are those registered, by name.
func Sets(r *pipeline.Registry) []Set { return pipeline.Extensions[Set](r, kind) }

// Table is one table, or one part of it.
type Table struct {
	Name string `json:"table"`
	// Title says what it shows, and where the paper has it.
	Title   string   `json:"title"`
	Columns []string `json:"columns"`
	Lines   []Line   `json:"lines"`
	// Plots are what the page draws.
	Plots []Plot `json:"-"`
	// Notes say how figures are to be read; List names items, one by one.
	Notes []string `json:"notes,omitempty"`
	List  []string `json:"list,omitempty"`
}

// Line is a row: a slice of the questions, and its figures by column.
type Line struct {
	Slice   string            `json:"slice"`
	Figures map[string]Figure `json:"figures"`
	// Missing says, by column, why there is no figure.
	Missing map[string]string `json:"missing,omitempty"`
}

// Figure is a mean over N questions with its interval of 95 %. Where Low and High are
// both Value, it has none.
type Figure struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	N     int     `json:"n"`
}

// FigureOf is an interval over n questions.
func FigureOf(i agreement.Interval, n int) Figure { return Figure{i.Value, i.Low, i.High, n} }

// Mean returns the mean of scores with its interval by the bootstrap over their clusters,
// and false without scores.
func Mean(scores []agreement.Score, seed uint64) (Figure, bool) {
	return MeanOfGroups([][]agreement.Score{scores}, seed)
}

// MeanOfGroups returns the mean of the means of groups, each of which counts alike, with
// its interval as Mean has one.
func MeanOfGroups(groups [][]agreement.Score, seed uint64) (Figure, bool) {
	got, err := agreement.MeanOfGroups(groups, rand.New(rand.NewPCG(seed, 0)))
	return FigureOf(got, len(slices.Concat(groups...))), err == nil
}

// Exactly is a figure without an interval.
func Exactly(value float64, n int) Figure { return Figure{value, value, value, n} }

// Count is a number of items, and a mean over none.
func Count(n int) Figure { return Exactly(float64(n), 0) }

// Print prints the table, its notes below.
func (t Table) Print(out io.Writer) error {
	safetext.Fprintf(out, "%s: %s\n", t.Name, t.Title)
	lines, columns := t.Lines, t.Columns
	if len(columns) > wideTable && len(lines) < wideTable {
		lines, columns = t.turned()
	}
	if err := PrintLines(out, lines, columns); err != nil {
		return err
	}
	for _, n := range t.AllNotes() {
		safetext.Fprintf(out, "note: %s\n", n)
	}
	for _, l := range t.List {
		safetext.Fprintf(out, "  %s\n", l)
	}
	return nil
}

// wideTable is the number of columns that fit in a terminal.
const wideTable = 8

// turned returns a line for each column and a column for each line.
func (t Table) turned() (lines []Line, columns []string) {
	for _, l := range t.Lines {
		columns = append(columns, l.Slice)
	}
	for _, c := range t.Columns {
		row := Line{Slice: c, Figures: map[string]Figure{}}
		for _, l := range t.Lines {
			if f, has := l.Figures[c]; has {
				row.Figures[l.Slice] = f
			}
		}
		lines = append(lines, row)
	}
	return lines, columns
}

// AllNotes are the notes, then why cells are empty, a note for each reason.
func (t Table) AllNotes() []string {
	out := slices.Clone(t.Notes)
	for _, why := range t.reasons() {
		var empty []string
		for _, c := range t.Columns {
			if slices.ContainsFunc(t.Lines, func(l Line) bool { return l.Missing[c] == why }) {
				empty = append(empty, c)
			}
		}
		out = append(out, strings.Join(empty, ", ")+": "+why)
	}
	return out
}

// reasons lists why cells are empty, each once.
func (t Table) reasons() (out []string) {
	for _, l := range t.Lines {
		for _, c := range t.Columns {
			if why := l.Missing[c]; why != "" && !slices.Contains(out, why) {
				out = append(out, why)
			}
		}
	}
	return out
}

// NoQuestions is why a cell is empty of whose questions a run answered none.
const NoQuestions = "no question of it was answered"

// DropEmpty leaves out lines and columns that are empty for want of questions, and notes how
// many.
func (t *Table) DropEmpty() {
	isEmpty := func(l Line, c string) bool {
		_, has := l.Figures[c]
		return !has && (l.Missing[c] == "" || l.Missing[c] == NoQuestions)
	}
	if len(t.Lines) == 0 {
		return
	}
	var rows, columns []string
	t.Lines = slices.DeleteFunc(slices.Clone(t.Lines), func(l Line) bool {
		empty := !slices.ContainsFunc(t.Columns, func(c string) bool { return !isEmpty(l, c) })
		if empty {
			rows = append(rows, l.Slice)
		}
		return empty
	})
	t.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(c string) bool {
		empty := !slices.ContainsFunc(t.Lines, func(l Line) bool { return !isEmpty(l, c) })
		if empty {
			columns = append(columns, c)
		}
		return empty
	})
	for n, names := range [][]string{rows, columns} {
		if len(names) > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%d %s without a question that was answered are left out: %s", len(names), []string{"rows", "columns"}[n], strings.Join(names, ", ")))
		}
	}
}

// PrintLines prints a table, a line a slice.
func PrintLines(out io.Writer, lines []Line, columns []string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	safetext.Fprintf(w, "slice\tn")
	for _, c := range columns {
		safetext.Fprintf(w, "\t%s", c)
	}
	safetext.Fprintf(w, "\n")
	for _, l := range lines {
		n := 0
		for _, f := range l.Figures {
			n = max(n, f.N)
		}
		over := "-"
		if n > 0 {
			over = fmt.Sprint(n)
		}
		safetext.Fprintf(w, "%s\t%s", l.Slice, over)
		for _, c := range columns {
			safetext.Fprintf(w, "\t%s", l.cell(c))
		}
		safetext.Fprintf(w, "\n")
	}
	return w.Flush()
}

func (l Line) cell(column string) string {
	f, ok := l.Figures[column]
	switch {
	case !ok:
		return "-"
	case f.N == 0:
		return fmt.Sprintf("%.0f", f.Value)
	case f.Low == f.High:
		return fmt.Sprintf("%.3f", f.Value)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", f.Value, f.Low, f.High)
}
