package describe

import (
	"fmt"
	"slices"
	"strings"
)

// grid is a table of the card and of the report.
type grid struct {
	Heads []head
	Rows  [][]string
}

// head is the head of a column. Numbers stand on the right.
type head struct {
	Text   string
	Number bool
}

type gridColumn[T any] struct {
	head
	of func(T) string
}

// textColumn makes a column of phrases, numberColumn one of figures in words,
// countColumn one of counts.
func textColumn[T any](name string, of func(T) string) gridColumn[T] {
	return gridColumn[T]{head{name, false}, of}
}

func numberColumn[T any](name string, of func(T) string) gridColumn[T] {
	return gridColumn[T]{head{name, true}, of}
}

func countColumn[T any](name string, of func(T) int64) gridColumn[T] {
	return numberColumn(name, func(r T) string { return fmt.Sprint(of(r)) })
}

// newGrid leaves out the columns that are empty or 0 in every row.
func newGrid[T any](rows []T, columns ...gridColumn[T]) grid {
	columns = slices.DeleteFunc(columns, func(c gridColumn[T]) bool {
		return !slices.ContainsFunc(rows, func(r T) bool { text := c.of(r); return text != "" && text != "0" })
	})
	var g grid
	for _, c := range columns {
		g.Heads = append(g.Heads, c.head)
	}
	for _, r := range rows {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = c.of(r)
		}
		g.Rows = append(g.Rows, cells)
	}
	return g
}

func sharesGrid(name string, bars []bar) grid {
	g := grid{Heads: []head{{name, false}, {"questions", true}, {"share", true}}}
	for _, x := range bars {
		g.Rows = append(g.Rows, []string{x.Name, fmt.Sprint(x.Count), fmt.Sprintf("%.1f %%", x.Share)})
	}
	return g
}

// markdown returns the grid as a table; a grid without rows is nothing.
func (g grid) markdown() string {
	if len(g.Rows) == 0 {
		return ""
	}
	var b strings.Builder
	line := func(cells []string) {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	heads, rules := make([]string, len(g.Heads)), make([]string, len(g.Heads))
	for i, h := range g.Heads {
		heads[i], rules[i] = h.Text, "---"
		if h.Number {
			rules[i] = "---:"
		}
	}
	line(heads)
	line(rules)
	for _, row := range g.Rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = markdown(c)
		}
		line(cells)
	}
	return b.String() + "\n"
}
