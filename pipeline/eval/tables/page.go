package tables

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/pagestyle"
)

//go:embed page.html.tmpl
var pageText string

// Page shows tables as a page that opens offline.
type Page struct {
	Release, Format, Variant string
	Seed                     uint64
	Warnings                 []string
	Tables                   []Table
	// Marks are what sets runs apart, by run.
	Marks map[string][]string
}

// Write writes the page.
func (p Page) Write(w io.Writer) error {
	t, err := template.New("page").Parse(pageText)
	if err == nil {
		err = t.Execute(w, p)
	}
	if err != nil {
		return fmt.Errorf("page of tables: %w", err)
	}
	return nil
}

// Sheet returns the style sheet.
func (p Page) Sheet() template.CSS { return template.CSS(pagestyle.Sheet) }

// Cell is a cell of the page: a value with its interval and number of items, or the number
// of the note that says why it is empty.
type Cell struct {
	Column, Value, Interval string
	N, Note                 int
}

// Cells returns the cells of a line.
func (t Table) Cells(l Line) (out []Cell) {
	reasons := t.reasons()
	for _, name := range t.Columns {
		c := Cell{Column: name, Value: "–"}
		f, has := l.Figures[name]
		switch {
		case !has:
			if k := slices.Index(reasons, l.Missing[name]); k >= 0 {
				c.Note = len(t.Notes) + k + 1
			}
		case f.N == 0:
			c.Value = fmt.Sprintf("%.0f", f.Value)
		default:
			c.Value, c.N = fmt.Sprintf("%.3f", f.Value), f.N
			if f.Low != f.High {
				c.Interval = fmt.Sprintf("[%.3f, %.3f]", f.Low, f.High)
			}
		}
		out = append(out, c)
	}
	return out
}

// Curve is a line of a table as the points of an SVG.
type Curve struct{ Name, Points, Colour string }

// Curves returns the lines that have figures in two columns of the table's curve or more.
func (t Table) Curves() (out []Curve) {
	for n, l := range t.Lines {
		var points []string
		for k, c := range t.Curve {
			if f, has := l.Figures[c]; has {
				points = append(points, fmt.Sprintf("%d,%.0f", 10+k*600/max(1, len(t.Curve)-1), 110-100*f.Value))
			}
		}
		if len(points) > 1 {
			out = append(out, Curve{l.Slice, strings.Join(points, " "), fmt.Sprintf("hsl(%d 65%% 48%%)", 47*n%360)})
		}
	}
	return out
}

// NoteID is the number of the note from 0, as notes have it in their ids.
func (c Cell) NoteID() int { return c.Note - 1 }
