package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// place is where a value was written: a file with line and column (from 1), or
// an override, whose line is 0.
type place struct {
	source    string
	line, col int
}

func (p place) String() string {
	if p.line == 0 {
		return p.source
	}
	return fmt.Sprintf("%s:%d:%d", p.source, p.line, p.col)
}

// Problem is one mistake in a configuration.
type Problem struct {
	// Source is the file as it was named, or the override ("--set a.b=1").
	Source string
	// Line and Column count from 1; both are 0 in an override.
	Line, Column int
	Text         string
	err          error
}

func (p Problem) String() string {
	return place{p.Source, p.Line, p.Column}.String() + ": " + p.Text
}

// Error holds all mistakes of a configuration, sorted by place.
type Error struct{ Problems []Problem }

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors of plugin constructors among the problems.
func (e *Error) Unwrap() []error {
	var errs []error
	for _, p := range e.Problems {
		if p.err != nil {
			errs = append(errs, p.err)
		}
	}
	return errs
}

// problems collects mistakes. main is the file that may include others.
type problems struct {
	list []Problem
	main string
}

func (p *problems) add(at place, format string, args ...any) {
	p.list = append(p.list, Problem{Source: at.source, Line: at.line, Column: at.col, Text: fmt.Sprintf(format, args...)})
}

// addError adds an error that callers may want to find in the chain.
func (p *problems) addError(at place, err error) {
	p.add(at, "%v", err)
	p.list[len(p.list)-1].err = err
}

// err sorts by place, the file before those that it includes and these before the
// overrides, and drops repetitions.
func (p *problems) err() error {
	if len(p.list) == 0 {
		return nil
	}
	order := func(x Problem) int {
		switch {
		case x.Line == 0:
			return 2
		case x.Source != p.main:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(p.list, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(order(a), order(b)), strings.Compare(a.Source, b.Source), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Text, b.Text))
	})
	same := func(a, b Problem) bool { return a.String() == b.String() }
	return &Error{Problems: slices.CompactFunc(p.list, same)}
}

// suggest ends a message about an unknown word: the nearest known one if it is
// near, else all there are.
func suggest(word string, known []string, all string) string {
	if near := nearest(word, known); near != "" || len(known) == 0 {
		return near
	}
	sorted := slices.Sorted(slices.Values(known))
	return fmt.Sprintf("; %s: %s", all, strings.Join(sorted, ", "))
}

// nearest is suggest without the list of all there are.
func nearest(word string, known []string) string {
	if near, ok := words.NearestWord(word, known); ok {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}
