package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
)

// Measured are scores that a table of methods can show.
type Measured interface {
	score.Scores
	// Measures returns the figures in the paper's order. factOf gives the distinct fact of
	// a question by its id; intervals resample facts, or what holds whole ones.
	Measures(factOf map[string]string, seed uint64) []Measure
}

// Measure is a column of a table of methods for one run: a figure, or why there is none.
type Measure struct {
	Column  string
	Figure  Figure
	Missing string
}

// Methods is a table with a line for each run, from the figures of a scorer.
type Methods struct {
	Name, Title, Help string
	Scorer            score.Scorer
	// File has what is scored, beside the answers of a run; empty: the answers themselves.
	File string
	// Plots are what the page draws; one of boxes is a table of its own.
	Plots []Plot
	// Release returns the figures of the release itself, for a line beside the runs.
	Release func(asked score.QuestionSet, seed uint64) []Measure
}

// Kind returns the kind of table.
func (m Methods) Kind() TableKind { return TableKind{Name: m.Name, Help: m.Help, Make: m.compareRuns} }

// MethodSet returns a set of such tables.
func MethodSet(name string, seed uint64, of ...Methods) Set {
	s := Set{
		Name: name, Variants: of[0].Scorer.Variants, Seed: seed,
		Help:     "A run is NAME=FILE, its answers as memforge score --format " + name + " has them. Intervals resample distinct facts 10,000 times.",
		Warnings: func(Inputs) ([]string, error) { return nil, nil },
		Check:    func(string) string { return "" },
	}
	for _, m := range of {
		s.Tables = append(s.Tables, m.Kind())
	}
	return s
}

// compareRuns makes the table, the run with the highest first figure first.
func (m Methods) compareRuns(in Inputs) ([]Table, error) {
	if len(in.Runs) == 0 {
		return nil, &MissingInputError{m.Name, "a run: RUN=FILE"}
	}
	contents, _, err := m.Scorer.Takes.Select(m.Scorer.Name, in.Contents, benchformat.Choice{Claims: in.Claims})
	if err != nil {
		return nil, err
	}
	asked, err := m.Scorer.Release(contents)
	if err != nil {
		return nil, err
	}
	facts := map[string]string{}
	for _, q := range contents.Questions {
		facts[q.QuestionID] = q.Fact()
	}
	out := Table{Name: m.Name, Title: m.Title}
	var warnings []string
	warned := map[string][]string{} // the runs of each warning
	for _, run := range in.Runs {
		answers, err := run.Answers, error(nil)
		if m.File != "" {
			answers, err = run.ReadBeside(m.File, m.Scorer.Answers)
		} else if m.Scorer.ReadRun != nil {
			answers, err = m.Scorer.ReadRun(run.File)
		}
		if err == nil && len(answers) == 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("run %s has no %s", run.Name, cmp.Or(m.File, "answers")))
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", run.Name, err)
		}
		run.Answers = answers
		answers, notes, err := run.AddLabels(run.beside(m.File), asked)
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", run.Name, err)
		}
		out.Notes = append(out.Notes, notes...)
		scores, err := asked.Score(answers, score.Options{Variant: in.Variant, Incomplete: in.Incomplete})
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", run.Name, err)
		}
		measured, ok := scores.(Measured)
		if !ok {
			return nil, fmt.Errorf("the figures of %s (%T) cannot stand side by side", m.Scorer.Name, scores)
		}
		for _, w := range scores.Warnings() {
			if len(warned[w]) == 0 {
				warnings = append(warnings, w)
			}
			warned[w] = append(warned[w], run.Name)
		}
		out.addRun(run.Name, measured.Measures(facts, in.Seed))
	}
	for _, w := range warnings {
		out.Notes = append(out.Notes, "run "+strings.Join(warned[w], ", ")+": "+w)
	}
	if len(out.Lines) == 0 {
		return nil, &MissingInputError{m.Name, "runs with " + cmp.Or(m.File, "answers")}
	}
	out.SortLines()
	made := []Table{out}
	for _, p := range m.Plots {
		if p.Kind != PlotBoxes {
			made[0].Plots = append(made[0].Plots, p)
		} else if spread, has := out.boxes(p); has {
			made = append(made, spread)
		}
	}
	if m.Release != nil {
		made[0].addRun("the release", m.Release(asked, in.Seed))
	}
	return made, nil
}

// beside returns a file beside the answers of a run, or that of the answers if name is empty.
func (r Run) beside(name string) string {
	if name == "" {
		return r.File
	}
	return filepath.Join(filepath.Dir(r.File), name)
}

// ReadBeside reads a file beside the answers of a run; it gives nothing where there is none.
func (r Run) ReadBeside(name string, read func(io.Reader) (map[string]string, error)) (map[string]string, error) {
	out, err := score.ReadFile(r.beside(name), read)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return out, err
}

// AddLabels returns the answers of a run with the labels of a judge that score --judge wrote
// beside their file, if it did, and who labelled.
func (r Run) AddLabels(file string, asked score.QuestionSet) (answers map[string]string, notes []string, err error) {
	judged, can := asked.(score.Judged)
	labels, err := score.ReadFile(score.LabelsFile(file), score.ReadLabels)
	if errors.Is(err, fs.ErrNotExist) || !can {
		return r.Answers, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	answers = maps.Clone(r.Answers)
	if err := score.AddLabels(labels, judged, answers); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", score.LabelsFile(file), err)
	}
	notes, unjudged := score.DescribeLabels(labels)
	notes = append(notes, unjudged...)
	for i := range notes {
		notes[i] = "run " + r.Name + ": " + notes[i]
	}
	return answers, notes, nil
}

// addRun adds the line of a run. Columns are in the order in which they first appear.
func (t *Table) addRun(run string, of []Measure) {
	l := Line{Slice: run, Figures: map[string]Figure{}}
	for _, m := range of {
		if !slices.Contains(t.Columns, m.Column) {
			t.Columns = append(t.Columns, m.Column)
		}
		if m.Missing == "" {
			l.Figures[m.Column] = m.Figure
			continue
		}
		if l.Missing == nil {
			l.Missing = map[string]string{}
		}
		l.Missing[m.Column] = m.Missing
	}
	t.Lines = append(t.Lines, l)
}

// mainColumn returns the first column in which a line has a figure.
func (t *Table) mainColumn() (string, bool) {
	i := slices.IndexFunc(t.Columns, func(c string) bool {
		return slices.ContainsFunc(t.Lines, func(l Line) bool { _, has := l.Figures[c]; return has })
	})
	if i < 0 {
		return "", false
	}
	return t.Columns[i], true
}

// MainFigures returns the first column in which a line has a figure, and its figures by line.
func (t *Table) MainFigures() (column string, of map[string]Figure) {
	column, _ = t.mainColumn()
	of = map[string]Figure{}
	for _, l := range t.Lines {
		if f, has := l.Figures[column]; has {
			of[l.Slice] = f
		}
	}
	return column, of
}

// SortLines sorts lines by the first column in which one of them has a figure, the highest first.
func (t *Table) SortLines() {
	main, has := t.mainColumn()
	if !has {
		return
	}
	slices.SortStableFunc(t.Lines, func(a, b Line) int {
		x, hasX := a.Figures[main]
		y, hasY := b.Figures[main]
		return cmp.Or(cmp.Compare(benchformat.BoolScore(hasY), benchformat.BoolScore(hasX)), cmp.Compare(y.Value, x.Value), cmp.Compare(a.Slice, b.Slice))
	})
}
