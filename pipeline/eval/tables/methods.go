package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
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
	for _, run := range in.Runs {
		answers, err := m.readAnswers(run)
		if errors.Is(err, fs.ErrNotExist) || err == nil && len(answers) == 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("run %s has no %s", run.Name, cmp.Or(m.File, "answers")))
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", run.Name, err)
		}
		scores, err := asked.Score(answers, score.Options{Variant: in.Variant, Incomplete: in.Incomplete})
		if err != nil {
			return nil, fmt.Errorf("run %s: %w", run.Name, err)
		}
		measured, ok := scores.(Measured)
		if !ok {
			return nil, fmt.Errorf("the figures of %s (%T) cannot stand side by side", m.Scorer.Name, scores)
		}
		for _, w := range scores.Warnings() {
			out.Notes = append(out.Notes, "run "+run.Name+": "+w)
		}
		out.addRun(run.Name, measured.Measures(facts, in.Seed))
	}
	if len(out.Lines) == 0 {
		return nil, &MissingInputError{m.Name, "runs with " + cmp.Or(m.File, "answers")}
	}
	out.SortLines()
	return []Table{out}, nil
}

// readAnswers returns what a run gave: its answers, or another file beside them.
func (m Methods) readAnswers(run Run) (answers map[string]string, err error) {
	if m.File == "" {
		return run.Answers, nil
	}
	f, err := atomicfile.Open(filepath.Join(filepath.Dir(run.File), m.File))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return m.Scorer.Answers(f)
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

// SortLines sorts lines by the first column in which one of them has a figure, the highest first.
func (t *Table) SortLines() {
	i := slices.IndexFunc(t.Columns, func(c string) bool {
		return slices.ContainsFunc(t.Lines, func(l Line) bool { _, has := l.Figures[c]; return has })
	})
	if i < 0 {
		return
	}
	slices.SortStableFunc(t.Lines, func(a, b Line) int {
		x, hasX := a.Figures[t.Columns[i]]
		y, hasY := b.Figures[t.Columns[i]]
		return cmp.Or(cmp.Compare(benchformat.BoolScore(hasY), benchformat.BoolScore(hasX)), cmp.Compare(y.Value, x.Value), cmp.Compare(a.Slice, b.Slice))
	})
}
