package tables

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

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
// of the note that says why it is empty. Shade is how dark it is, in percent.
type Cell struct {
	Column, Value, Interval string
	N, Note, Shade          int
}

// Cells returns the cells of a line.
func (t Table) Cells(l Line) (out []Cell) {
	reasons := t.reasons()
	var shaded []string
	for _, p := range t.Plots {
		if p.Kind == PlotHeat {
			shaded = p.find(t.Columns)
		}
	}
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
			if slices.Contains(shaded, name) {
				c.Shade = int(50 * min(max(f.Value, 0), 1))
			}
			if f.Low != f.High {
				c.Interval = fmt.Sprintf("[%.3f, %.3f]", f.Low, f.High)
			}
		}
		out = append(out, c)
	}
	return out
}

// NoteID is the number of the note from 0, as notes have it in their ids.
func (c Cell) NoteID() int { return c.Note - 1 }
