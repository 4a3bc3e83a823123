package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/words"
)

// Kinds of plots. All but PlotLatency and PlotCost show shares from 0 to 1.
const (
	PlotCurve   = "curve"   // a line over the columns for each line of the table
	PlotBars    = "bars"    // a bar for each column of each line
	PlotLatency = "latency" // bars on a logarithmic axis
	PlotBoxes   = "boxes"   // a box for each line, from the columns of boxColumns
	PlotCost    = "cost"    // a circle for each line: tokens (logarithmic), share, seconds
	PlotHeat    = "heat"    // no drawing: cells are shaded
)

// Plot is what the page draws of a table.
type Plot struct {
	Kind, Title string
	// Columns are those of the table; one that ends in * stands for all that begin so.
	Columns []string
}

// find returns the columns of a plot that a table has.
func (p Plot) find(columns []string) (out []string) {
	for _, want := range p.Columns {
		for _, c := range columns {
			if begin, all := strings.CutSuffix(want, "*"); c == want || all && strings.HasPrefix(c, begin) {
				out = append(out, c)
			}
		}
	}
	return out
}

// boxColumns are the figures of a box.
func boxColumns() []string {
	return []string{"lowest", "lower quartile", "median", "upper quartile", "highest"}
}

// boxes returns a table of the spread of columns over the runs, a line a column that has a
// figure of two runs or more; false where none has.
func (t Table) boxes(p Plot) (Table, bool) {
	out := Table{Name: t.Name, Title: p.Title, Columns: boxColumns(), Plots: []Plot{{Kind: PlotBoxes, Title: p.Title, Columns: boxColumns()}}}
	for _, c := range p.find(t.Columns) {
		var values []float64
		for _, l := range t.Lines {
			if f, has := l.Figures[c]; has {
				values = append(values, f.Value)
			}
		}
		if len(values) < 2 {
			continue
		}
		slices.Sort(values)
		l := Line{Slice: c, Figures: map[string]Figure{}}
		for n, name := range out.Columns {
			l.Figures[name] = Exactly(quantile(values, float64(n)/4), len(values))
		}
		out.Lines = append(out.Lines, l)
	}
	out.Notes = []string{"n is the number of runs; quartiles lie between runs in proportion"}
	return out, len(out.Lines) > 0
}

// quantile returns a quantile of sorted values, between two in proportion.
func quantile(sorted []float64, share float64) float64 {
	at := share * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	return sorted[low] + float64((at-float64(low))*(sorted[high]-sorted[low]))
}

// Shape is a part of a drawing: a line of points, a rectangle, a circle or a text.
type Shape struct {
	Points, Text, Anchor, Colour, Title string
	X, Y, Width, Height, Radius         float64
}

// Chart is a drawing 620 wide.
type Chart struct {
	Title  string
	Height float64
	Shapes []Shape
	Key    []Key
}

// Key says what a colour stands for.
type Key struct{ Name, Colour string }

func colourOf(n int) string { return fmt.Sprintf("hsl(%d 60%% 48%%)", (210+137*n)%360) }

const chartWidth = 620

// colourOfLine returns the colour of a line, the same in all tables of the same runs.
func (t Table) colourOfLine(l Line) string {
	var names []string
	for _, other := range t.Lines {
		names = append(names, other.Slice)
	}
	slices.Sort(names)
	return colourOf(slices.Index(names, l.Slice))
}

func (c *Chart) line(colour, title string, points ...float64) {
	var text []string
	for i := 0; i+1 < len(points); i += 2 {
		text = append(text, fmt.Sprintf("%.1f,%.1f", points[i], points[i+1]))
	}
	c.Shapes = append(c.Shapes, Shape{Points: strings.Join(text, " "), Colour: colour, Title: title})
}

func (c *Chart) rect(colour, title string, x, y, width, height float64) {
	c.Shapes = append(c.Shapes, Shape{X: x, Y: y, Width: max(width, 1), Height: height, Colour: colour, Title: title})
}

func (c *Chart) text(anchor, text string, x, y float64) {
	c.Shapes = append(c.Shapes, Shape{X: x, Y: y, Anchor: anchor, Text: text})
}

// Charts returns the drawings of a table that have something to show.
func (t Table) Charts() (out []Chart) {
	for _, p := range t.Plots {
		columns := p.find(t.Columns)
		c := Chart{Title: p.Title}
		switch p.Kind {
		case PlotCurve:
			t.drawCurves(&c, columns)
		case PlotBars, PlotLatency:
			t.drawBars(&c, columns, p.Kind == PlotLatency)
		case PlotBoxes:
			t.drawBoxes(&c)
		case PlotCost:
			t.drawCosts(&c, columns)
		}
		if len(c.Shapes) > 0 {
			out = append(out, c)
		}
	}
	return out
}

// drawShares draws a vertical axis from 0 to 1 and returns where a share lies.
func (c *Chart) drawShares() func(float64) float64 {
	c.Height = 200
	y := func(share float64) float64 { return 165 - 150*min(max(share, 0), 1) }
	for _, tick := range []float64{0, 0.5, 1} {
		c.line("var(--line)", "", 34, y(tick), chartWidth, y(tick))
		c.text("end", fmt.Sprint(tick), 28, y(tick)+4)
	}
	return y
}

func (t Table) drawCurves(c *Chart, columns []string) {
	x := func(k int) float64 { return 60 + float64(k)*510/float64(max(1, len(columns)-1)) }
	drawn := Chart{}
	y := drawn.drawShares()
	for _, l := range t.Lines {
		var points []float64
		for k, name := range columns {
			if f, has := l.Figures[name]; has {
				points = append(points, x(k), y(f.Value))
			}
		}
		if len(points) > 2 {
			drawn.line(t.colourOfLine(l), l.Slice, points...)
			drawn.Key = append(drawn.Key, Key{l.Slice, t.colourOfLine(l)})
		}
	}
	if len(drawn.Key) == 0 {
		return
	}
	every := (len(columns) + 5) / 6
	for k := 0; k < len(columns); k += every {
		drawn.text("middle", words.Shorten(columns[k], 16), x(k), 186)
	}
	drawn.Title = c.Title
	*c = drawn
}

// logAxis returns where values lie between two places, by their logarithms, and whole powers
// of ten around them.
func logAxis(values []float64, from, to float64) (at func(float64) float64, ticks []float64) {
	low, high := math.Floor(math.Log10(slices.Min(values))), math.Ceil(math.Log10(slices.Max(values)))
	if high == low {
		high++
	}
	for p := low; p <= high; p++ {
		ticks = append(ticks, math.Pow(10, p))
	}
	return func(v float64) float64 { return from + (math.Log10(v)-low)/(high-low)*(to-from) }, ticks
}

func (t Table) drawBars(c *Chart, columns []string, logarithmic bool) {
	var values []float64
	for _, l := range t.Lines {
		for _, name := range columns {
			if f, has := l.Figures[name]; has && f.Value > 0 {
				values = append(values, f.Value)
			}
		}
	}
	if len(values) == 0 {
		return
	}
	const left, right, bar, gap = 170.0, 560.0, 13.0, 8.0
	at, ticks := func(v float64) float64 { return left + v*(right-left) }, []float64{0, 0.5, 1}
	if logarithmic {
		at, ticks = logAxis(values, left, right)
	}
	y := 6.0
	for _, l := range t.Lines {
		if !slices.ContainsFunc(columns, func(name string) bool { _, has := l.Figures[name]; return has }) {
			continue
		}
		c.text("end", words.Shorten(l.Slice, 24), left-8, y+float64(len(columns))*bar/2+4)
		for n, name := range columns {
			if f, has := l.Figures[name]; has && (f.Value > 0 || !logarithmic) {
				c.rect(colourOf(n), l.Slice+", "+name, left, y, at(f.Value)-left, bar-1)
				c.text("start", strings.TrimSuffix(fmt.Sprintf("%.3g", f.Value), ".0"), at(f.Value)+4, y+bar-2)
			}
			y += bar
		}
		y += gap
	}
	var grid Chart // below the bars
	for _, tick := range ticks {
		grid.line("var(--line)", "", at(tick), 0, at(tick), y)
		grid.text("middle", fmt.Sprint(tick), at(tick), y+14)
	}
	c.Shapes, c.Height = append(grid.Shapes, c.Shapes...), y+20
	for n, name := range columns {
		c.Key = append(c.Key, Key{name, colourOf(n)})
	}
}

func (t Table) drawBoxes(c *Chart) {
	y := c.drawShares()
	slot := 560 / float64(max(1, len(t.Lines)))
	wide := min(slot/2, 46)
	for n, l := range t.Lines {
		v := func(column string) float64 { return y(l.Figures[column].Value) }
		name := boxColumns()
		x := 50 + slot*(float64(n)+0.5)
		c.line("currentColor", "", x, v(name[0]), x, v(name[4]))
		for _, end := range []string{name[0], name[4]} {
			c.line("currentColor", "", x-wide/4, v(end), x+wide/4, v(end))
		}
		c.rect(colourOf(0), l.Slice, x-wide/2, v(name[3]), wide, max(v(name[1])-v(name[3]), 1))
		c.line("currentColor", "", x-wide/2, v(name[2]), x+wide/2, v(name[2]))
		c.text("middle", l.Slice, x, 186)
	}
}

// drawCosts draws a circle for each line with three figures: tokens, a share and seconds.
func (t Table) drawCosts(c *Chart, columns []string) {
	if len(columns) != 3 {
		return
	}
	var tokens, seconds []float64
	var lines []Line
	for _, l := range t.Lines {
		if _, has := l.Figures[columns[1]]; has && l.Figures[columns[0]].Value > 0 {
			tokens, seconds, lines = append(tokens, l.Figures[columns[0]].Value), append(seconds, l.Figures[columns[2]].Value), append(lines, l)
		}
	}
	if len(lines) == 0 {
		return
	}
	y := c.drawShares()
	x, ticks := logAxis(tokens, 60, 570)
	for _, tick := range ticks {
		c.text("middle", fmt.Sprintf("%.0f", tick), x(tick), 186)
	}
	for n, l := range lines {
		at := Shape{X: x(tokens[n]), Y: y(l.Figures[columns[1]].Value), Colour: t.colourOfLine(l), Title: l.Slice}
		at.Radius = 5 + 11*math.Sqrt(seconds[n]/max(slices.Max(seconds), 1e-9))
		c.Shapes = append(c.Shapes, at)
		c.Key = append(c.Key, Key{l.Slice, at.Colour})
	}
}
